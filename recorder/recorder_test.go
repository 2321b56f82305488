package recorder

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
)

// recording is a collection being recorded by a test.
type recording struct {
	*Recorder
	t   *testing.T
	dir string
	log *logBuffer
}

type logBuffer struct {
	mu     sync.Mutex
	b      bytes.Buffer
	onLine func(line string)
}

func (l *logBuffer) Write(p []byte) (int, error) {
	if l.onLine != nil {
		l.onLine(string(p))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// count counts the lines that contain all of parts.
func (l *logBuffer) count(parts ...string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line := range strings.Lines(l.b.String()) {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			n++
		}
	}
	return n
}

func open(t *testing.T, dir string, cfg Config) *recording {
	t.Helper()
	log := new(logBuffer)
	r, err := Open(cfg, collection.Dir(dir), zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	return &recording{r, t, dir, log}
}

// close closes the recorder, which must succeed.
func (c *recording) close() {
	c.t.Helper()
	if err := c.Close(); err != nil {
		c.t.Fatal(err)
	}
}

// begin returns an exchange with its buffers filled.
func (c *recording) begin(url, request, response string) *Exchange {
	c.t.Helper()
	x := c.Begin()
	x.Started, x.URL, x.Method, x.RemoteIP = time.Now(), url, "GET", netip.MustParseAddr("127.0.0.1")
	for b, message := range map[*spill.Buffer]string{&x.Request: request, &x.Response: response} {
		if _, err := io.Copy(writerOnly{b}, strings.NewReader(message)); err != nil {
			c.t.Fatal(err)
		}
	}
	return x
}

type writerOnly struct{ io.Writer } // so that io.Copy writes in pieces

func (c *recording) commit(url, request, response string) {
	c.t.Helper()
	c.begin(url, request, response).Commit()
}

// get commits the GET of a small page.
func (c *recording) get(url string) {
	c.t.Helper()
	c.commit(url, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
		page(200, "text/html", "", "page at "+url))
}

// urls are the URLs of all captures, in the order of the index.
func (c *recording) urls() []string {
	c.t.Helper()
	var urls []string
	if err := c.Index().Captures(store.Query{}, func(capture *store.Capture) bool {
		urls = append(urls, capture.URL)
		return true
	}); err != nil {
		c.t.Fatal(err)
	}
	return urls
}

// page is a response with a head such as servers send.
func page(status int, mime, encoding, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"HTTP/1.1 %d OK\r\nDate: Tue, 15 Nov 1994 08:12:31 GMT\r\nServer: Apache/2.4.1 (Unix)\r\n",
		status)
	fmt.Fprintf(&b, "Content-Type: %s\r\n", mime)
	if encoding != "" {
		fmt.Fprintf(&b, "Content-Encoding: %s\r\n", encoding)
	}
	b.WriteString(
		"Cache-Control: public, max-age=3600\r\nETag: \"5d8c72a5edda8d6a\"\r\nVary: Accept-Encoding\r\n" +
			"X-Frame-Options: DENY\r\n" +
			"Strict-Transport-Security: max-age=63072000\r\nConnection: keep-alive\r\n",
	)
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return b.String()
}

func sizeName(size int) string {
	if size >= 1<<20 {
		return fmt.Sprintf("%dM", size>>20)
	}
	return fmt.Sprintf("%dK", size>>10)
}

// randomText is bytes that deflate shrinks to three quarters.
func randomText(size int) string {
	b := make([]byte, size)
	rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)[:size]
}

func randomBytes(size int) string {
	b := make([]byte, size)
	rand.Read(b)
	return string(b)
}

