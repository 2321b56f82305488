package removing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/selection"
)

// TestVersionsMove: what the recorder has read of a page before a removal is not taken for what lies
// in its place afterwards: a 304 of another page, whose record has moved there and is as long, refers
// to that.
func TestVersionsMove(t *testing.T) {
	const first = "https://example.com/000"
	r := start(t, nil)
	confirm := func(url string) {
		r.send("GET", url, "If-None-Match: \"one\"\r\n", "", "HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n")
	}
	for i := range 100 { // of which some come to be as long as the first, compressed
		url := fmt.Sprintf("https://example.com/%03d", i)
		r.get(url, strings.Replace(page(text(url)), "\r\n", "\r\nETag: \"one\"\r\n", 1))
	}
	var all []store.Capture
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	same := slices.IndexFunc(all[1:], func(c store.Capture) bool { return c.Length == all[0].Length })
	if same < 0 {
		t.Fatal("no other is as long: this tests nothing")
	}
	kept := all[1+same]
	confirm(first) // for which its first version is read
	r.remove(selection.Selection{To: seconds(1 + same)}, nil)
	r.remove(selection.Selection{From: seconds(3 + same)}, nil)
	confirm(kept.URL)
	if in := r.found("WARC-Refers-To-Target-URI: " + kept.URL); len(in) != 1 {
		t.Errorf("the 304 of %s does not refer to its page: %q", kept.URL, in)
	}
	r.verified()
}
