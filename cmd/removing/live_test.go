package removing

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// TestRemoveBesideReaders: who reads while captures are removed again and again gets what was recorded,
// or an error that says that it is not there any more: never the body of something else, and never half
// a list.
func TestRemoveBesideReaders(t *testing.T) {
	const sites, each = 4, 20
	r := start(t, nil)
	for i := range each {
		for site := range sites {
			name := fmt.Sprintf("site %d page %d", site, i)
			r.quick(fmt.Sprintf("https://site%d.example/%d", site, i), page(text(name)))
			r.quick(fmt.Sprintf("https://twin%d.example/%d", site, i), page(text(name)))
		}
	}
	r.rotate()
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					r.readAll(files)
				}
			}
		})
	}
	for site := range sites {
		sel := selection.Selection{URL: fmt.Sprintf("https://site%d.example/", site), Match: store.Host}
		// of two that come at once either is the original
		if done := r.remove(sel, nil); done.Captures != each || done.Moved == 0 {
			t.Errorf("%+v", done)
		}
	}
	close(stop)
	readers.Wait()
	if all := r.all(); len(all) != sites*each {
		t.Errorf("%d captures are left", len(all))
	}
	r.verified()
}

// readAll reads all captures once.
func (r *recording) readAll(files *readback.Files) {
	n := 0
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		n++
		var site, number int
		fmt.Sscanf(c.URL[len("https://site"):], "%d.example/%d", &site, &number)
		want := text(fmt.Sprintf("site %d page %d", site, number))
		response, err := files.Response(c)
		if err != nil {
			r.mayFail(c.URL, err)
			return true
		}
		defer response.Close()
		body, err := io.ReadAll(response.Body)
		switch {
		case err != nil:
			r.mayFail(c.URL, err)
		case string(body) != want:
			r.t.Errorf("%s at %d: %.60q", c.URL, c.Offset, body)
		}
		return true
	})
	if err != nil && !errors.Is(err, store.ErrReplaced) {
		r.t.Error(err)
	}
	if err == nil && n%20 != 0 {
		r.t.Errorf("there were %d captures", n)
	}
}

// mayFail checks the error of a capture that was removed, or has moved, since it was found.
func (r *recording) mayFail(url string, err error) {
	damage := (*warc.Damage)(nil)
	if !errors.As(err, &damage) && !errors.Is(err, readback.ErrUncommitted) &&
		!errors.Is(err, readback.ErrNoOriginal) && !errors.Is(err, readback.ErrMissing) {
		r.t.Errorf("%s: %v", url, err)
	}
}
