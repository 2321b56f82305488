// Package latency counts how long something took that is done again and again: in buckets of fixed
// bounds, from half a millisecond to half a minute.
//
// Invariant: to observe takes no lock and allocates nothing, and no count ever falls. A snapshot that
// is taken meanwhile is one that agrees with itself: its buckets add up to its count.
package latency

import (
	"sync/atomic"
	"time"
)

// bounds are those of the buckets, each of which holds what took that long at most. What took longer
// than the last one is in none. A sync on an SSD is in the first few, one on a disk that turns in those
// around 20 ms, and whatever is in the last ones is a fault.
var bounds = [...]time.Duration{
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond,
	5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
	5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// Histogram is those counts. The zero Histogram has seen nothing. It is safe for concurrent use.
type Histogram struct {
	counts [len(bounds) + 1]atomic.Uint64 // by bucket; the last one is of all that took longer
	sum    atomic.Int64                   // nanoseconds
}

// Observe counts something that took d. A clock that was set back makes it no time at all.
func (h *Histogram) Observe(d time.Duration) {
	d = max(d, 0)
	at := 0
	for at < len(bounds) && d > bounds[at] {
		at++
	}
	h.counts[at].Add(1)
	h.sum.Add(int64(d))
}

// Bucket is how often something took AtMost or less.
type Bucket struct {
	AtMost time.Duration
	Count  uint64
}

// Snapshot is what a Histogram has seen by a moment.
type Snapshot struct {
	Count   uint64
	Sum     time.Duration
	Buckets []Bucket // by rising bounds; each has what those before it have
}

// Snapshot returns what h has seen.
func (h *Histogram) Snapshot() (s Snapshot) {
	s.Buckets = make([]Bucket, len(bounds))
	s.Sum = time.Duration(h.sum.Load())
	for i, bound := range bounds {
		s.Count += h.counts[i].Load()
		s.Buckets[i] = Bucket{bound, s.Count}
	}
	s.Count += h.counts[len(bounds)].Load()
	return s
}
