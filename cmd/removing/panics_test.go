package removing

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"warcorder/recorder"
	"warcorder/store/selection"
)

// breaking is a context that panics when it is asked and a file is there: in the middle of a removal.
type breaking struct {
	context.Context
	path string // may have *
}

func (c breaking) Err() error {
	if found, _ := filepath.Glob(c.path); len(found) > 0 {
		panic("a table is broken")
	}
	return c.Context.Err()
}

var secret = selection.Selection{URL: "https://example.com/secret"}

// TestRenewPanics: a panic while the new index is made leaves none, nor anything in the way of the next.
func TestRenewPanics(t *testing.T) {
	r := start(t, nil)
	r.fill()
	before := r.all()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		r.Alone(t.Context(), func() error {
			return r.Renew(breaking{t.Context(), r.dir.NewIndex()}, recorder.Renewal{
				Decide: func() error { t.Error("it is decided"); return nil },
			})
		})
	}()
	if _, err := os.Lstat(r.dir.NewIndex()); err == nil {
		t.Error("the new index is there")
	}
	r.same(before)
	if done := r.remove(secret, nil); !done.Done {
		t.Errorf("the next removal: %+v", done)
	}
	r.verified()
}
