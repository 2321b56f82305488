package selection

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/pages"
	"warcorder/store/readback"
)

// TestNotModified: a page that was not modified has the title of what is shown, which may be a revisit,
// at rest and beside a recorder; what has never come has none.
func TestNotModified(t *testing.T) {
	const notModified = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"
	r := record(t, nil)
	body := page("<title>one</title>" + strings.Repeat("text", 1000))
	r.visit("https://example.com/first", "", body)
	r.visit("https://example.com/1", "", body) // a revisit
	r.visit("https://example.com/1", "", notModified)
	r.visit("https://example.com/never", "", notModified)
	beside, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Source{beside, nil} {
		if s == nil {
			s = r.source()
		}
		var titles []string
		for p, err := range s.Pages(t.Context(), Selection{}) {
			if err != nil {
				t.Fatal(err)
			}
			title, err := s.Title(t.Context(), p)
			if err != nil {
				t.Error(err)
			}
			titles = append(titles, title)
		}
		if got := strings.Join(titles, ", "); got != "one, one, one, " {
			t.Errorf("the titles are %q", got)
		}
	}
}

// TestLaterFiles: what has come in files of which a choice knows nothing gives no page to what lies at
// the same place of another.
func TestLaterFiles(t *testing.T) {
	r := record(t, nil)
	r.visit("https://other.example/x.png", "https://nowhere.example/y", page("x"))
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	s := New(r.Index(), files, pages.New(r.Index(), files))
	h, err := s.here(Selection{}, Detail{Pages: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.choice.close()
	for range 12 { // one of them begins with as many bytes as the first file
		if _, err := r.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.visit("https://example.com/p", "", page("<title>one</title>"))
	}
	err = errors.Join(h.gather(t.Context()), h.sorted.begin(), h.join(t.Context()), h.sorted.begin())
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for c, err := range h.choice.Captures(t.Context()) {
		if number++; c.Page != "" || err != nil {
			t.Errorf("%s belongs to %q, %v", c.URL, c.Page, err)
		}
	}
	if number != 1 {
		t.Errorf("%d captures are chosen", number)
	}
}

// TestCancelledPage: who has cancelled is not told that there is nothing.
func TestCancelledPage(t *testing.T) {
	r := record(t, nil)
	r.visit("https://example.com/1", "", page("one"))
	s := r.source()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"https://example.com/1", "20260501120001-0123456789abcdef"} {
		var err error
		for _, err = range s.Captures(ctx, Selection{Page: name}) {
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPageAway: a page is selected with what cannot be read of it, at rest and beside a recorder.
func TestPageAway(t *testing.T) {
	const url = "https://example.com/1"
	r := record(t, nil)
	r.visit(url, "", page("one"))
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.visit("https://example.com/2", url, page("two"))
	finished, err := r.Rotate(t.Context())
	if err != nil || len(finished) != 1 {
		t.Fatal(finished, err)
	}
	away := filepath.Base(finished[0])
	r.visit("https://example.com/3", url, page("three"))
	beside, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err := errors.Join(err, os.Remove(r.dir.WARC(away))); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Source{beside, nil} {
		if s == nil {
			s = r.source()
		}
		selected := all(t, s, Selection{Page: url})
		if got := short(selected); got != "\n/1\n/3\n" || selected[0].File != away || selected[0].Page == "" {
			t.Errorf("%s%+v", got, selected)
		}
		if _, err := s.Files().Response(&selected[0].Capture); !errors.Is(err, readback.ErrMissing) {
			t.Error(err)
		}
	}
}

// TestSortAtOnce: an answer waits while captures are sorted for as many others as may be, but not when
// nobody waits for it any more.
func TestSortAtOnce(t *testing.T) {
	r := record(t, nil)
	r.visit("https://example.com/1", "", page("one"))
	var out bytes.Buffer
	a := answer{out: bufio.NewWriter(&out), source: r.source(), sorting: make(chan struct{}, 1)}
	a.sorting <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.captures(ctx, Selection{}, Detail{Pages: true}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	done := make(chan error, 1)
	go func() { done <- a.captures(t.Context(), Selection{}, Detail{Pages: true}) }()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	default:
		<-a.sorting
	}
	if err := <-done; err != nil || len(a.sorting) != 0 {
		t.Error(err)
	}
}

// TestSnapshot: what is committed after a choice was made is not in it, though it lies in the same file; and
// a capture of no page takes no other's page from it.
func TestSnapshot(t *testing.T) {
	r := record(t, nil)
	r.visit("https://example.com/alone", "https://nowhere.example/", page("alone"))
	r.visit("https://example.com/p", "", page("one"))
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	s := New(r.Index(), files, pages.New(r.Index(), files))
	choice, err := s.Choose(t.Context(), Selection{}, Detail{})
	if err != nil {
		t.Fatal(err)
	}
	defer choice.Close()
	with, err := s.Choose(t.Context(), Selection{}, Detail{Pages: true})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	r.visit("https://example.com/late", "https://example.com/p", page("late"))
	for _, choice := range []*Choice{choice, with} {
		got := ""
		for c, err := range choice.Captures(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got += c.URL + " "; choice == with && (c.Page != "") != strings.HasSuffix(c.URL, "/p") {
				t.Errorf("%s belongs to %q", c.URL, c.Page)
			}
		}
		if got != "https://example.com/alone https://example.com/p " {
			t.Error(got)
		}
	}
}

// TestPagesOfSelection: only pages come whose document is selected.
func TestPagesOfSelection(t *testing.T) {
	r := record(t, nil)
	r.visit("https://example.com/1", "", page("one"))
	r.visit("https://example.com/2", "", page("two"))
	s := r.source()
	for p, err := range s.Pages(t.Context(), Selection{URL: "https://example.com/2"}) {
		if err != nil || p.URL != "https://example.com/2" {
			t.Errorf("%s, %v", p.URL, err)
		}
	}
}

// TestTwiceSorted: a capture that is selected, and needed too, comes once, as one that is selected.
func TestTwiceSorted(t *testing.T) {
	var s sorted
	c := Chosen{Needed: true}
	c.URL, c.URLKey, c.File, c.Length = "https://example.com/", "com,example)/", "a.warc.gz", 1
	own := c
	own.Needed = false
	for _, one := range []Chosen{c, own, c} {
		if err := s.add(&one); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	defer s.sorter.Close()
	number := 0
	s.rest(func(c Chosen) bool {
		number++
		return !c.Needed
	})
	if number != 1 || s.err != nil {
		t.Errorf("%d come, %v", number, s.err)
	}
}
