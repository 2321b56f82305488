package recorder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const browserRequest = "GET /static/app.js?v=12345 HTTP/1.1\r\nHost: www.example.com\r\n" +
	"Connection: keep-alive\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/140.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate, br\r\n" +
	"Accept-Language: en-US,en;q=0.9\r\n" +
	"Referer: https://www.example.com/\r\nCookie: session=0123456789abcdef\r\n\r\n"

// bodies are what the benchmarks record: Go source as text, random bytes as what is encoded.
func bodies(b *testing.B) map[string]string {
	var source strings.Builder
	names, _ := filepath.Glob("*.go")
	for source.Len() < 1<<20 {
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			source.Write(text)
		}
	}
	all := make(map[string]string)
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10} {
		all["text-"+sizeName(size)] = page(200, "text/html", "", source.String()[:size])
		all["encoded-"+sizeName(size)] = page(200, "text/html", "br", randomBytes(size))
	}
	return all
}
