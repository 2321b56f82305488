package feed

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// various is an event of a page as they are: what differs from one to the next cannot be foreseen.
func various(random *rand.Rand, i int) Event {
	e := example
	e.URL = fmt.Sprintf("https://static%d.example.com/assets/%016x/app-%d.js?v=%d", i%7,
		random.Uint64(), random.IntN(1000), random.IntN(1_000_000))
	e.Time, e.Offset = e.Time+int64(i)*4321, int64(i)*5678
	e.Size, e.Length, e.MS = random.Int64N(1<<20), random.Int64N(1<<18), random.Int64N(1000)
	return e
}

// TestMemory: all events that a feed holds take 6 MiB of the heap, each is given as it was, and no more
// is taken after as many again.
func TestMemory(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	f := New()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 2 {
		for i := range maxEvents {
			e := various(random, i)
			f.Publish(&e)
		}
		if n := heap() - before; n > 6<<20 {
			t.Errorf("round %d: %d events take %d bytes", round, f.events, n)
		}
	}
	if f.events < maxEvents-2*segmentEvents {
		t.Errorf("%d events are held", f.events)
	}
	again := rand.New(rand.NewPCG(1, 2))
	got := all(f.FollowAll())
	for i := range 2 * maxEvents {
		want := various(again, i%maxEvents)
		if at := i - 2*maxEvents + len(got); at >= 0 && got[at].Event != want {
			t.Fatalf("event %d is %+v, want %+v", i, got[at].Event, want)
		}
	}
}

// TestNotPacked: what cannot be made smaller is as it was, and takes no more than it did.
func TestNotPacked(t *testing.T) {
	f := New()
	random := rand.NewChaCha8([32]byte{1})
	want := make([]Event, 300)
	for i := range want {
		noise := make([]byte, 2000)
		random.Read(noise)
		want[i] = Event{Kind: Gap, URL: string(noise)}
		f.Publish(&want[i])
	}
	for i, e := range all(f.FollowAll()) {
		if e.Event != want[i] {
			t.Fatalf("event %d came as another", i)
		}
	}
	held := 0
	for _, s := range f.segments {
		held += cap(s.data) + cap(s.packed)
	}
	if held > f.bytes {
		t.Errorf("%d bytes are held, %d are counted", held, f.bytes)
	}
}
