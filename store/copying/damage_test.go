package copying

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/selection"
)

// first returns the first capture of a URL.
func (o *opened) first(t *testing.T, url string) (found store.Capture) {
	t.Helper()
	err := o.index.Captures(store.Query{URL: url}, func(c *store.Capture) bool {
		found = *c
		return false
	})
	if err != nil || found.File == "" {
		t.Fatal(found, err)
	}
	return found
}

// change changes bytes of a file of the collection.
func (o *opened) change(t *testing.T, at store.Location, offset int64, text string) {
	t.Helper()
	f, err := os.OpenFile(o.dir.WARC(at.File), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt([]byte(text), at.Offset+offset)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamage: what is not what the index says is an error with file and offset, whichever way it is
// copied.
func TestDamage(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, o *opened, at store.Location)
	}{
		{"no member", func(t *testing.T, o *opened, at store.Location) { o.change(t, at, 0, "xx") }},
		{"another end", func(t *testing.T, o *opened, at store.Location) {
			o.change(t, at, at.Length-4, "\xff\xff\xff")
		}},
		{"zeros", func(t *testing.T, o *opened, at store.Location) {
			o.change(t, at, 0, strings.Repeat("\x00", int(at.Length)))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := site(t, nil).rest()
			c := o.first(t, "https://example.com/d")
			test.change(t, o, c.Location)
			for _, sel := range []selection.Selection{{}, {URL: c.URL}, {From: "2026"},
				{Files: []string{c.File}}} {
				_, err := o.copyTo(t, sel, Options{})
				if err == nil || !strings.Contains(err.Error(), c.File) ||
					!strings.Contains(err.Error(), fmt.Sprint(c.Offset)) {
					t.Errorf("%+v: the error is %v", sel, err)
				}
			}
			for _, options := range []Options{{Size: 2000}, {NoRevisits: true}} {
				if _, err := o.copyTo(t, selection.Selection{}, options); err == nil {
					t.Errorf("%+v: no error", options)
				}
			}
		})
	}
}

// TestDamagedNeighbour: a capture before damage is copied with its request, and the damage is counted.
func TestDamagedNeighbour(t *testing.T) {
	o := site(t, nil).rest()
	d := o.first(t, "https://example.com/d")
	var urls []string
	err := o.index.Captures(store.Query{}, func(c *store.Capture) bool {
		if c.File == d.File && c.URL != d.URL && c.Method == "" {
			urls = append(urls, c.URL)
		}
		return true
	})
	if err != nil || len(urls) < 2 {
		t.Fatal(urls, err)
	}
	whole := make(map[string]int)
	for _, url := range urls {
		whole[url] = len(records(t, o.mustCopy(t, selection.Selection{URL: url}, Options{}).dir))
	}
	o.change(t, d.Location, 0, "xx")
	damaged := int64(0)
	for _, url := range urls {
		c := o.mustCopy(t, selection.Selection{URL: url}, Options{})
		damaged += c.report.Damaged.Number
		if got := len(records(t, c.dir)); got != whole[url] {
			t.Errorf("%s: %d records are copied, and %d without damage", url, got, whole[url])
		}
		if n := c.report.Damaged.Number; n > 0 && !strings.Contains(c.report.Damaged.First.Error(), d.File) {
			t.Errorf("%s: %v", url, c.report.Damaged.First)
		}
	}
	if damaged == 0 {
		t.Error("no capture lies before the damage")
	}
}

