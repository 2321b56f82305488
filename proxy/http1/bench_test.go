package http1

import (
	"strings"
	"testing"
)

func BenchmarkFraming(b *testing.B) {
	asked := lines("GET /some/path?with=query HTTP/1.1", "Host: www.example.org",
		"Connection: keep-alive", "Cache-Control: max-age=0", "Sec-Ch-Ua: \"Chromium\";v=\"156\"",
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: text/html,application/xhtml+xml",
		"Accept-Encoding: gzip, deflate, br, zstd", "Accept-Language: en-US,en;q=0.9", "Cookie: a=b; c=d",
		"Sec-Fetch-Mode: navigate")
	answered := lines("HTTP/1.1 200 OK", "Date: Sat, 21 Nov 2026 00:00:00 GMT",
		"Content-Type: text/html; charset=utf-8", "Content-Length: 10240", "Cache-Control: max-age=600",
		"Etag: \"abc\"", "Server: nginx", "Vary: Accept-Encoding")
	b.Run("request head", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			HeadEnd(asked, 0)
			if _, err := ParseRequest(asked); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("forwarded head", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			req, err := ParseRequest(asked)
			if err != nil {
				b.Fatal(err)
			}
			dst = req.Forward(dst[:0], asked, nil, Change{Codings: &usual})
		}
	})
	b.Run("response head", func(b *testing.B) {
		b.ReportAllocs()
		req := &Request{}
		for b.Loop() {
			HeadEnd(answered, 0)
			if _, err := ParseResponse(answered, req); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("chunked body", func(b *testing.B) {
		wire := []byte(strings.Repeat("1000\r\n"+strings.Repeat("x", 0x1000)+"\r\n", 8) + "0\r\n\r\n")
		b.SetBytes(int64(len(wire)))
		b.ReportAllocs()
		for b.Loop() {
			body := ResponseBody(&Message{Framing: Chunked})
			if _, err := body.Take(wire); err != nil || !body.Done() {
				b.Fatal(err)
			}
		}
	})
}
