package replay

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/http1"
)

// crlf is a head with CRLF behind each line, and its empty line.
func crlf(lines ...string) head {
	return head(strings.Join(lines, "\r\n") + "\r\n\r\n")
}

// TestFramed: which heads pass as they are stored, and what the others become.
func TestFramed(t *testing.T) {
	const ok = "HTTP/1.1 200 OK"
	for _, c := range []struct {
		name   string
		method string
		head   head
		stored content
		want   head // nil: as it is stored
	}{
		{"sized", "", crlf(ok, "Content-Length: 5"), content{size: 5}, nil},
		{"empty", "", crlf(ok, "Content-Length: 0"), content{}, nil},
		{"chunked", "", crlf(ok, "Transfer-Encoding: chunked"), content{size: 5, chunked: true}, nil},
		{"gzip, chunked", "", crlf(ok, "Transfer-Encoding: gzip, chunked"),
			content{size: 5, chunked: true}, nil},
		{"until close", "", crlf(ok, "X: y"), content{size: 5}, nil},
		{"until close, cut", "", crlf(ok, "X: y"), content{size: 5, cut: true}, nil},
		{"HTTP/1.0", "", crlf("HTTP/1.0 200 OK", "X: y"), content{size: 5}, nil},
		{"chunked in HTTP/1.0", "", crlf("HTTP/1.0 200 OK", "Transfer-Encoding: chunked"),
			content{size: 5, chunked: true}, nil},
		{"cut", "", crlf(ok, "Content-Length: 9"), content{size: 5, cut: true}, nil},
		{"chunks cut", "", crlf(ok, "Transfer-Encoding: chunked"),
			content{size: 5, chunked: true, cut: true}, nil},
		{"chunks cut at once", "", crlf(ok, "Transfer-Encoding: chunked"), content{cut: true}, nil},
		{"204", "", crlf("HTTP/1.1 204 No Content", "Content-Length: 7"), content{}, nil},
		{"205", "", crlf("HTTP/1.1 205 Reset Content"), content{}, nil},
		{"304", "", crlf("HTTP/1.1 304 Not Modified", "Content-Length: 7"), content{}, nil},
		{"HEAD", "HEAD", crlf(ok, "Content-Length: 7"), content{}, nil},
		{"HEAD, chunked", "HEAD", crlf(ok, "Transfer-Encoding: chunked"), content{}, nil},
		{"odd, but read by all", "", head("HTTP/1.1 200\nx:  y\nX:y\nfolded: a\n b\nno colon\n" +
			"b\xe9\x01: \xff\ncontent-LENGTH:5\n\n"), content{size: 5}, nil},
		{"lines of both kinds", "", head("HTTP/1.1 200 OK\nA: b\r\nContent-Length: 5\r\n\r\n"),
			content{size: 5}, nil},

		{"chunked, and is not", "", crlf(ok, "A: b", "Transfer-Encoding: chunked", "Trailer: x", "C: d"),
			content{size: 5}, crlf(ok, "A: b", "C: d", "Content-Length: 5")},
		{"chunked, and empty", "", crlf(ok, "Transfer-Encoding: chunked"), content{},
			crlf(ok, "Content-Length: 0")},
		{"longer than said", "", crlf(ok, "Content-Length: 5", "A: b"), content{size: 9},
			crlf(ok, "A: b", "Content-Length: 9")},
		{"longer than said, and cut", "", crlf(ok, "Content-Length: 5", "A: b"),
			content{size: 9, cut: true}, crlf(ok, "A: b")},
		{"shorter than said", "", crlf(ok, "Content-Length: 9", "A: b"), content{size: 5},
			crlf(ok, "A: b", "Content-Length: 5")},
		{"empty, and is not", "", crlf(ok, "Content-Length: 0"), content{size: 5},
			crlf(ok, "Content-Length: 5")},
		{"decoded", "", crlf(ok, "Content-Encoding: gzip", "Content-Length: 5", "A: b"),
			content{size: 9, decoded: true}, crlf(ok, "A: b", "Content-Length: 9")},
		{"still coded", "", crlf(ok, "Content-Encoding: gzip", "Content-Length: 5"), content{size: 9},
			crlf(ok, "Content-Encoding: gzip", "Content-Length: 9")},
		{"a length over chunks", "", crlf(ok, "Content-Length: 5"), content{size: 15, chunked: true},
			crlf(ok, "Transfer-Encoding: chunked")},
		{"nothing over chunks", "", crlf(ok), content{size: 15, chunked: true},
			crlf(ok, "Transfer-Encoding: chunked")},
		{"HTTP/1.0 over chunks", "", crlf("HTTP/1.0 200 OK", "A: b"), content{size: 15, chunked: true},
			crlf(ok, "A: b", "Transfer-Encoding: chunked")},
		{"a length over chunks that are cut", "", crlf(ok, "Content-Length: 5"),
			content{size: 3, chunked: true, cut: true}, crlf(ok, "Transfer-Encoding: chunked")},
		{"both", "", crlf(ok, "Content-Length: 5", "A: b", "Transfer-Encoding: chunked"),
			content{size: 5}, crlf(ok, "A: b", "Content-Length: 5")},
		{"two lengths", "", crlf(ok, "Content-Length: 5", "A: b", "Content-Length: 6"),
			content{size: 5}, crlf(ok, "A: b", "Content-Length: 5")},
		{"HTTP/2", "", crlf("HTTP/2 200", ":status: 200", "a: b"), content{size: 5},
			crlf("HTTP/1.1 200 ", "a: b", "Content-Length: 5")},
		{"HTTP/2.0", "", crlf("HTTP/2.0 404 Not Found", "a: b"), content{size: 5},
			crlf("HTTP/1.1 404 Not Found", "a: b", "Content-Length: 5")},
		{"HTTP/3, 204", "", crlf("HTTP/3 204 ", "a: b"), content{},
			crlf("HTTP/1.1 204 ", "a: b")},
		{"HTTP/2, 205", "", crlf("HTTP/2 205 ", "a: b"), content{size: 5},
			crlf("HTTP/1.1 205 ", "a: b", "Content-Length: 0")},
		{"ICY", "", crlf("ICY 200 OK", "icy-name: x"), content{size: 5, cut: true},
			crlf(ok, "icy-name: x")},
		{"no status", "", crlf("HTTP/1.1", "a: b"), content{size: 5},
			crlf(ok, "a: b", "Content-Length: 5")},
		{"a status of four digits", "", crlf("HTTP/1.1 2000 x"), content{size: 5},
			crlf(ok, "Content-Length: 5")},
		{"a status of four digits that begin with none", "", crlf("HTTP/1.1 0101 x"), content{size: 5},
			crlf(ok, "Content-Length: 5")},
		{"folds and what ends lines", "", head("HTTP/2 200 a\rb\x00\r\n x: y\r\nA: b\r\n c\r\n\td\n" +
			"\r\rE: f\r\nG: h\ri\x00\r\n\r\n"), content{size: 5},
			crlf("HTTP/1.1 200 a b ", "A: b c d", "E: f", "G: h i", "Content-Length: 5")},
		{"framing in odd spelling", "", head("HTTP/1.1 200 OK\r\nContent-Length : 4\r\nA: b\r\n" +
			"Content-\r\n Length: 3\r\nTransfer\x00-Encoding: chunked\r\nContent-Length\r\n\r\n"),
			content{size: 5}, crlf(ok, "A: b", "Content-Length: 5")},
		{"cut in the head", "", head("HTTP/1.1 200 OK\r\nA: b\r\nC: d"), content{cut: true},
			crlf(ok, "A: b", "C: d")},
		{"205 with a body", "", crlf("HTTP/1.1 205 Reset Content", "Content-Length: 5"),
			content{size: 5}, crlf("HTTP/1.1 205 Reset Content", "Content-Length: 0")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.head
			fit := fits(c.head, c.method, c.stored)
			if !fit {
				got = reframed(c.head, c.stored)
			}
			if fit != (c.want == nil) || !fit && string(got) != string(c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			isFramed(t, got, c.method, c.stored)
		})
	}
}

