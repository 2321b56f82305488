package readback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// imported returns the files of a collection to which other tools' files were added.
func imported(t testing.TB, files map[string][]byte) (*Files, collection.Dir) {
	t.Helper()
	dir, from := collection.Dir(t.TempDir()), t.TempDir()
	var paths []string
	for name, file := range files {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	_, err := recovery.Add(recovery.Config{Mode: collection.DefaultMode}, dir, paths, true, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	f := New(dir, openReadOnly(t, dir))
	t.Cleanup(func() { f.Close() })
	return f, dir
}

// response is a response record of another tool; "|" ends a line of the block.
func response(url, more, block string) string {
	return foreign.Record("WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:"+url+">\n"+
		"WARC-Target-URI: "+url+"\nWARC-Date: 2026-11-21T12:00:00Z\n"+more, block)
}

const http = "Content-Type: application/http; msgtype=response"

// longField lets a head end where the beginning of a block does that is read at once.
var longField = strings.Repeat("x", startSize-len("HTTP/1.1 200 OK__Transfer-Encoding: chunked__X: ____"))

// TestForeign reads what other tools have written, however it is wrapped, and whatever is odd.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		name, more, block string
		want              Response
		body, entity      string
		err               error
	}{
		{name: "usual", more: http, block: "HTTP/1.1 200 OK|A: b||hello",
			want: Response{Head: []byte("HTTP/1.1 200 OK|A: b||"), Status: 200}, body: "hello"},
		{name: "no content type", block: "HTTP/1.0 404 Not Found||hello",
			want: Response{Head: []byte("HTTP/1.0 404 Not Found||"), Status: 404}, body: "hello"},
		{name: "chunked, and not so", more: http,
			block: "HTTP/1.1 200 OK|Transfer-Encoding: chunked||<p>hello",
			want:  Response{Head: []byte("HTTP/1.1 200 OK|Transfer-Encoding: chunked||"), Status: 200},
			body:  "<p>hello"},
		{name: "chunked, and not so, in one line", more: http,
			block: "HTTP/1.1 200 OK|Transfer-Encoding: chunked||add",
			want:  Response{Head: []byte("HTTP/1.1 200 OK|Transfer-Encoding: chunked||"), Status: 200},
			body:  "add"},
		{name: "chunked, and not so, and like a size", more: http,
			block: "HTTP/1.1 200 OK|Transfer-Encoding: chunked||5|hello world",
			want:  Response{Head: []byte("HTTP/1.1 200 OK|Transfer-Encoding: chunked||"), Status: 200},
			body:  "5|hello world"},
		{name: "chunked", more: http,
			block: "HTTP/1.1 200 OK|transfer-encoding:|  chunked||5;a=b|hello|0||",
			want: Response{Head: []byte("HTTP/1.1 200 OK|transfer-encoding:|  chunked||"), Status: 200,
				Chunked: true},
			body: "5;a=b|hello|0||", entity: "hello"},
		{name: "gzip, chunked", more: http,
			block: "HTTP/1.1 200 OK|Transfer-Encoding: gzip, Chunked||1|x|0||",
			want: Response{Head: []byte("HTTP/1.1 200 OK|Transfer-Encoding: gzip, Chunked||"), Status: 200,
				Chunked: true},
			body: "1|x|0||", entity: "x"},
		{name: "chunked, behind a head that fills the buffer", more: http,
			block: "HTTP/1.1 200 OK|Transfer-Encoding: chunked|X: " + longField + "||5|hello|0||",
			want: Response{Head: []byte("HTTP/1.1 200 OK|Transfer-Encoding: chunked|X: " + longField + "||"),
				Status: 200, Chunked: true},
			body: "5|hello|0||", entity: "hello"},
		{name: "no chunks", more: http, block: "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0||",
			want: Response{Head: []byte("HTTP/1.1 200 OK|Transfer-Encoding: chunked||"), Status: 200,
				Chunked: true},
			body: "0||"},
		{name: "LF", more: http, block: "HTTP/1.1 200 OK\nA: b\n\nhello\n",
			want: Response{Head: []byte("HTTP/1.1 200 OK\nA: b\n\n"), Status: 200}, body: "hello\n"},
		{name: "no end of head", more: http + "\nWARC-Truncated: disconnect",
			block: "HTTP/1.1 200 OK|Content-Ty",
			want: Response{Head: []byte("HTTP/1.1 200 OK|Content-Ty"), Status: 200, Unended: true,
				Truncated: "disconnect"}},
		{name: "ICY", more: http, block: "ICY 200 OK|icy-name: x||sound",
			want: Response{Head: []byte("ICY 200 OK|icy-name: x||"), Status: 200}, body: "sound"},
		{name: "HTTP/2", more: http, block: "HTTP/2 200|a: b||hello",
			want: Response{Head: []byte("HTTP/2 200|a: b||"), Status: 200}, body: "hello"},
		{name: "no status", more: http, block: "HTTP/1.1 OK||hello",
			want: Response{Head: []byte("HTTP/1.1 OK||")}, body: "hello"},
		{name: "three bytes", more: http, block: "HTT", err: ErrNoMessage},
		{name: "nothing", more: http, block: "", err: ErrNoMessage},
		{name: "no message", more: http, block: "<html>hello</html>", err: ErrNoMessage},
		{name: "another type", more: "Content-Type: text/dns", block: "20261121120000\nexample.com.\n",
			want: Response{Made: true, Status: 200, Head: []byte("HTTP/1.1 200 OK|" +
				"Content-Type: text/dns|Content-Length: 28||")}, body: "20261121120000\nexample.com.\n"},
		{name: "resource", more: "Content-Type: text/plain; charset=utf-8\nWARC-Type: resource",
			block: "HTTP/1.1 is a protocol||of the web",
			want: Response{Made: true, Status: 200, Head: []byte("HTTP/1.1 200 OK|" +
				"Content-Type: text/plain; charset=utf-8|Content-Length: 36||")},
			body: "HTTP/1.1 is a protocol||of the web"},
		{name: "segment", more: http + "\nWARC-Segment-Number: 1", block: "HTTP/1.1 200 OK||hel",
			want: Response{Head: []byte("HTTP/1.1 200 OK||"), Status: 200, Truncated: "length"},
			body: "hel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := "http://example.com/" + strings.ReplaceAll(c.name, " ", "-")
			text := response(url, c.more, c.block)
			if strings.Contains(c.more, "WARC-Type") {
				text = strings.Replace(text, "WARC-Type: response\r\n", "", 1)
			}
			for _, other := range []*string{&c.body, &c.entity} {
				*other = strings.ReplaceAll(*other, "|", "\r\n")
			}
			c.want.Head = bytes.ReplaceAll(c.want.Head, []byte("|"), []byte("\r\n"))
			for layout, file := range foreign.Layouts(t, []string{text, text}) {
				files, _ := imported(t, map[string][]byte{"a" + layout: file})
				found := captures(t, files.index, url)
				if len(found) == 0 {
					t.Fatalf("%s: no capture", layout)
				}
				got, err := files.Response(&found[len(found)-1])
				if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
					t.Fatalf("%s: %v", layout, err)
				}
				if err != nil {
					continue
				}
				if string(got.Head) != string(c.want.Head) || got.Made != c.want.Made ||
					got.Unended != c.want.Unended || got.Status != c.want.Status ||
					got.Chunked != c.want.Chunked || got.Truncated != c.want.Truncated {
					t.Errorf("%s: %+v\n%q", layout, got, got.Head)
				}
				checkBodies(t, got, c.body, c.entity)
				if err := got.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// checkBodies checks what is behind a head; entity is "" where it is the body.
func checkBodies(t *testing.T, got *Response, body, entity string) {
	t.Helper()
	if !got.Chunked {
		entity = body
	}
	if is := all(t, got.Body); is != body || got.Size != int64(len(body)) {
		t.Errorf("body %q of %d bytes", is, got.Size)
	}
	for from := range len(entity) + 1 {
		section, err := got.Section(context.Background(), int64(from), 3)
		if err != nil {
			t.Fatal(err)
		}
		if is := all(t, section); is != entity[from:min(from+3, len(entity))] {
			t.Errorf("from %d on: %q", from, is)
		}
	}
	section, err := got.Section(context.Background(), 0, 1<<30)
	if err != nil || all(t, section) != entity {
		t.Errorf("not %q: %v", entity, err)
	}
	if size, known := got.EntitySize(); size != int64(len(entity)) || !known {
		t.Errorf("entity of %d bytes, %v", size, known)
	}
	if _, err := got.Section(context.Background(), int64(len(entity))+1, 1); err == nil {
		t.Error("a section behind the end")
	}
}

// TestTools reads all captures of files as other tools write them.
func TestTools(t *testing.T) {
	for tool, records := range foreign.Files {
		for layout, file := range foreign.Layouts(t, records) {
			files, _ := imported(t, map[string][]byte{tool + layout: file})
			n := 0
			err := files.index.Captures(store.Query{}, func(c *store.Capture) bool {
				n++
				got, err := files.Response(c)
				if c.URL == "http://example.com/nothing" || tool == "wget" && c.IsRevisit() {
					// a revisit of nothing, and one that names its original by its ID alone
					if !errors.Is(err, ErrNoOriginal) {
						t.Errorf("%s%s: %v", tool, layout, err)
					}
					return true
				}
				if err != nil {
					t.Errorf("%s%s, %s: %v", tool, layout, c.URL, err)
					return true
				}
				if _, err := io.Copy(io.Discard, got.Body); err != nil {
					t.Errorf("%s%s, %s: %v", tool, layout, c.URL, err)
				}
				got.Close()
				request, err := files.Request(c)
				if errors.Is(err, ErrNoRequest) && (tool != "wget" || !strings.HasPrefix(c.URL, "http")) {
					return true
				}
				if err != nil {
					t.Errorf("%s%s, %s: %v", tool, layout, c.URL, err)
					return true
				}
				method, _, _ := bytes.Cut(request.Head, []byte(" "))
				if want := c.Method; want != "" && string(method) != want {
					t.Errorf("%s%s, %s: %s, want %s", tool, layout, c.URL, method, want)
				}
				request.Close()
				return true
			})
			if err != nil || n == 0 {
				t.Errorf("%s%s: %d captures, %v", tool, layout, n, err)
			}
		}
	}
}

// TestDictionary reads records that are compressed with the dictionary at the beginning of their
// file, in any order, beside files without one.
func TestDictionary(t *testing.T) {
	block := "HTTP/1.1 200 OK||" + strings.Repeat("what all pages have in common ", 20)
	var samples [][]byte
	for n := range 50 {
		samples = append(samples, []byte(response(fmt.Sprintf("http://example.com/%d", n), http, block)))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 1, Contents: samples,
		History: samples[0], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary))
	if err != nil {
		t.Fatal(err)
	}
	file := []byte{0x5d, 0x2a, 0x4d, 0x18, byte(len(dictionary)), byte(len(dictionary) >> 8), 0, 0}
	file = append(file, dictionary...)
	for _, sample := range samples {
		file = append(file, encoder.EncodeAll(sample, nil)...)
	}
	other := foreign.Layouts(t, []string{response("http://example.com/other", http, block)})
	files, _ := imported(t, map[string][]byte{"a.warc.zst": file, "b.warc.zst": other[".warc.zst"],
		"c.warc.gz": other[".warc.gz"], "d.warc": other[".warc"]})
	for _, url := range []string{"49", "other", "0", "25", "other"} {
		for _, c := range captures(t, files.index, "http://example.com/"+url) {
			got, err := files.Response(&c)
			if err != nil {
				t.Fatal(err)
			}
			if body := all(t, got.Body); "HTTP/1.1 200 OK||"+body != block {
				t.Errorf("%s: %q", url, body)
			}
			got.Close()
		}
	}
}

// TestDamagedRecords: bytes that are damaged are a *warc.Damage in place of the end, and never
// other bytes.
func TestDamagedRecords(t *testing.T) {
	url := "http://example.com/a"
	text := response(url, http, "HTTP/1.1 200 OK||"+strings.Repeat("0123456789", 100))
	files, dir := imported(t, map[string][]byte{"a.warc.gz": foreign.Gzip(text)})
	c := captures(t, files.index, url)[0]
	path := dir.WARC("a.warc.gz")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range sound {
		bad := bytes.Clone(sound)
		bad[at] ^= 0x55
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := files.Response(&c)
		if err == nil {
			var b bytes.Buffer
			_, err = io.Copy(&b, got.Body)
			if err == nil && at > 9 { // before are time and system, which are no part of the record
				t.Errorf("byte %d is another, and nobody notices: %q", at, b.Bytes()[:20])
			}
			got.Close()
		}
		damage := (*warc.Damage)(nil)
		if err != nil && !errors.As(err, &damage) && !errors.Is(err, ErrNoMessage) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	if err := os.WriteFile(path, sound[:len(sound)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Response(&c); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "a.warc.gz") {
		t.Errorf("a file that is cut: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Response(&c); !errors.Is(err, ErrMissing) {
		t.Errorf("a file that is missing: %v", err)
	}
	if open := files.opened.Len(); open != 0 {
		t.Errorf("%d files that are missing stay open", open)
	}
}
