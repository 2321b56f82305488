package selection

import (
	"fmt"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/readback"
)

// TestSettle: beside a recorder a selection has what is on disk, also when the index has not got it yet;
// and one of something else makes no transaction.
func TestSettle(t *testing.T) {
	r := record(t, func(c *recorder.Config) { c.IndexInterval = time.Hour })
	r.get("https://example.com/a", page("a"))
	s, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err != nil {
		t.Fatal(err)
	}
	var file string
	for _, c := range all(t, s, Selection{}) {
		file = c.File
	}
	indexed := func() int64 {
		t.Helper()
		n, err := r.IndexFor(t.Context(), store.Nothing).Count()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, c := range []struct {
		name   string
		sel    Selection
		detail Detail
		waits  bool
		found  int
	}{
		{"another URL", Selection{URL: "https://example.com/a"}, Detail{Originals: true}, false, 1},
		{"another path", Selection{URL: "https://example.com/a", Match: store.Prefix}, Detail{}, false, 1},
		{"another host", Selection{URL: "https://example.org/", Match: store.Host}, Detail{}, false, 0},
		{"another time", Selection{To: "2025"}, Detail{}, false, 0},
		{"another file", Selection{Files: []string{"other.warc.gz"}}, Detail{}, false, 0},
		{"the URL", Selection{URL: "NEW"}, Detail{}, true, 1},
		{"the path", Selection{URL: "NEW", Match: store.Prefix}, Detail{}, true, 1},
		{"the file", Selection{URL: "NEW", Files: []string{file}}, Detail{Originals: true}, true, 1},
		{"pages of another URL", Selection{URL: "https://example.com/a"}, Detail{Pages: true}, true, 1},
		{"what belongs to a page", Selection{Page: "https://example.com/a"}, Detail{}, true, 1},
		{"all", Selection{}, Detail{}, true, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.Index()
			before := indexed()
			url := fmt.Sprint("https://example.com/new/", i)
			r.write(url, page(url))
			if c.sel.URL == "NEW" {
				c.sel.URL = url
			}
			choice, err := s.Choose(t.Context(), c.sel, c.detail)
			if err != nil {
				t.Fatal(err)
			}
			n, has := 0, false
			for one, err := range choice.Captures(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				has = has || one.URL == url
			}
			if err := choice.Close(); err != nil {
				t.Error(err)
			}
			if c.found >= 0 && n != c.found || c.found < 0 && !has {
				t.Errorf("%d captures, the new one among them: %v", n, has)
			}
			if n := indexed(); (n > before) != c.waits {
				t.Errorf("%d captures in the index, %d before", n, before)
			}
		})
	}
}