// TestAway: captures whose file is missing, or cut, are counted, and so are revisits without originals;
// all else is copied.
func TestAway(t *testing.T) {
	for _, all := range []selection.Selection{{}, {From: "2026"}} {
		o := site(t, nil).rest()
		a, b := o.first(t, "https://example.com/a"), o.first(t, "https://example.com/empty")
		if err := os.Remove(o.dir.WARC(a.File)); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(o.dir.WARC(b.File), b.Offset+1); err != nil {
			t.Fatal(err)
		}
		c := o.mustCopy(t, all, Options{})
		if c.report.Away.Number != 4 || c.report.Away.First == nil || len(c.lines) != 8 {
			t.Errorf("%d lines, %+v", len(c.lines), c.report)
		}
		if c.report.Orphans.Number == 0 && all.From != "" {
			t.Errorf("%+v", c.report)
		}
		c = o.mustCopy(t, all, Options{NoRevisits: true})
		if c.report.Away.Number != 4 || len(c.lines) != 8 || c.report.Orphans.Number == 0 {
			t.Errorf("%d lines, %+v", len(c.lines), c.report)
		}
	}
}

// TestPageAway: of a page everything is copied but what lies in a file that is missing, which is counted.
func TestPageAway(t *testing.T) {
	const url = "https://example.com/page"
	r := begin(t, nil)
	names := map[string]string{}
	for _, name := range []string{url, url + "/1", url + "/2"} {
		kind := "text/html"
		if name != url {
			kind = "text/plain"
		}
		r.send("GET", name, "", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: "+kind+"\r\n\r\ntext")
		finished, err := r.Rotate(t.Context())
		if err != nil || len(finished) != 1 {
			t.Fatal(finished, err)
		}
		names[name] = filepath.Base(finished[0])
	}
	o := r.rest()
	if err := os.Remove(o.dir.WARC(names[url+"/1"])); err != nil {
		t.Fatal(err)
	}
	c := o.mustCopy(t, selection.Selection{Page: url}, Options{})
	if first := c.report.Away.First; len(c.lines) != 2 || c.report.Away.Number != 1 ||
		!strings.Contains(first.Error(), names[url+"/1"]) {
		t.Errorf("%d lines, %+v", len(c.lines), c.report)
	}
}

// TestReplaced: what has changed between the look at a record and its copy is an error.
func TestReplaced(t *testing.T) {
	o := site(t, nil).rest()
	sel := selection.Selection{URL: "https://example.com/chunked"}
	plan, err := Make(t.Context(), o.source, sel, Options{Name: func(int) string { return "part" }})
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	c := o.first(t, sel.URL)
	request := store.Location{File: c.File, Offset: c.Offset + c.Length}
	_, err = plan.Copy(t.Context(), Into{
		Open: func(string, int64) (io.WriteCloser, error) {
			o.change(t, request, 0, "xx")
			return discard{}, nil
		},
		Placed: func(*selection.Chosen, store.Location) error { return nil },
	})
	if err == nil || !strings.Contains(err.Error(), c.File) {
		t.Error(err)
	}
}

// TestCancel: a copy ends where its context does, and where it cannot be written.
func TestCancel(t *testing.T) {
	o := site(t, nil).rest()
	full := errors.New("no space left on device")
	for _, sel := range []selection.Selection{{}, {From: "2026"}} {
		plan, err := Make(t.Context(), o.source, sel, Options{Name: func(int) string { return "part" }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err = plan.Copy(ctx, Into{
			Open:     func(string, int64) (io.WriteCloser, error) { return discard{}, nil },
			Placed:   func(*selection.Chosen, store.Location) error { return nil },
			Progress: func(int64) { cancel() },
		})
		if err := errors.Join(err, plan.Close()); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", sel, err)
		}
		if _, err := Make(ctx, o.source, sel, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: planned, %v", sel, err)
		}
		if plan, err = Make(t.Context(), o.source, sel, Options{Name: func(int) string { return "" }}); err != nil {
			t.Fatal(err)
		}
		_, err = plan.Copy(t.Context(), Into{
			Open:   func(string, int64) (io.WriteCloser, error) { return discard{full}, nil },
			Placed: func(*selection.Chosen, store.Location) error { return nil },
		})
		if err := errors.Join(err, plan.Close()); !errors.Is(err, full) {
			t.Errorf("%+v: %v", sel, err)
		}
	}
}

// discard takes all, or nothing.
type discard struct{ err error }

func (d discard) Write(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	return len(p), nil
}

func (d discard) Close() error { return nil }
