package recorder

import (
	"fmt"
	"sync"
	"time"

	"warcorder/recorder/feed"
	"warcorder/store"
)

// pauses are the times in which recording is paused. Of each in which something has passed the gap list
// has one gap, so that who looks at a page of that time knows, also after a restart, that it need not be
// whole.
type pauses struct {
	mu     sync.Mutex
	since  time.Time // zero: it is not paused
	before int64     // how many had passed in earlier ones
}

// TellPaused tells whether what begins from now on passes unrecorded.
func (r *Recorder) TellPaused(paused bool) {
	kind := feed.Resumed
	if paused {
		kind = feed.Paused
	}
	now := time.Now()
	r.telling.feed.Publish(&feed.Event{Kind: kind, Time: now.UnixMicro()})
	p := &r.pauses
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !paused:
		r.endPause(now)
	case p.since.IsZero():
		p.since, p.before = now, r.queue.paused.Load()
	}
}

// endPause notes the pause that ends, if there is one. Its lock is held.
func (r *Recorder) endPause(now time.Time) {
	p := &r.pauses
	if p.since.IsZero() {
		return
	}
	if n := r.passed(); n > 0 {
		g := store.Gap{
			Time: p.since, Until: now, Reason: GapPaused,
			Detail: fmt.Sprintf("exchanges that passed unrecorded, or were on their way: %d", n),
		}
		r.gaps.add(g.Cut())
	}
	p.since = time.Time{}
}

// passed is how many exchanges have begun in the pause that goes on, and so have passed unrecorded or are
// on their way. Its lock is held.
func (r *Recorder) passed() int64 { return r.queue.paused.Load() - r.pauses.before }

// Paused returns since when recording is paused, and how many exchanges have passed unrecorded by that, or
// are on their way. It is false if it is not paused.
func (r *Recorder) Paused() (since time.Time, passed int64, paused bool) {
	r.pauses.mu.Lock()
	defer r.pauses.mu.Unlock()
	if since = r.pauses.since; since.IsZero() {
		return since, 0, false
	}
	return since, r.passed(), true
}