// TestVerbatim records what origins really send, and compares it with what gowarc reads back.
func TestVerbatim(t *testing.T) {
	get := "GET /%s HTTP/1.1\r\nHost: example.com\r\nX-Odd : 1\r\n\tfolded\r\naccept: b\xe9\r\n" +
		"Accept: */*\r\n\r\n"
	for _, c := range []struct {
		name, request, response string
		change                  func(*Exchange)
		faults                  string // what gowarc is known to say
	}{
		{name: "usual", response: page(200, "text/html", "", "hello")},
		{name: "no body", response: page(200, "text/html", "", "")},
		{name: "1 MiB of text", response: page(200, "text/html", "", randomText(1<<20))},
		{name: "1 MiB of bytes", response: page(200, "image/jpeg", "", randomBytes(1<<20))},
		{name: "encoded", response: page(200, "text/html", "br", randomBytes(10000))},
		{name: "unknown type", response: page(200, "application/octet-stream", "", randomBytes(10000))},
		{name: "chunked, odd case, extensions, trailers",
			response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n"},
		{name: "gzip, chunked", response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" +
			"5\r\nhello\r\n0\r\n\r\n"},
		{name: "body short of Content-Length", response: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
			change: func(x *Exchange) { x.Truncated = "disconnect" }},
		{name: "head without end", response: "HTTP/1.1 200 OK\r\nContent-Ty",
			change: func(x *Exchange) { x.Truncated = "disconnect" },
			faults: "missing line separator at end of http headers"},
		{name: "LF only", response: "HTTP/1.1 200 OK\nContent-Type: text/html\n\nhello"},
		{name: "CRLF and LF", response: "HTTP/1.1 200 OK\r\nContent-Type: text/html\n\r\nhello"},
		{name: "folded, colonless, 8-bit, duplicates", response: "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n" +
			"colonless\r\nY : c\r\nZ: \xe9\r\nSet-Cookie: 1\r\nset-cookie: 2\r\n\r\n"},
		{name: "no reason", response: "HTTP/1.1 200\r\n\r\nx"},
		{name: "1.0 until close", response: "HTTP/1.0 200 OK\r\n\r\nhello"},
		{name: "204", response: "HTTP/1.1 204 No Content\r\n\r\n"},
		{name: "304", response: "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"},
		{name: "206", response: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/10\r\n" +
			"Content-Length: 5\r\n\r\nhello"},
		{name: "101", response: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: " +
			"Upgrade\r\n\r\n"},
		{name: "HEAD", request: "HEAD / HTTP/1.1\r\nHost: example.com\r\n\r\n",
			response: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"},
		{name: "POST, chunked", request: "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n", response: page(201, "text/html", "", "x")},
		{name: "no response", change: func(x *Exchange) { x.Fault = "reset" }},
		{name: "three bytes", response: "HTT", change: func(x *Exchange) { x.Truncated = "disconnect" }},
		{name: "four bytes", response: "HTTP", change: func(x *Exchange) { x.Truncated = "disconnect" },
			faults: "missing line separator at end of http headers"},
		{name: "not verified", response: page(200, "text/html", "", "hello"),
			change: func(x *Exchange) { x.Unverified = "self-signed" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			col := open(t, dir, Config{})
			if c.request == "" {
				c.request = fmt.Sprintf(get, strings.ReplaceAll(c.name, " ", "-"))
			}
			x := col.begin("http://example.com/"+c.name, c.request, c.response)
			wantMetadata := c.change != nil
			if c.change != nil {
				c.change(x)
			}
			x.Commit()
			col.close()
			records := readBack(t, dir)
			checkIndex(t, dir, records)
			var got []string
			for _, r := range records[1:] {
				kind := r.get("WARC-Type")
				got = append(got, kind)
				if want := map[string]string{"response": c.response, "request": c.request}[kind]; kind != "metadata" &&
					r.block != want {
					t.Errorf("%s: %.100q, want %.100q", kind, r.block, want)
				}
				if r.faults != "" && (c.faults == "" || !strings.Contains(r.faults, c.faults)) {
					t.Errorf("%s: %s", kind, r.faults)
				}
			}
			var want []string
			if len(c.response) >= record.MinBlock {
				want = append(want, "response")
			}
			want = append(want, "request")
			if wantMetadata {
				want = append(want, "metadata")
			}
			if !slices.Equal(got, want) {
				t.Errorf("records %v, want %v", got, want)
			}
		})
	}
}

// TestLarge records exchanges that lie on disk for their size, next to small ones.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	want := map[string][2]string{
		"http://example.com/response": {exampleRequest, page(200, "video/mp4", "", randomBytes(5<<20))},
		"http://example.com/text":     {exampleRequest, page(200, "text/plain", "", randomText(3<<20))},
		"http://example.com/request": {
			"POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n" + randomText(4<<20),
			exampleResponse,
		},
		"http://example.com/both": {
			"PUT / HTTP/1.1\r\n\r\n" + randomBytes(2<<20),
			"HTTP/1.1 200 OK\r\n\r\n" + randomBytes(2<<20),
		},
		"http://example.com/head": {
			exampleRequest,
			"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n" + randomText(2<<20),
		},
		"http://example.com/no-end": {exampleRequest, strings.Repeat("x", 2<<20)},
		"http://example.com/small":  {exampleRequest, exampleResponse},
	}
	for url, messages := range want {
		c.commit(url, messages[0], messages[1])
	}
	x := c.begin(
		"http://example.com/cut",
		exampleRequest,
		page(200, "text/plain", "", randomText(3<<20)),
	)
	x.Truncated = "length"
	x.Commit()
	c.close()
	records := readBack(t, dir)
	checkIndex(t, dir, records)
	files := make(map[string]bool)
	for _, r := range records {
		files[r.file] = true
		messages, ok := want[r.get("WARC-Target-URI")]
		if !ok {
			continue
		}
		if r.get("WARC-Type") == "request" && r.block != messages[0] ||
			r.get("WARC-Type") == "response" && r.block != messages[1] {
			t.Errorf("%s of %s is not what was sent", r.get("WARC-Type"), r.get("WARC-Target-URI"))
		}
		if r.faults != "" && !strings.HasSuffix(r.get("WARC-Target-URI"), "no-end") {
			t.Errorf("%s: %s", r.get("WARC-Target-URI"), r.faults)
		}
	}
	if len(records) != 2+2*(len(want)+1)+1 || len(files) != 2 {
		t.Errorf("%d records in %d files", len(records), len(files))
	}
	if _, err := os.Stat(filepath.Join(dir, "spill")); !os.IsNotExist(err) {
		t.Errorf("spill/ after Close: %v", err)
	}
}

