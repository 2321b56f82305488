package recorder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// cohorts are the exchanges between the last byte for their client and the disk, so that who has
// seen an answer can wait until it is recorded. An exchange joins when its last piece is about to
// pass, which is before its client has it, and leaves when it is on disk or lost.
//
// Whoever waits closes the cohort: later ones join the next, so that nobody waits for them, however
// many come. A cohort that is empty is not kept, so there are never more of them than exchanges.
//
// mu guards all counts. It is a leaf in the order of locks.
type cohorts struct {
	mu      sync.Mutex
	joining *cohort   // nil if nobody has joined since the last one was closed
	closed  []*cohort // with members; the oldest first
}

// cohort is the exchanges that came to their end between two moments at which somebody began to
// wait.
type cohort struct {
	members int
	// members that are not committed yet: the client takes its last bytes, or still sends
	uncommitted atomic.Int64
	gone        chan struct{} // closed when a closed cohort has no members any more
}

// join makes t one of those that are waited for. It may have joined before.
func (c *cohorts) join(t *transit) {
	if t.cohort != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joining == nil {
		c.joining = &cohort{gone: make(chan struct{})}
	}
	t.cohort = c.joining
	t.cohort.members++
	t.cohort.uncommitted.Add(1)
}

// commits notes that t, which may have joined, is committed.
func (c *cohorts) commits(t *transit) {
	c.join(t)
	t.cohort.uncommitted.Add(-1)
}

// discard takes t off, which is not committed.
func (c *cohorts) discard(t *transit) {
	if t.cohort != nil {
		t.cohort.uncommitted.Add(-1)
		c.leave(t.cohort)
	}
}

// leave takes one off the members of a cohort; nil is none.
func (c *cohorts) leave(from *cohort) {
	if from == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if from.members--; from.members > 0 || from == c.joining {
		return
	}
	close(from.gone)
	c.closed = slices.DeleteFunc(c.closed, func(other *cohort) bool { return other == from })
}

// close returns the cohorts of all who have joined by now.
func (c *cohorts) close() []*cohort {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joining != nil && c.joining.members > 0 {
		c.closed = append(c.closed, c.joining)
		c.joining = nil
	}
	return slices.Clone(c.closed)
}

// onlyUncommitted reports whether all members that are left are not committed.
func (c *cohorts) onlyUncommitted(of *cohort) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(of.members) <= of.uncommitted.Load()
}

// Settle waits until all exchanges whose clients had their last byte before the call are in the
// index, or lost, which the gap list says. The error says what cannot be written at present, or is
// that of ctx.
func (r *Recorder) Settle(ctx context.Context) error {
	_, err := r.SettleWithin(ctx, math.MaxInt64)
	return err
}

// SettleWithin is Settle that waits no longer than for patience for exchanges that are not
// committed: a client takes its last bytes, or still sends. It reports whether it waited for all.
// What is committed is on its way to the disk, and waited for as long as ctx allows.
func (r *Recorder) SettleWithin(ctx context.Context, patience time.Duration) (all bool, err error) {
	all, err = r.OnDiskWithin(ctx, patience)
	if err != nil {
		return false, err
	}
	return all, r.committer.settle(ctx)
}

// OnDiskWithin is SettleWithin for who asks the index afterwards, by SettleFor: it waits for the disk
// alone.
func (r *Recorder) OnDiskWithin(ctx context.Context, patience time.Duration) (all bool, err error) {
	began := time.Now()
	all = true
	passOver := func(each *cohort) bool {
		if time.Since(began) < patience || !r.queue.cohorts.onlyUncommitted(each) {
			return false
		}
		all = false
		return true
	}
	for _, each := range r.queue.cohorts.close() {
		if err := r.awaitGone(ctx, each, passOver); err != nil {
			return false, err
		}
	}
	return all, nil
}

// awaitGone waits until a cohort has no members, or is to be passed over.
func (r *Recorder) awaitGone(ctx context.Context, each *cohort, passOver func(*cohort) bool) error {
	look := time.NewTicker(settlePatience)
	defer look.Stop()
	for {
		if err := r.cannotWrite(); err != nil {
			return err
		}
		select {
		case <-each.gone:
			return nil
		default:
		}
		if passOver(each) {
			return nil
		}
		select {
		case <-each.gone:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("exchanges are still on their way%s: %w", r.streams(), context.Cause(ctx))
		case <-look.C:
		}
	}
}

// cannotWrite is what keeps exchanges that have come from being written. That the disk is nearly
// full does not: there is room for those.
func (r *Recorder) cannotWrite() error {
	if err := errors.Join(r.health.fault(committing), r.health.fault(streaming)); err != nil {
		return fmt.Errorf("recording is off, and not all of what came is written: %w", err)
	}
	return nil
}
