package removing

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// TestRemoveFraming: a body that is moved behind a head that says that it comes in chunks is in one.
func TestRemoveFraming(t *testing.T) {
	for name, body := range map[string]string{
		"a text": text("one"), "what looks like chunks": "5\r\nhello\r\n0\r\n\r\n", "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			sum := record.SHA1.SumBytes([]byte(body))
			digest := "WARC-Payload-Digest: " + sum.String()
			revisit := again(2, "/chunked", digest, "/plain", 1)
			short, long := "Content-Type: text/html\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"
			revisit = strings.Replace(revisit, short, long, 1)
			n := len("HTTP/1.1 200 OK\r\n")
			revisit = strings.Replace(revisit, "Content-Length: "+strconv.Itoa(n+len(short)),
				"Content-Length: "+strconv.Itoa(n+len(long)), 1)
			r := strange(t, stranger("response", 1, "/plain", page(body), digest)+revisit)
			done := r.remove(selection.Selection{URL: "https://example.com/plain"}, nil)
			if done.Captures != 1 || done.Moved != 1 {
				t.Fatalf("%+v", done)
			}
			files := readback.New(r.dir, r.Index())
			defer files.Close()
			err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
				response, err := files.Response(c)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Close()
				got, err := io.ReadAll(response.Entity())
				if string(got) != body || !response.Chunked || err != nil {
					t.Errorf("%s%.50s, in chunks: %v, %v", response.Head, got, response.Chunked, err)
				}
				return true
			})
			if err != nil {
				t.Error(err)
			}
			r.verified()
		})
	}
}