// TestManyAtOnce commits from 64 goroutines, with little memory, and finds everything once.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	descriptors := openDescriptors()
	c := open(
		t,
		dir,
		Config{
			QueueSize:      300 << 10,
			CommitSize:     64 << 10,
			CommitInterval: time.Millisecond,
			WARCMaxSize:    400 << 10,
		},
	)
	c.memory.Limit = 1 << 20
	const each = 10
	var all sync.WaitGroup
	for g := range 64 {
		all.Go(func() {
			for i := range each {
				url := fmt.Sprintf("http://example.com/%d/%d", g, i)
				x := c.begin(url, exampleRequest, page(200, "text/plain", "", randomText(50*g*i)))
				if i%5 == 4 {
					x.Discard()
				} else {
					x.Commit()
				}
			}
		})
	}
	all.Wait()
	c.close()
	records := readBack(t, dir)
	checkIndex(t, dir, records)
	responses := make(map[string]int)
	for _, r := range records {
		if r.get("WARC-Type") == "response" {
			responses[r.get("WARC-Target-URI")]++
		}
		if r.faults != "" {
			t.Error(r.faults)
		}
	}
	if len(responses) != 64*each*4/5 {
		t.Errorf("%d URLs, want %d", len(responses), 64*each*4/5)
	}
	for url, n := range responses {
		if n != 1 {
			t.Errorf("%s: %d responses", url, n)
		}
	}
	if s := c.Status(); s.Queued != 0 || s.Exchanges != 64*each*4/5 || len(s.OpenFiles) != 0 ||
		!s.Recording {
		t.Errorf("%+v", s)
	}
	if held := c.memory.Held.Load(); held != 0 {
		t.Errorf("%d bytes of memory held", held)
	}
	if n := openDescriptors(); n != descriptors {
		t.Errorf("%d files were open before, %d are afterwards", descriptors, n)
	}
}

