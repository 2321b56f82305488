package copying

import (
	"os"
	"path/filepath"
	"testing"

	"warcorder/store"
	"warcorder/store/selection"
)

// TestCopy: whatever is selected stands alone, and is what it was, byte for byte.
func TestCopy(t *testing.T) {
	o := site(t, nil).rest()
	names, err := filepath.Glob(filepath.Join(o.dir.Archive(), "*.warc.gz"))
	if err != nil || len(names) != 4 {
		t.Fatal(names, err)
	}
	originals := records(t, o.dir.Archive())
	host := selection.Selection{URL: "https://example.com/", Match: store.Host}
	for _, test := range []struct {
		name            string
		sel             selection.Selection
		options         Options
		captures, files int
		needed          int
	}{
		{"all", selection.Selection{}, Options{}, 12, 4, 0},
		{"all, in short files", selection.Selection{}, Options{Size: 5000}, 12, 6, 0},
		{"a file", selection.Selection{Files: []string{filepath.Base(names[1])}}, Options{}, 6, 2, 2},
		{"a URL", selection.Selection{URL: "https://example.com/b"}, Options{}, 2, 1, 1},
		{"a URL, posted", selection.Selection{URL: "https://example.com/c"}, Options{}, 1, 1, 0},
		{"a host", host, Options{}, 10, 1, 1},
		{"a host, in short files", host, Options{Size: 3000}, 10, 6, 1},
		{"nothing", selection.Selection{URL: "https://example.com/nothing"}, Options{}, 0, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := o.mustCopy(t, test.sel, test.options)
			if len(c.lines) != test.captures || c.report.Files != test.files || c.needed != test.needed ||
				c.report.Captures != int64(test.captures) {
				t.Errorf("%d captures, %d of them needed, %+v", len(c.lines), c.needed, c.report)
			}
			for id, member := range records(t, c.dir) {
				if member != originals[id] {
					t.Errorf("%s has changed", id)
				}
			}
			if again := c.reopened(t); again != nil {
				sameTexts(t, again.shown(t, selection.Selection{}, true), o.shown(t, test.sel, true))
			}
		})
	}
}

// TestCopyWhole: a file all of which is selected is copied as it is.
func TestCopyWhole(t *testing.T) {
	o := site(t, nil).rest()
	c := o.mustCopy(t, selection.Selection{}, Options{})
	names, _ := filepath.Glob(filepath.Join(o.dir.Archive(), "*"))
	for _, name := range names {
		want, err := os.ReadFile(name)
		got, err2 := os.ReadFile(filepath.Join(c.dir, filepath.Base(name)))
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%s: %v, %v", name, err, err2)
		}
	}
}

// TestNoRevisits: revisits become responses that all can read, with digests that are right.
func TestNoRevisits(t *testing.T) {
	o := site(t, nil).rest()
	for _, sel := range []selection.Selection{
		{},
		{URL: "https://example.com/b"},
		{URL: "https://example.com/big"},
		{URL: "https://tagged.example/", Match: store.Host},
	} {
		c := o.mustCopy(t, sel, Options{NoRevisits: true})
		if c.report.Renewed == 0 {
			t.Errorf("%+v", c.report)
		}
		again := c.reopened(t)
		sameTexts(t, again.shown(t, selection.Selection{}, true), o.shown(t, sel, true))
		for one, err := range again.source.Captures(t.Context(), selection.Selection{}) {
			if err != nil || one.IsRevisit() {
				t.Errorf("%s is a revisit, %v", one.URL, err)
			}
		}
	}
}
