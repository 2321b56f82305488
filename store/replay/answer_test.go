package replay

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/http1"
	"warcorder/store"
)

// answered is an answer as it goes out, byte for byte.
func (s *stock) answered(method string, fields ...string) (answer, rest string) {
	s.t.Helper()
	start := crlf(append([]string{method + " / HTTP/1.1", "Host: example.com"}, fields...)...)
	h, body, err := s.Answer(context.Background(), method, "http://example.com/", start, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer body.Close()
	b, err := io.ReadAll(body)
	if err != nil {
		b = append(b, " "+err.Error()...)
	}
	return string(h), string(b)
}

// TestVerbatim: what goes out is what came in, byte for byte, where HTTP lets it.
func TestVerbatim(t *testing.T) {
	const odd = "hTTp-odd:\tx \r\nSet-Cookie: a=b; HttpOnly\r\nset-cookie:c\r\nno colon\r\n" +
		"B\xe9 : \xff\r\n" +
		"Folded: a\r\n\tb\r\nSet-Cookie: a=b\r\nRetry-After: 7\r\nRefresh: 0; url=/x\r\n"
	for name, block := range map[string]string{
		"a page": "HTTP/1.1 200 Very Fine\r\n" + odd + "content-length:5\r\n\r\nhello",
		"chunks": "HTTP/1.1 200 OK\r\n" + odd + chunked + "\r\n" + chunks,
		"chunks in odd spelling": "HTTP/1.1 200 OK\r\nTransfer-ENCODING:\tCHUNKED\r\n\r\n" +
			"0005;a=\"b\"\r\nhello\r\n00\r\nTrailer: x\r\n\r\n",
		"a coding that lies":  "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\nhello",
		"no reason":           "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.0":            "HTTP/1.0 200 OK\r\n" + odd + "\r\nhello",
		"LF alone":            "HTTP/1.1 200 OK\nA: b\nContent-Length: 5\n\nhello",
		"a redirect":          "HTTP/1.1 302 Found\r\n" + odd + "Location: /x\r\nContent-Length: 2\r\n\r\nhi",
		"unavailable":         "HTTP/1.1 503 Nope\r\n" + odd + "Content-Length: 5\r\n\r\nhello",
		"no content":          "HTTP/1.1 204 No Content\r\n" + odd + "\r\n",
		"an error":            "HTTP/1.1 404 Not Found\r\n" + odd + "Content-Length: 0\r\n\r\n",
		"a status of its own": "HTTP/1.1 799 Whatever\r\n" + odd + "Content-Length: 5\r\n\r\nhello",
	} {
		t.Run(name, func(t *testing.T) {
			s := stockOf(t, Config{}, stocked{block: block})
			h, rest := s.answered("GET")
			if h+rest != block {
				t.Errorf("%q, want %q", h+rest, block)
			}
			end, _ := http1.HeadEnd([]byte(block), 0)
			if h, rest := s.answered("HEAD"); h != block[:end] || rest != "" {
				t.Errorf("HEAD: %q, %q, want %q", h, rest, block[:end])
			}
			if h, rest := s.answered("GET", "Range: bytes=0-1"); block[9:12] != "200" && h+rest != block {
				t.Errorf("Range: %q, want %q", h+rest, block)
			}
		})
	}
}

// TestSameRange: a part that was asked for in the same way goes out as it is stored.
func TestSameRange(t *testing.T) {
	one := part206(5, 9, "X-Part: one\r\nSet-Cookie: x\r\n")
	several := "HTTP/1.1 206 Partial Content\r\nContent-Type: multipart/byteranges; boundary=b\r\n" +
		"ETag: \"old\"\r\nContent-Length: 12\r\n\r\n--b whatever"
	s := stockOf(t, Config{}, stocked{block: one},
		stocked{block: several, request: "GET / HTTP/1.1\r\nRange: bytes=0-1,7-8\r\n\r\n", at: 1},
		stocked{block: part206(0, 19, ""), at: -1})
	if h, rest := s.answered("GET", "Range: bytes=5-9"); h+rest != one {
		t.Errorf("%q, want %q", h+rest, one)
	}
	if h, rest := s.answered("GET", "Range: bytes=0-1,7-8"); h+rest != several {
		t.Errorf("%q, want %q", h+rest, several)
	}
	if h, rest := s.answered("GET", "Range: bytes=0-1,7-8", `If-Range: "old"`); h+rest != several {
		t.Errorf("%q, want %q", h+rest, several)
	}
	if g := s.get("GET", "Range: bytes=0-1,7-8", `If-Range: "v"`); g.String() !=
		"206 0-1/20 01 7-8/20 78" {
		t.Errorf("of another version: %s", g)
	}
	if g := s.get("GET", "Range: bytes=0-1,8-9"); g.String() != "206 0-1/20 01 8-9/20 89" {
		t.Error(g)
	}
}

// TestExplained: with Explain an answer says where it comes from, and that its framing was made.
func TestExplained(t *testing.T) {
	s := stockOf(t, Config{Explain: true, At: minute(7)},
		stocked{url: "http://www.example.com/?<a>", block: whole200(sized) + twenty},
		stocked{block: whole200(sized) + twenty, at: 7}, stocked{block: whole200(sized), at: 9})
	g := s.get("GET")
	file, offset, _ := strings.Cut(g.header.Get("X-Warcorder-Capture"), ":")
	at, err := strconv.ParseInt(offset, 10, 64)
	if err != nil {
		t.Fatalf("%v", g.header)
	}
	record, err := s.files.Record(store.Location{File: file, Offset: at})
	if err != nil || record.Header.Get("WARC-Date") != minute(7).Format(time.RFC3339) {
		t.Fatalf("%v has another record: %v", g.header, err)
	}
	record.Close()
	if g.header.Get("Memento-Datetime") != "Wed, 04 Mar 2026 05:07:00 GMT" ||
		g.header.Get("Link") != `<http://example.com/>; rel="original"` {
		t.Errorf("%v", g.header)
	}
	if g := s.getURL(context.Background(), "GET", "http://example.com/?<a>"); g.header.Get("Link") !=
		`<http://www.example.com/?%3Ca%3E>; rel="original"` {
		t.Errorf("of another spelling: %v", g.header)
	}
	for fields, want := range map[string]string{"X: y": "", "Range: bytes=0-1": "made",
		"If-None-Match: *": "made"} {
		g := s.get("GET", fields)
		if got := g.header.Get("X-Warcorder-Framing"); got != want {
			t.Errorf("%s: %q, want %q", fields, got, want)
		}
		if g.header.Get("X-Warcorder-Rule") != "exact" {
			t.Errorf("%s: %v", fields, g.header)
		}
	}
}

// TestDecoded: a body that was stored without its content coding, under the head of before, loses
// the field; one whose coding is right keeps it.
func TestDecoded(t *testing.T) {
	const hello = "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\xff\xcaH\xcd\xc9\xc9\a\x04\x00\x00\xff\xff" +
		"\x86\xa6\x106\x05\x00\x00\x00"
	for coding, bodies := range map[string]map[string]bool{
		"gzip":     {"hello, hello": false, hello: true},
		"GZip":     {"hello, hello": false, hello: true},
		"br":       {"hello, hello, hello": false, "\x0b\x02\x80hello\x03": true},
		"zstd":     {"hello, hello": false},
		"sdch":     {"hello, hello": true},
		"gzip, xy": {"hello, hello": true},
	} {
		for body, keeps := range bodies {
			s := stockOf(t, Config{}, stocked{block: "HTTP/1.1 200 OK\r\nContent-Encoding: " + coding +
				"\r\nContent-Length: 3\r\n\r\n" + body})
			h, rest := s.answered("GET")
			if rest != body || strings.Contains(h, "Content-Encoding") != keeps {
				t.Errorf("%s, %q: %q, %q", coding, body, h, rest)
			}
		}
	}
}

// TestResource: what was never HTTP gets a head.
func TestResource(t *testing.T) {
	s := stockOf(t, Config{}, stocked{kind: "resource", fields: "Content-Type: text/plain\r\n",
		block: twenty})
	if g := s.get("GET"); g.String() != "200 "+twenty || g.header.Get("Content-Type") != "text/plain" {
		t.Errorf("%s, %v", g, g.header)
	}
	if g := s.get("GET", "Range: bytes=-2"); g.String() != "206 18-19/20 ij" {
		t.Error(g)
	}
}

// TestInterim: an answer that never came but for its interim head is none.
func TestInterim(t *testing.T) {
	s := stockOf(t, Config{}, stocked{block: "HTTP/1.1 100 Continue\r\n\r\n"},
		stocked{url: "http://example.com/cut", block: "HTTP/1.1 103 Early Hints\r\nLink: <", fields: cutSign})
	for _, url := range []string{"http://example.com/", "http://example.com/cut"} {
		if g := s.getURL(context.Background(), "GET", url); g.status != 404 {
			t.Errorf("%s: %s", url, g)
		}
	}
}

// TestContextEnds: who does not want the rest any more does not get it, and leaves nothing open.
func TestContextEnds(t *testing.T) {
	s := stockOf(t, Config{}, stocked{block: whole200(sized) + twenty})
	for _, fields := range []string{"X: y", "Range: bytes=1-", "Range: bytes=1-2,4-5"} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		start := crlf("GET / HTTP/1.1", fields)
		_, rest, err := s.Answer(ctx, "GET", "http://example.com/", start, nil)
		if err != nil {
			t.Fatal(err)
		}
		var one [1]byte
		if _, err := rest.Read(one[:]); err != nil {
			t.Errorf("%s: %v", fields, err)
		}
		cancel()
		if n, err := rest.Read(one[:]); n != 0 || err != context.Canceled {
			t.Errorf("%s: %d, %v", fields, n, err)
		}
		rest.Close()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	start := crlf("GET / HTTP/1.1")
	if _, rest, err := s.Answer(ctx, "GET", "http://example.com/", start, nil); err == nil {
		rest.Close()
	}
}