// openDescriptors is the number of files that the process has open, where the system tells.
func openDescriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// TestRotation fills files of 20 KB: none is larger, but for one with a single exchange that is.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	const limit = 20_000
	c := open(t, dir, Config{WARCMaxSize: limit})
	for i := range 40 {
		c.commit(
			fmt.Sprintf("http://example.com/%d", i),
			exampleRequest,
			page(200, "image/png", "", randomBytes(100*i)),
		)
	}
	c.commit(
		"http://example.com/large",
		exampleRequest,
		page(200, "image/png", "", randomBytes(2*limit)),
	)
	c.commit("http://example.com/last", exampleRequest, exampleResponse)
	c.close()
	records := readBack(t, dir)
	checkIndex(t, dir, records)
	if len(records) < 2*42 {
		t.Errorf("%d records", len(records))
	}
	perFile := make(map[string]int)
	for _, r := range records {
		perFile[r.file]++
	}
	if len(perFile) < 5 || len(perFile) > 30 {
		t.Errorf("%d files", len(perFile))
	}
	for name, n := range perFile {
		info, err := os.Stat(filepath.Join(dir, "archive", name))
		if err != nil || info.Size() > limit && n != 3 {
			t.Errorf("%s: %v, %d records, %d bytes", name, err, n, info.Size())
		}
	}
}

// TestGroupCommit: what comes after a quiet time is committed at once; what comes within the
// interval of that, together, at its end and not before; what is large enough at once.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{CommitInterval: 100 * time.Millisecond, CommitSize: 100_000})
		check := func(want int) {
			t.Helper()
			synctest.Wait()
			if got := len(c.urls()); got != want {
				t.Fatalf("%d captures after %v, want %d", got, time.Since(start(t)), want)
			}
		}
		c.get("http://example.com/0")
		check(1)
		time.Sleep(30 * time.Millisecond)
		c.get("http://example.com/1")
		time.Sleep(15 * time.Millisecond)
		c.get("http://example.com/2")
		time.Sleep(54 * time.Millisecond)
		check(1)
		time.Sleep(time.Millisecond)
		check(3)
		c.commit("http://example.com/3", exampleRequest, page(200, "text/html", "", randomText(60_000)))
		check(3)
		c.commit("http://example.com/4", exampleRequest, page(200, "text/html", "", randomText(60_000)))
		time.Sleep(handfulFor)
		check(5)
		c.get("http://example.com/5")
		c.close()
		if n := c.log.count(`"message":"capture"`, `"level":"info"`); n != 6 {
			t.Errorf("%d captures in the log", n)
		}
	})
}

// of a synctest bubble
func start(t *testing.T) time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// TestIdle: a file without exchanges for a while gets its final name, and the next exchange a new
// file.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{WARCIdle: time.Minute})
		files := func() (done, open int) {
			synctest.Wait()
			all, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*"))
			opened, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*.open"))
			if n := len(c.Status().OpenFiles); n != len(opened) {
				t.Errorf("Status: %d open files of %d", n, len(opened))
			}
			return len(all) - len(opened), len(opened)
		}
		c.get("http://example.com/1")
		c.commit("http://example.com/2", exampleRequest, page(200, "text/html", "", randomText(2<<20)))
		time.Sleep(50 * time.Second)
		if done, open := files(); done != 0 || open != 2 {
			t.Errorf("after 50 s: %d finished, %d open", done, open)
		}
		c.get("http://example.com/3")
		time.Sleep(50 * time.Second)
		if done, open := files(); done != 1 || open != 1 {
			t.Errorf("after 100 s: %d finished, %d open", done, open)
		}
		time.Sleep(10*time.Second + handfulFor)
		if done, open := files(); done != 2 || open != 0 {
			t.Errorf("after 110 s: %d finished, %d open", done, open)
		}
		known, err := c.Index().Files()
		if err != nil || len(known) != 2 || !known[0].Sealed || !known[1].Sealed {
			t.Errorf("%+v, %v", known, err)
		}
		c.get("http://example.com/4")
		time.Sleep(time.Second)
		if done, open := files(); done != 2 || open != 1 {
			t.Errorf("then: %d finished, %d open", done, open)
		}
		c.close()
		checkIndex(t, c.dir, readBack(t, c.dir))
	})
}