// isFramed tests that the reader of the relay finds what is stored behind a head, and its end.
func isFramed(t *testing.T, h head, method string, c content) {
	t.Helper()
	res, err := http1.ParseResponse(h, &http1.Request{HeadRequested: method == http.MethodHead})
	if err != nil {
		t.Fatalf("%q is refused: %v", h, err)
	}
	if end, _ := http1.HeadEnd(h, 0); end != len(h) {
		t.Fatalf("%q has its end at %d", h, end)
	}
	switch res.Framing {
	case http1.Sized:
		if c.chunked || res.Length < c.size || res.Length > c.size && !c.cut {
			t.Errorf("%q: %d bytes, of %d", h, res.Length, c.size)
		}
	case http1.Chunked:
		if !c.chunked && (!c.cut || c.size > 0) {
			t.Errorf("%q has no chunks", h)
		}
	}
	if res.Status < 200 {
		t.Errorf("%q is no answer", h)
	}
}

// FuzzFramed: whatever head a file has, the one that goes out is read in one way, ends where what is
// stored ends, and names no field twice that it did not.
func FuzzFramed(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), int64(5), uint8(0))
	f.Add([]byte("HTTP/2 200\r\n:status: 200\r\nContent-Length : 5\r\n\r\n"), int64(7), uint8(1))
	f.Add([]byte("ICY 200 OK\n x\n\x00Transfer-Encoding:\r x\nTransfer-\n Encoding: chunked"), int64(1),
		uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, size int64, flags uint8) {
		h := head(b)
		if end, _ := http1.HeadEnd(b, 0); end >= 0 {
			h = h[:end]
		}
		stored := content{max(size, 0), flags&1 > 0, flags&2 > 0, flags&4 > 0}
		answer := h
		if !fits(h, "", stored) {
			if status, _ := statusOf(firstLine(h)); status < 200 {
				return
			}
			answer = reframed(h, stored)
			if len(answer) > 2*len(h)+64 { // LF becomes CRLF
				t.Fatalf("%q has become %q", h, answer)
			}
		} else if status, _ := statusOf(firstLine(h)); status < 200 {
			return
		}
		isFramed(t, answer, "", stored)
		for _, again := range []head{partHead(h, parts8), wholeHead(h, 9), notModifiedHead(h)} {
			if status, _ := statusOf(firstLine(h)); status == http.StatusResetContent {
				continue
			}
			isFramed(t, again, "", content{size: 9})
		}
	})
}

func firstLine(h head) []byte {
	line, _ := cutLine(h)
	return line
}

// TestLongHeads: a head of 1 MiB that is to be made anew is gone through a few times.
func TestLongHeads(t *testing.T) {
	for name, fields := range map[string]string{
		"folds":   "A: b\r\n" + strings.Repeat(" \r\n", 350_000),
		"fields":  strings.Repeat("a:\r\n", 260_000),
		"framing": strings.Repeat("Content-Length:5\r\n", 58_000),
		"nothing": strings.Repeat("\r", 1<<20),
		"colons":  strings.Repeat(":", 1<<20),
		"folded framing": "Content-" + strings.Repeat("\r\n ", 350_000) + "Length: 4\r\n" +
			strings.Repeat("b: c\r\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			h := head("HTTP/2 200 OK\r\n" + fields + "\r\n\r\n")
			start := time.Now()
			var answer head
			allocs := testing.AllocsPerRun(1, func() { answer = reframed(h, content{size: 5}) })
			if allocs > 64 {
				t.Errorf("%v allocations", allocs)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			isFramed(t, answer, "", content{size: 5})
			isFramed(t, partHead(h, parts8), "", content{size: 9})
		})
	}
}
