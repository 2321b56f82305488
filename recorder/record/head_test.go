package record

import (
	"strings"
	"testing"
)

func TestParseHead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		size       int // -1: all
		status     int
		mime       string
		protocol   string
		encoded    bool
	}{
		{"usual", "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\nbody\r\n\r\n", 59,
			200, "text/html", "http/1.1", false},
		{"no fields", "HTTP/1.0 204 No Content\r\n\r\n", -1, 204, "", "http/1.0", false},
		{"LF only", "HTTP/1.1 404 Not Found\nContent-Type: a/b\n\nx", 42, 404, "a/b", "http/1.1", false},
		{"CRLF and LF", "HTTP/1.1 200 OK\nContent-Type: a/b\r\n\nx", 36, 200, "a/b", "http/1.1", false},
		{"no end", "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Le",
			-1, 200, "a/b", "http/1.1", false},
		{"cut in the value", "HTTP/1.1 200 OK\r\nContent-Type: text/ht",
			-1, 200, "text/ht", "http/1.1", false},
		{"cut in the status line", "HTTP/1.1 20", -1, 0, "", "http/1.1", false},
		{"no reason", "HTTP/1.1 301\r\n\r\n", -1, 301, "", "http/1.1", false},
		{"two spaces", "HTTP/1.1  200 OK\r\n\r\n", -1, 200, "", "http/1.1", false},
		{"not HTTP", "ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n", -1, 200, "audio/mpeg", "", false},
		{"no status", "hello\r\n\r\n", -1, 0, "", "", false},
		{"status no number", "HTTP/1.1 abc\r\n\r\n", -1, 0, "", "http/1.1", false},
		{"empty", "", -1, 0, "", "", false},
		{"blank line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", 2, 0, "", "", false},
		{"names in any case, space before the colon", "HTTP/1.1 200 OK\r\ncOnTeNt-TyPe \t: a/b\r\n\r\n",
			-1, 200, "a/b", "http/1.1", false},
		{"no space after the colon", "HTTP/1.1 200 OK\r\nContent-Type:a/b\r\n\r\n",
			-1, 200, "a/b", "http/1.1", false},
		{"folded", "HTTP/1.1 200 OK\r\nContent-Type:\r\n\ttext/css;\r\n charset=x\r\n\r\n", -1, 200,
			"text/css", "http/1.1", false},
		{"folded line of another field", "HTTP/1.1 200 OK\r\nX: y\r\n Content-Type: a/b\r\n\r\n", -1, 200,
			"", "http/1.1", false},
		{"no colon", "HTTP/1.1 200 OK\r\nContent-Type\r\nContent-Type: a/b\r\n\r\n",
			-1, 200, "a/b", "http/1.1", false},
		{"two types", "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n",
			-1, 200, "a/b", "http/1.1", false},
		{"space in the type", "HTTP/1.1 200 OK\r\nContent-Type: a/b charset=x\r\n\r\n",
			-1, 200, "a/b", "http/1.1", false},
		{"Latin-1", "HTTP/1.1 200 OK\r\nContent-Type: t\xe9xt/x\r\n\r\n",
			-1, 200, "téxt/x", "http/1.1", false},
		{"UTF-8", "HTTP/1.1 200 OK\r\nContent-Type: téxt/x\r\n\r\n",
			-1, 200, "téxt/x", "http/1.1", false},
		{"encoded", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n", -1, 200, "", "http/1.1", true},
		{"identity", "HTTP/1.1 200 OK\r\nContent-Encoding: Identity\r\n\r\n",
			-1, 200, "", "http/1.1", false},
		{"encoded twice",
			"HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\ncontent-encoding: gzip\r\n\r\n", -1, 200, "",
			"http/1.1", true},
		{"line of spaces is no end", "HTTP/1.1 200 OK\r\n \r\nContent-Type: a/b\r\n\r\n",
			-1, 200, "a/b", "http/1.1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ParseHead([]byte(c.text))
			if c.size < 0 {
				c.size = len(c.text)
			}
			if h.Size != c.size || h.Status() != c.status || Text(h.MIME()) != c.mime ||
				h.protocol() != c.protocol || h.encoded != c.encoded {
				t.Errorf("size %d, status %d, MIME %q, protocol %q, encoded %t", h.Size, h.Status(),
					Text(h.MIME()), h.protocol(), h.encoded)
				t.Errorf("want %d, %d, %q, %q, %t", c.size, c.status, c.mime, c.protocol, c.encoded)
			}
		})
	}
}

func TestMethodOfRequest(t *testing.T) {
	for line, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n": "GET", "M-SEARCH * HTTP/1.1": "M-SEARCH", "": "", "x": "x",
	} {
		h := ParseHead([]byte(line))
		if got := string(h.Method()); got != want {
			t.Errorf("method of %q: %q, want %q", line, got, want)
		}
	}
}

func TestContentLength(t *testing.T) {
	for head, want := range map[string]int64{
		"POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n":  12,
		"POST / HTTP/1.1\ncontent-length :0\n\n":         0,
		"POST / HTTP/1.1\r\n\r\n":                        -1,
		"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n":   -1,
		"POST / HTTP/1.1\r\nX-Content-Length: 5\r\n\r\n": -1,
		"": -1,
	} {
		if got := contentLength([]byte(head)); got != want {
			t.Errorf("contentLength(%q) = %d, want %d", head, got, want)
		}
	}
}

func FuzzParseHead(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n c\r\n\r\nbody")
	f.Fuzz(func(t *testing.T, message string) {
		h := ParseHead([]byte(message))
		if h.Size > len(message) || h.Size < min(1, len(message)) {
			t.Fatalf("size %d of %q", h.Size, message)
		}
		if h.Size < len(message) && !strings.HasSuffix(message[:h.Size], "\n") {
			t.Fatalf("head ends with %q", message[:h.Size])
		}
		if again := ParseHead([]byte(message)[:h.Size]); again.Size != h.Size ||
			again.Status() != h.Status() {
			t.Fatalf("the head alone is read otherwise: %+v, %+v", h, again)
		}
	})
}

func BenchmarkParseHead(b *testing.B) {
	head := []byte("HTTP/1.1 200 OK\r\nDate: Tue, 15 Nov 1994 08:12:31 GMT\r\n" +
		"Server: Apache/2.4.1 (Unix)\r\nContent-Type: text/html; charset=utf-8\r\n" +
		"Cache-Control: public, max-age=3600\r\nETag: \"5d8c72a5edda8d6a\"\r\n" +
		"Vary: Accept-Encoding\r\nX-Frame-Options: DENY\r\n" +
		"Strict-Transport-Security: max-age=63072000\r\nConnection: keep-alive\r\n" +
		"Content-Length: 0\r\n\r\n")
	for b.Loop() {
		h := ParseHead(head)
		h.Status()
	}
}
