package recorder

import (
	"slices"
	"sync/atomic"
	"time"
)

// begun counts the exchanges that go on, by the second in which they have begun: an atomic count for each
// second of the last hours, one behind another in a ring. So nothing is allocated for an exchange, nobody
// waits, and whoever wants to know reads the ring. What goes on for longer than that counts as if it had
// begun so much later.
type begun [1 << 14]atomic.Int32

// mostGoingOn is how many exchanges GoingOn tells of.
const mostGoingOn = 10_000

// enters counts an exchange that has begun.
func (q *queue) enters(t *transit, now time.Time) {
	q.inFlight.Add(1)
	q.begun.begins(t, now)
	t.passes = false
}

// Passes tells that nothing of the exchange is recorded: no page waits for it. paused is whether that is
// since recording was paused when it began.
func (x *Exchange) Passes(paused bool) {
	if x.passes {
		return
	}
	x.passes = true
	x.queue.begun.ends(&x.transit)
	if paused {
		x.queue.paused.Add(1)
	}
}

// exits counts it no more.
func (q *queue) exits(t *transit) {
	q.inFlight.Add(-1)
	if !t.passes {
		q.begun.ends(t)
	}
}

// begins counts an exchange.
func (b *begun) begins(t *transit, now time.Time) {
	t.second = now.Unix()
	b.at(t.second).Add(1)
}

// ends counts it no more.
func (b *begun) ends(t *transit) { b.at(t.second).Add(-1) }

func (b *begun) at(second int64) *atomic.Int32 { return &b[uint64(second)%uint64(len(b))] }

// GoingOn returns when the exchanges have begun that go on, in the order of time and to the second: those
// that are to be recorded, and are neither committed nor discarded. Of more than mostGoingOn it returns the
// newest.
func (r *Recorder) GoingOn() []time.Time {
	if r.queue.inFlight.Load() == 0 {
		return nil
	}
	return r.queue.begun.since(time.Now())
}

func (b *begun) since(now time.Time) (times []time.Time) {
	for back := range int64(len(b)) {
		second := now.Unix() - back
		for n := b.at(second).Load(); n > 0 && len(times) < mostGoingOn; n-- {
			times = append(times, time.Unix(second, 0))
		}
	}
	slices.Reverse(times)
	return times
}
