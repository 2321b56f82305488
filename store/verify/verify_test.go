package verify_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/recorder/spill"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/verify"
)

// exchange is one to be recorded.
type exchange struct {
	url, request, response      string
	truncated, fault, unchecked string
}

const get = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"

// page is a response with that body.
func page(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

// randomBytes are the same each time.
func randomBytes(size int) string {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(size)}).Read(b)
	return string(b)
}

// record records exchanges into a collection in dir.
func record(t testing.TB, cfg recorder.Config, dir string, exchanges []exchange) {
	t.Helper()
	cfg.Dedup.MinSize = 1 << 10 // as on the command line: most bodies here are the same few bytes
	r, err := recorder.Open(cfg, collection.Dir(dir), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range exchanges {
		x := r.Begin()
		x.Started, x.URL, x.RemoteIP = time.Now(), e.url, netip.MustParseAddr("::1")
		x.Truncated, x.Fault, x.Unverified = e.truncated, e.fault, e.unchecked
		x.Method, _, _ = strings.Cut(e.request, " ")
		for b, text := range map[*spill.Buffer]string{&x.Request: e.request, &x.Response: e.response} {
			if _, err := io.Copy(b, strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		x.Commit()
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// archive returns the paths of a collection's files.
func archive(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "archive", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// checked is what a check has reported.
type checked struct {
	verify.Summary
	all []verify.Finding
}

func files(t testing.TB, paths ...string) checked {
	t.Helper()
	return check(t, func(c *verify.Checker) (verify.Summary, error) { return c.Files(paths) })
}

func checkAll(t testing.TB, dir string) checked {
	t.Helper()
	return check(t, func(c *verify.Checker) (verify.Summary, error) {
		return c.Collection(collection.Dir(dir))
	})
}

func check(t testing.TB, run func(*verify.Checker) (verify.Summary, error)) checked {
	t.Helper()
	var found checked
	checker := verify.Checker{Report: func(f verify.Finding) { found.all = append(found.all, f) }}
	var err error
	if found.Summary, err = run(&checker); err != nil {
		t.Error(err)
	}
	if n := found.Findings + found.Notes; n < int64(len(found.all)) {
		t.Errorf("%d findings reported, and %d counted", len(found.all), n)
	}
	return found
}

// codes are the findings in short: "offset code", or "offset code note".
func (c *checked) codes() (all []string) {
	for _, f := range c.all {
		code := fmt.Sprintf("%d %s", f.Offset, f.Code)
		if f.Note {
			code += " note"
		}
		all = append(all, code)
	}
	return all
}

// healthy are exchanges of all kinds, none of which is wrong.
func healthy() []exchange {
	post := "POST /p HTTP/1.1\r\nHost: example.com\r\nContent-Type: " +
		"application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b"
	return []exchange{
		{url: "http://example.com/", request: get, response: page("hello")},
		{url: "http://example.com/p", request: post, response: page("posted")},
		{url: "http://example.com/empty", request: get, response: page("")},
		{url: "http://example.com/ä b?q=<>#f", request: get, response: page("odd URL")},
		{
			url:     "http://example.com/chunked",
			request: get,
			response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" +
				"5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
		},
		{
			url:      "http://example.com/gzip",
			request:  get,
			response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		},
		{
			url:      "http://example.com/upload",
			request:  "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n",
			response: page("x"),
		},
		{
			url:      "http://example.com/head",
			request:  "HEAD / HTTP/1.1\r\n\r\n",
			response: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		},
		{
			url:      "http://example.com/head-chunked",
			request:  "HEAD / HTTP/1.1\r\n\r\n",
			response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		},
		{
			url:      "http://example.com/304",
			request:  get,
			response: "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n",
		},
		{url: "http://example.com/204", request: get, response: "HTTP/1.1 204 No Content\r\n\r\n"},
		{
			url:      "http://example.com/101",
			request:  get,
			response: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
		},
		{
			url:     "http://example.com/206",
			request: get,
			response: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/10\r\nContent-Length: " +
				"5\r\n\r\nhello",
		},
		{url: "http://example.com/1.0", request: get, response: "HTTP/1.0 200 OK\r\n\r\nuntil close"},
		{
			url:      "http://example.com/lf",
			request:  get,
			response: "HTTP/1.1 200 OK\nContent-Type: text/html\n\nhello",
		},
		{
			url:     "http://example.com/odd",
			request: get,
			response: "HTTP/1.1 200\r\nX: a\r\n b\r\ncolonless\r\nY : c\r\nZ: \xe9\r\nSet-Cookie: 1\r\n" +
				"set-cookie: 2\r\n\r\n",
		},
		{
			url:      "http://example.com/expect",
			request:  "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
			response: "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n",
		},
		{
			url:       "http://example.com/cut",
			request:   get,
			response:  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
			truncated: "disconnect",
		},
		{
			url:       "http://example.com/cut-chunk",
			request:   get,
			response:  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello",
			truncated: "time",
		},
		{
			url:       "http://example.com/cut-head",
			request:   get,
			response:  "HTTP/1.1 200 OK\r\nContent-Ty",
			truncated: "disconnect",
		},
		{url: "http://example.com/three", request: get, response: "HTT", truncated: "disconnect"},
		{url: "http://example.com/none", request: get, fault: "connection refused"},
		{
			url:       "http://example.com/unverified",
			request:   get,
			response:  page("x"),
			unchecked: "self-signed",
		},
		{url: "http://example.com/large", request: get, response: page(randomBytes(3 << 20))},
		{
			url:      "http://example.com/large-text",
			request:  get,
			response: page(strings.Repeat("text ", 1<<19)),
		},
		{
			url:     "http://example.com/large-chunked",
			request: get,
			response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
				strings.Repeat("10000\r\n"+randomBytes(1<<16)+"\r\n", 40) + "0\r\n\r\n",
		},
		{
			url: "http://example.com/large-upload",
			request: fmt.Sprintf("POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", 2<<20,
				randomBytes(2<<20)),
			response: page("x"),
		},
	}
}

// TestHealthy finds nothing in what we record, in one file or in many.
func TestHealthy(t *testing.T) {
	for name, cfg := range map[string]recorder.Config{
		"one file a lane": {}, "rotated": {WARCMaxSize: 20 << 10, CommitSize: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			exchanges := healthy()
			for i := range 100 {
				exchanges = append(exchanges, exchange{
					url:      fmt.Sprintf("http://example.com/%d", i),
					request:  get,
					response: page(randomBytes(10 * i)),
				})
			}
			record(t, cfg, dir, exchanges)
			paths := archive(t, dir)
			if many := cfg.WARCMaxSize > 0; len(paths) < 2 || many != (len(paths) > 5) {
				t.Errorf("%d files", len(paths))
			}
			for _, found := range []checked{checkAll(t, dir), files(t, paths...)} {
				if len(found.all) > 0 {
					t.Errorf("%+v", found.all)
				}
				if n := int64(len(exchanges)); found.Records["response"] != n-2 ||
					found.Records["request"] != n || found.Records["warcinfo"] != int64(len(paths)) ||
					found.Records["metadata"] != 6 || found.Files != len(paths) {
					t.Errorf("%+v", found.Summary)
				}
				if d := found.Digests; d.Wire != 5 || d.Entity != 0 || d.Both != 2*int64(len(exchanges))-2-5 ||
					d.Block != d.Wire+d.Both+6+int64(len(paths)) {
					t.Errorf("%+v", d)
				}
			}
			if found := checkAll(t, dir); found.Captures != int64(len(exchanges))-2 || !found.Indexed {
				t.Errorf("%+v", found.Summary)
			}
		})
	}
}

// TestOrder finds the same things in the same order each time, and all bytes are counted.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	var exchanges []exchange
	for i := range 200 {
		exchanges = append(exchanges, exchange{
			url:      fmt.Sprintf("http://example.com/%d", i),
			request:  get,
			response: page(randomBytes(1000)),
		})
	}
	record(t, recorder.Config{WARCMaxSize: 20 << 10, CommitSize: 1}, dir, exchanges)
	var total int64
	for i, path := range archive(t, dir) {
		content := read(t, path)
		total += int64(len(content))
		content[len(content)-100*(i%9+2)] ^= 1
		write(t, path, content)
	}
	var first checked
	for i := range 10 {
		var found checked
		var done, of int64
		checker := verify.Checker{
			Report:   func(f verify.Finding) { found.all = append(found.all, f) },
			Progress: func(_ string, n, all int64) { done, of = n, all },
		}
		var err error
		if found.Summary, err = checker.Collection(collection.Dir(dir)); err != nil {
			t.Fatal(err)
		}
		if done != total || of != total || found.Bytes != total {
			t.Errorf("%d of %d bytes read, %d in the summary, want %d", done, of, found.Bytes, total)
		}
		if i == 0 {
			first = found
		} else if !slices.Equal(found.all, first.all) {
			t.Errorf("not the same findings:\n%v\n%v", found.all, first.all)
		}
	}
	if len(first.all) < 10 {
		t.Errorf("only %d findings", len(first.all))
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(content)
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// captures are those of a collection.
func captures(t testing.TB, dir string) (all []store.Capture) {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if err := index.Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
