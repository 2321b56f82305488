package recorder

import (
	"context"
	"sync"

	"warcorder/store"
)

// unindexed is what is on disk, and not in the index yet: at most manyUnindexed captures or some more.
// Who asks for others need not wait for the index.
type unindexed struct {
	mu      sync.Mutex
	pending []store.Pending
}

// add is called before anybody is told that d is on disk. The capture of d must stay as it is until
// clear.
func (u *unindexed) add(d *done) {
	p := store.Pending{File: d.capture.File}
	if d.captured {
		p = store.PendingOf(&d.capture)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending = append(u.pending, p)
}

// clear is called when all of it is in the index, or will not be before the next start.
func (u *unindexed) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.pending)
	u.pending = u.pending[:0]
}

// has reports whether some of it may be found by a question.
func (u *unindexed) has(q store.Question) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.pending {
		if q(&u.pending[i]) {
			return true
		}
	}
	return false
}

// IndexFor is Index for who asks nothing but that question: the index has all that it may find of what
// was on disk when IndexFor was called. It does not wait for what the question leaves out, and so takes
// next to nothing from the recording, however often it is called. When ctx is done, nothing is waited
// for.
func (r *Recorder) IndexFor(ctx context.Context, q store.Question) *store.Bolt {
	r.SettleFor(ctx, q)
	return r.index
}

// SettleFor waits as IndexFor does. The error says why the index cannot be written at present, or is
// that of ctx.
func (r *Recorder) SettleFor(ctx context.Context, q store.Question) error {
	if !r.committer.pending.has(q) {
		return nil
	}
	return r.settle(ctx)
}
