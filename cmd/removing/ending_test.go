package removing

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/removal"
)

// asked is a context that counts how often somebody asks whether it has ended.
type asked struct {
	context.Context
	times atomic.Int64
}

func (a *asked) Err() error {
	a.times.Add(1)
	return a.Context.Err()
}

// TestRemovalEnds: a plan asks at each capture that it looks at whether it is to end, also at those
// that have nothing to do with what goes, and chooses none when it is.
func TestRemovalEnds(t *testing.T) {
	const others = 50
	r := start(t, nil)
	r.get("https://example.com/hush", page(text("hush")))
	r.rotate()
	for i := range others {
		r.get(fmt.Sprintf("https://example.com/%d", i), page("other"))
	}
	r.rotate()
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	looked := asked{Context: ctx}
	order := removal.Order{Captures: func(yield func(*store.Capture) bool) error {
		return r.Index().Captures(store.Query{URL: "https://example.com/hush"}, yield)
	}}
	plan, err := removal.Make(&looked, r.dir, r.Index(), files, order)
	if err != nil || plan.Captures != 1 || looked.times.Load() < others {
		t.Errorf("asked %d times for %d captures: %v, %v", looked.times.Load(), others, plan, err)
	}
	order.Captures = func(yield func(*store.Capture) bool) error {
		cancel()
		if yield(&store.Capture{}) {
			t.Error("the plan wants more")
		}
		return nil
	}
	if _, err := removal.Make(ctx, r.dir, r.Index(), files, order); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	anew := []recovery.Anew{{Name: "x.warc.gz", Path: "not there"}}
	if err := recovery.Reread(ctx, recovery.Config{Dedup: recorder.Default().Dedup}, r.dir, r.Index(),
		anew); !errors.Is(err, context.Canceled) {
		t.Error("a file is read:", err)
	}
}
