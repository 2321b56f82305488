package http1

import (
	"testing"

	"warcorder/proxy/http1/http1test"
)

// lines writes a head with CRLF line ends.
var lines = http1test.Head

func TestRequestFraming(t *testing.T) {
	for name, c := range map[string]struct {
		head    []byte
		framing Framing
		length  int64
		keep    bool
	}{
		"GET":                 {lines("GET / HTTP/1.1", "Host: a"), NoBody, 0, true},
		"HTTP/1.0":            {lines("GET / HTTP/1.0", "Host: a"), NoBody, 0, false},
		"HTTP/1.0 keep-alive": {lines("GET / HTTP/1.0", "connection: Keep-Alive"), NoBody, 0, true},
		"close among others":  {lines("GET / HTTP/1.1", "Connection: te, Close"), NoBody, 0, false},
		"sized":               {lines("POST / HTTP/1.1", "Content-Length: 12"), Sized, 12, true},
		"sized, odd case":     {lines("POST / HTTP/1.1", "cOnTeNt-lEnGtH:12\t"), Sized, 12, true},
		"length zero":         {lines("POST / HTTP/1.1", "Content-Length: 0"), NoBody, 0, true},
		"equal lengths": {lines("POST / HTTP/1.1", "Content-Length: 5", "Content-Length: 5"), Sized, 5,
			true},
		"equal lengths in a list": {lines("POST / HTTP/1.1", "Content-Length: 5, 5"), Sized, 5, true},
		"chunked":                 {lines("POST / HTTP/1.1", "Transfer-Encoding: chunked"), Chunked, 0, true},
		"gzip, chunked":           {lines("POST / HTTP/1.1", "Transfer-Encoding: gzip, Chunked"), Chunked, 0, true},
		"codings on two lines": {lines("POST / HTTP/1.1", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
			Chunked, 0, true},
		"LF only":                       {[]byte("POST / HTTP/1.1\nContent-Length: 3\n\n"), Sized, 3, true},
		"folded other field":            {lines("GET / HTTP/1.1", "X-A: 1", "\tmore"), NoBody, 0, true},
		"line without colon":            {lines("GET / HTTP/1.1", "nonsense"), NoBody, 0, true},
		"8-bit bytes":                   {lines("GET /\xe9 HTTP/1.1", "X: \xff"), NoBody, 0, true},
		"space before colon of another": {lines("GET / HTTP/1.1", "X-A : 1"), NoBody, 0, true},
		"a target like a version":       {lines("GET HTTP/1.0/HTTP/1.1 HTTP/1.1"), NoBody, 0, true},
		"spaces in the target":          {lines("GET /a b HTTP/1.1"), NoBody, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := ParseRequest(c.head)
			if err != nil {
				t.Fatal(err)
			}
			if req.Framing != c.framing || req.Length != c.length || req.KeepAlive != c.keep {
				t.Errorf("%v length %d keep %v, want %v %d %v", req.Framing, req.Length, req.KeepAlive,
					c.framing, c.length, c.keep)
			}
		})
	}
}

func TestRequestsRefused(t *testing.T) {
	for name, head := range map[string][]byte{
		"TE without chunked":     lines("POST / HTTP/1.1", "Transfer-Encoding: gzip"),
		"TE that looks chunked":  lines("POST / HTTP/1.1", "Transfer-Encoding: xchunked"),
		"TE with a vertical tab": lines("POST / HTTP/1.1", "Transfer-Encoding: \x0bchunked"),
		"TE in HTTP/1.0":         lines("POST / HTTP/1.0", "Transfer-Encoding: chunked"),
		"HTTP/0.9":               lines("GET /"),
		"HTTP/2.0":               lines("PRI * HTTP/2.0"),
		"no target":              lines("GET  HTTP/1.1"),
		"method not a token":     lines("G(T / HTTP/1.1"),
		"HTTP/1.10":              lines("GET / HTTP/1.10"),
		"two versions":           lines("POST / HTTP/1.0 HTTP/1.1", "Transfer-Encoding: chunked"),
		"two versions, a tab":    lines("POST /\tHTTP/1.0 HTTP/1.1", "Transfer-Encoding: chunked"),
		"two versions, a VT":     lines("POST /HTTP/\x0bHTTP/1.0 HTTP/1.1"),
		"LF hides a length":      []byte("POST / HTTP/1.1\r\nX: y\nContent-Length: 5\r\n\r\n"),
		"fold before any field":  lines("GET / HTTP/1.1", " Proxy-Authorization: x"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseRequest(head); err == nil {
				t.Error("accepted")
			}
		})
	}
}
