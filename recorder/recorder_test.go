package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/recorder/record"
)

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
			response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" +
				"5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n"},
		{name: "gzip, chunked", response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" +
			"5\r\nhello\r\n0\r\n\r\n"},
		{name: "body short of Content-Length",
			response: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
			change:   func(x *Exchange) { x.Truncated = "disconnect" }},
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
				want := map[string]string{"response": c.response, "request": c.request}[kind]
				if kind != "metadata" && r.block != want {
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
	x := c.begin("http://example.com/cut", exampleRequest,
		page(200, "text/plain", "", randomText(3<<20)))
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
	c.memory.Limit.Store(1 << 20)
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
