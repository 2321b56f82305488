package latency

import (
	"sync"
	"testing"
	"time"
)

// TestObserve: each time is in the bucket of the first bound that it does not exceed, and in all behind
// it.
func TestObserve(t *testing.T) {
	last := len(bounds)
	for _, c := range []struct {
		name  string
		took  time.Duration
		first int // bucket; last is none
		sum   time.Duration
	}{
		{"nothing", 0, 0, 0},
		{"a clock that was set back", -time.Hour, 0, 0},
		{"below the first bound", time.Microsecond, 0, time.Microsecond},
		{"the first bound", bounds[0], 0, bounds[0]},
		{"just above it", bounds[0] + 1, 1, bounds[0] + 1},
		{"in the middle", 7 * time.Millisecond, 4, 7 * time.Millisecond},
		{"the last bound", bounds[last-1], last - 1, bounds[last-1]},
		{"above all", time.Hour, last, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h Histogram
			h.Observe(c.took)
			s := h.Snapshot()
			if s.Count != 1 || s.Sum != c.sum || len(s.Buckets) != last {
				t.Errorf("%+v", s)
			}
			for i, b := range s.Buckets {
				if want := map[bool]uint64{true: 1}[i >= c.first]; b.Count != want || b.AtMost != bounds[i] {
					t.Errorf("bucket %d: %+v", i, b)
				}
			}
		})
	}
}

// TestBounds: they rise.
func TestBounds(t *testing.T) {
	for i := range len(bounds) - 1 {
		if bounds[i] >= bounds[i+1] {
			t.Errorf("%v stands before %v", bounds[i], bounds[i+1])
		}
	}
}

// TestConcurrent: a snapshot that is taken while others observe agrees with itself, nothing in it is
// below what the one before had, and in the end nothing is missing.
func TestConcurrent(t *testing.T) {
	const observers, each = 4, 20_000
	var h Histogram
	var all sync.WaitGroup
	for i := range observers {
		all.Go(func() {
			for n := range each {
				h.Observe(time.Duration(n*i) * time.Microsecond)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	for before, going := (Snapshot{}), true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		now := h.Snapshot()
		check(t, &before, &now)
		before = now
	}
	if s := h.Snapshot(); s.Count != observers*each {
		t.Errorf("%d of %d are counted", s.Count, observers*each)
	}
}

func check(t *testing.T, before, now *Snapshot) {
	t.Helper()
	if now.Count < before.Count || now.Sum < before.Sum ||
		now.Buckets[len(now.Buckets)-1].Count > now.Count {
		t.Fatalf("%+v, before %+v", now, before)
	}
	for i, b := range now.Buckets {
		if i > 0 && b.Count < now.Buckets[i-1].Count || before.Buckets != nil &&
			b.Count < before.Buckets[i].Count {
			t.Fatalf("%+v, before %+v", now, before)
		}
	}
}

// TestAllocations: to observe allocates nothing.
func TestAllocations(t *testing.T) {
	var h Histogram
	if n := testing.AllocsPerRun(100, func() { h.Observe(time.Millisecond) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	var h Histogram
	for b.Loop() {
		h.Observe(7 * time.Millisecond)
	}
}
