package feed

import (
	"strings"
	"sync"
	"testing"
)

// TestTook: how long an exchange took is known by its place while its event is held, of the newest of
// nearly all, and is never that of another.
func TestTook(t *testing.T) {
	f := New()
	const number = maxEvents + 5000
	for i := range number {
		e := example
		e.Offset, e.MS = int64(i), int64(i)
		f.Publish(&e)
		f.Publish(&Event{Kind: Files, File: e.File})
	}
	known, lately := 0, 0
	for i := range int64(number) {
		ms, is := f.Took(example.File, i)
		if is {
			known++
		}
		if is && (ms != i || number-i > maxEvents/2) {
			t.Fatalf("capture %d took %d", i, ms)
		}
	}
	if known < maxEvents/2*8/10 {
		t.Errorf("of %d captures that are held %d are known", maxEvents/2, known)
	}
	for range 1000 {
		if _, is := f.Took("other", number-1); is {
			t.Fatal("a capture of another file is known")
		}
	}
	for i := int64(number - 200); i < number; i++ {
		if _, is := f.Took(example.File, i); is {
			lately++
		}
	}
	if lately < 190 {
		t.Errorf("of the newest 200 captures %d are known", lately)
	}
	if _, is := f.Took(example.File, number); is {
		t.Error("what is not there is known")
	}
	if _, is := New().Took(example.File, 0); is {
		t.Error("an empty feed knows something")
	}
}

// TestTookIsBounded: a question allocates nothing, however long the URL of the event is, and however
// much there is beside it.
func TestTookIsBounded(t *testing.T) {
	f := New()
	for i := range 500 {
		e := example
		e.Offset = int64(i)
		f.Publish(&e)
	}
	long := example
	long.Offset, long.URL = 500, strings.Repeat("x", 1<<20)
	f.Publish(&long)
	for _, offset := range []int64{f.found(1), 500} {
		if n := testing.AllocsPerRun(100, func() { f.Took(example.File, offset) }); n > 0 {
			t.Errorf("a question about %d allocates %v times", offset, n)
		}
		if ms, known := f.Took(example.File, offset); !known || ms != example.MS {
			t.Errorf("capture %d took %d, %v", offset, ms, known)
		}
	}
}

// renewedBy is how far captures lie behind where they lay, after a removal of these tests.
const renewedBy = 10_000

// captures is a feed of n captures, that of offset i being event i+1, which took i.
func captures(n int) *Feed {
	f := New()
	for i := range n {
		e := example
		e.Offset, e.MS = int64(i), int64(i)
		f.Publish(&e)
	}
	return f
}

// found is the first offset from there whose capture has not lost its slot to another one.
func (f *Feed) found(from int64) int64 {
	for {
		if s, i := f.segmentAt(example.File, from); s.first+i == uint64(from%renewedBy+1) {
			return from
		}
		from++
	}
}

// TestTookRemembers: of the segments that were asked about last none is unpacked again.
func TestTookRemembers(t *testing.T) {
	f := captures(10 * segmentEvents)
	ask := func(s *segment) {
		offset := f.found(int64(s.first) - 1)
		if ms, known := f.Took(example.File, offset); !known || ms != offset {
			t.Errorf("capture %d took %d, %v", offset, ms, known)
		}
	}
	for _, s := range f.segments[:mostRooms] {
		ask(s)
		clear(s.packed) // nobody can unpack it any more
	}
	for range 2 {
		for _, s := range f.segments[:mostRooms] {
			ask(s)
		}
	}
	for _, s := range f.segments[mostRooms : mostRooms+3] {
		ask(s)
	}
	ask(f.segments[mostRooms-1])
}

// TestTookOfOthers: what is not held is not looked for among the events, but for one in thousands.
func TestTookOfOthers(t *testing.T) {
	f := captures(2 * maxEvents)
	for _, c := range []struct {
		name, file string
		from       int64
	}{
		{"not held any more", example.File, 0},
		{"not there yet", example.File, 2 * maxEvents},
		{"of another file", "other", 3 * maxEvents / 2},
	} {
		looked := 0
		for offset := c.from; offset < c.from+10_000; offset++ {
			if s, i := f.segmentAt(c.file, offset); i < uint64(len(s.starts)) {
				looked++
			}
			if _, known := f.Took(c.file, offset); known {
				t.Fatalf("%s: capture %d is known", c.name, offset)
			}
		}
		if looked > 20 {
			t.Errorf("%s: of 10000 captures %d are looked for", c.name, looked)
		}
	}
}

// TestTookAfterRenewal: what was unpacked of a segment is told no more once another has its place, and
// once it was dropped.
func TestTookAfterRenewal(t *testing.T) {
	f := captures(2 * segmentEvents)
	took := func(offset, want int64) {
		t.Helper()
		if ms, known := f.Took(example.File, offset); known != (want >= 0) || known && ms != want {
			t.Errorf("capture %d took %d, %v, want %d", offset, ms, known, want)
		}
	}
	gone := f.found(3)
	took(gone, gone)
	now := func(offset int64) (int64, bool) { return offset + renewedBy, offset != gone }
	f.Renew(Renewal{Files: []Anew{{File: example.File, Now: now}}}, 0)
	took(gone, -1)
	took(gone+renewedBy, -1)
	stays := f.found(gone + 1 + renewedBy)
	took(stays-renewedBy, -1)
	took(stays, stays-renewedBy)
	for range maxEvents {
		f.Publish(&Event{Kind: Files})
	}
	took(stays, -1)
}

// TestTookAtOnce: who asks at the same time gets each answer right, and no more rooms are kept for it.
func TestTookAtOnce(t *testing.T) {
	const number = 10 * segmentEvents
	f := captures(number)
	var asking sync.WaitGroup
	for who := range 3 * mostRooms {
		asking.Go(func() {
			for i := range int64(number) {
				offset := (i + int64(who)*segmentEvents/2) % number
				if ms, known := f.Took(example.File, offset); known && ms != offset {
					t.Errorf("capture %d took %d", offset, ms)
				}
			}
		})
	}
	asking.Wait()
	if n := len(f.rooms.idle); n > mostRooms {
		t.Errorf("%d rooms are kept", n)
	}
}

// BenchmarkTook: a question about a capture, as those of a page are asked one after another, and about one
// that is not held.
func BenchmarkTook(b *testing.B) {
	f := captures(maxEvents)
	for _, c := range []struct {
		name string
		at   func(i int) int64
	}{
		{"in the order of time", func(i int) int64 { return int64(maxEvents - 10_000 + i%9_000) }},
		{"here and there", func(i int) int64 { return int64(i * 7919 % maxEvents) }},
		{"not held", func(i int) int64 { return int64(maxEvents + i) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f.Took(example.File, c.at(i))
			}
		})
	}
}
