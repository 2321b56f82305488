package removing

import (
	"os"
	"strings"
	"testing"

	"warcorder/store/selection"
)

// notModified is the profile of a revisit that answers 304.
const notModified = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"

// hush is what is removed here, and never to be named again.
var hush = selection.Selection{URL: "https://example.com/hush"}

// TestRemoveNames: nothing that stays names what went, whatever digest it has, and however it writes the
// time.
func TestRemoveNames(t *testing.T) {
	a := stranger("response", 1, "/hush", page(text("aaaa")), digestA)
	b := stranger("response", 3, "/r", page(text("bbbb")), digestB)
	confirming := func(digest string) string {
		return stranger("revisit", 2, "/r", "HTTP/1.1 304 Not Modified\r\n\r\n", digest, notModified,
			"WARC-Refers-To-Target-URI: https://example.com/hush", "WARC-Refers-To-Date: "+dateOf(1))
	}
	for name, text := range map[string]string{
		"a revisit with another digest": a + b + again(5, "/r", digestB, "/hush", 1),
		"a revisit without an original": a + again(5, "/r", digestB, "/hush", 1),
		"a 304 with another digest":     a + confirming(digestB),
		"a 304 of whole seconds": strings.Replace(a, dateOf(1), "2026-01-01T00:00:01.250Z", 1) +
			confirming("X-None: 1"),
		"a revisit of whole seconds": strings.Replace(a, dateOf(1), "2026-01-01T00:00:01.250Z", 1) +
			again(5, "/r", digestA, "/hush", 1),
		"a date of the year": strings.Replace(a, dateOf(1), "2026", 1) +
			strings.Replace(again(5, "/r", digestA, "/hush", 1), "To-Date: "+dateOf(1), "To-Date: 2026", 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := strange(t, text)
			done := r.remove(hush, func(w *Wish) { w.Forget = true })
			b, err := os.ReadFile(r.dir.WARC("x0.warc"))
			if err != nil || done.Captures != 1 || strings.Contains(string(b), "hush") {
				t.Errorf("%+v, %v: %s", done, err, b)
			}
			r.verified()
		})
	}
}
