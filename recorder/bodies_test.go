package recorder

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/recorder/record"
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

// example is an exchange with something in every field.
func example() *Exchange {
	started := time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.FixedZone("", 3600))
	return &Exchange{Facts: record.Facts{
		Started:  started,
		Ended:    started.Add(1234567 * time.Microsecond),
		URL:      "https://example.com/",
		Method:   "GET",
		RemoteIP: netip.MustParseAddr("192.0.2.1"),
		TLS:      tls.VersionTLS13,
		Cipher:   tls.TLS_AES_128_GCM_SHA256,
	}}
}

const (
	exampleRequest  = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
	exampleResponse = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
		"5\r\n\r\nhello"
)

// postOf is a request with a body.
func postOf(method, fields, body string) string {
	return method + " /form?q=1 HTTP/1.1\r\nHost: example.com\r\n" + fields + "\r\n" + body
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

// answerOf is a response with those head lines and that body.
func answerOf(status int, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n%s", status, fields, body)
}

const inChunks = "Transfer-Encoding: chunked\r\n"

// chunkedBy is a body in chunks of that size.
func chunkedBy(size int, body string) string {
	var b strings.Builder
	for part := range slices.Chunk([]byte(body), size) {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
	}
	return b.String() + "0\r\n\r\n"
}

var body2K = strings.Repeat("0123456789abcdef", 128)

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
