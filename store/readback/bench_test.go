package readback

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// textOf returns a page of about so many bytes, as pages are: words and tags.
func textOf(size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the archive of a page that was seen <p> </p> <div class=\"row\"> </div> " +
		"once and then again by many who had come to look <a href=\"/next\"> </a>")
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%s%d ", words[random.IntN(len(words))], random.IntN(100))
	}
	return b.String()[:size]
}

// BenchmarkResponse reads a response of 10 KB back, as it is deflated, stored and at rest.
func BenchmarkResponse(b *testing.B) {
	r := record(b, nil)
	head := "HTTP/1.1 200 OK\r\nDate: Sun, 22 Nov 2026 10:00:00 GMT\r\nServer: nginx\r\nContent-Type: %s\r\n" +
		"Content-Length: 10240\r\nETag: \"abc\"\r\nCache-Control: max-age=3600\r\n\r\n"
	random := make([]byte, 10<<10)
	rand.NewChaCha8([32]byte{}).Read(random)
	r.commit("http://example.com/text", fmt.Sprintf(head, "text/html")+textOf(10<<10), nil)
	r.commit("http://example.com/image", fmt.Sprintf(head, "image/png")+string(random), nil)
	r.wait("http://example.com/text", 1)
	r.wait("http://example.com/image", 1)
	r.rest()
	for _, name := range []string{"text", "image"} {
		c := r.wait("http://example.com/"+name, 1)[0]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				response, err := r.files.Response(&c)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, response.Entity()); n != 10<<10 || err != nil {
					b.Fatal(n, err)
				}
				response.Close()
			}
		})
	}
}
