package recorder

import (
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
)

// BenchmarkHasConfirmed looks for what one 304 would confirm, in an index of 10,000 captures: what
// a conditional request waits for before it goes out.
func BenchmarkHasConfirmed(b *testing.B) {
	const pages = 5000
	r, err := Open(Config{}, collection.Dir(b.TempDir()), zerolog.Nop())
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	commit := func(url, answer string) {
		x := r.Begin()
		x.Started, x.URL, x.Method = time.Now(), url, "GET"
		x.Request.Write([]byte(exampleRequest))
		x.Response.Write([]byte(answer))
		x.Commit()
	}
	text := randomText(100 << 10)
	for i := range pages {
		commit(fmt.Sprintf("http://example.com/%d", i), answerOf(200, fmt.Sprintf("ETag: \"%d\"\r\n", i), text[i:]))
		commit("http://example.com/often", answerOf(200, fmt.Sprintf("ETag: \"%d\"\r\n", i), fmt.Sprint(i)))
		commit("http://example.com/errors", answerOf(404, "", fmt.Sprint(i)))
	}
	for r.Status().Exchanges < 3*pages {
		r.Index()
	}
	r.Index()
	for _, c := range []struct {
		name, url, tag string
		want           bool
	}{
		{"latest", "http://example.com/17", "17", true},
		{"none", "http://example.com/none", "17", false},
		{"in vain", "http://example.com/often", "x", false},
		{"errors", "http://example.com/errors", "x", false},
	} {
		request := []byte("GET / HTTP/1.1\r\nHost: example.com\r\nIf-None-Match: \"" + c.tag + "\"\r\n\r\n")
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r.HasConfirmed(c.url, request) != c.want {
					b.Fatal(c.url)
				}
			}
		})
	}
}
