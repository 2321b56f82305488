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
	beside, err := askedOf(t, r, Page(r.dir, r.Index))
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
	beside, err := askedOf(t, r, Page(r.dir, r.Index))
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
		if _, err := s.Files().Response(&selected[0].Capture); !errors.Is(err, readback.ErrAway) {
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
