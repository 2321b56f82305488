// Package feed tells what happens in a recorder to whoever follows: captures, gaps, files, pauses.
//
// A recorder has one [Feed], and publishes each [Event] once it is true: a capture when it is on
// disk. Readers come and go, begin with now or with an event that they know, and take what they
// have not had, in order and without gaps, as long as it is held. What is not held any more they
// are told of as a number.
//
//	Publish ─► segment ─► segment ─► … ─► the newest    each 32 KiB: events, one behind another
//	              │          │                          (code.go draws one), all by rising numbers
//	              │          └ nothing more comes into it: it is packed, a third of its bytes is left
//	              └ when the limits are reached the oldest segment goes as a whole
//
// Events have the numbers 1, 2, 3 … Beside the number an [ID] has the boot, which no other process
// has: so a reader who knows an event of a process that has ended is not given events that only
// have the same number.
//
// Invariant: publishing never waits for a reader, and allocates nothing but a segment now and then.
// The feed holds 65,536 events and 32 MiB of them at most, or the one newest segment if that is longer:
// a URL is never cut. In memory they take a third of that as a rule (pack.go), and never more. Beside
// them it has 512 KiB, by which captures are found (places.go), and the data of the four segments that
// were asked about last. A reader holds one segment beside that at most. The bytes of an event are never
// changed: what a removal has made untrue is left out of a copy, which takes the segment's place
// (renew.go). Numbers stay.
package feed

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
)

const (
	maxEvents   = 65_536
	maxBytes    = 32 << 20
	segmentSize = 32 << 10
	// so that few go at once when there are too many events
	segmentEvents = 256
)

// Feed is what has happened lately. Its methods are safe for concurrent use.
type Feed struct {
	boot string

	mu       sync.Mutex
	segments []*segment // oldest first; the last is written to
	bytes    int        // of all segments, as if none were packed
	events   int        // in them
	last     uint64     // number of the newest event
	places   places     // of captures
	wake     chan struct{}
	waited   bool // somebody may wait for wake

	packer   packer
	rooms    rooms
	renewing sync.Mutex // held for one Renew at a time
}

// segment is some events that follow one another. What is in data and starts is not changed any
// more; both only grow, within their capacity.
type segment struct {
	first  uint64   // number of the first event
	data   []byte   // nil once it is packed
	starts []uint32 // of the events in data
	sealed bool     // nothing more comes into it

	packed []byte
	size   int // of data, when it was packed
}

// bytes is how many bytes the segment has room for.
func (s *segment) bytes() int {
	if s.data == nil {
		return s.size
	}
	return cap(s.data)
}

// event returns the bytes of an event of the segment, which is not packed.
func (s *segment) event(i int) []byte {
	end := len(s.data)
	if i+1 < len(s.starts) {
		end = int(s.starts[i+1])
	}
	return s.data[s.starts[i]:end]
}

// New returns an empty feed.
func New() *Feed {
	var random [8]byte
	rand.Read(random[:])
	return &Feed{boot: hex.EncodeToString(random[:]), wake: make(chan struct{}),
		places: newPlaces()}
}

// Publish adds an event. Nothing of it is held on to.
func (f *Feed) Publish(e *Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.room(e.size())
	s.starts = append(s.starts, uint32(len(s.data)))
	s.data = e.append(s.data)
	f.events++
	f.last++
	if e.Kind == Capture {
		f.places.add(e.File, e.Offset, f.last)
	}
	if f.waited {
		f.waited = false
		close(f.wake)
		f.wake = make(chan struct{})
	}
}

// room returns the segment that takes an event of that size, and makes one if need be.
func (f *Feed) room(size int) *segment {
	if n := len(f.segments); n > 0 {
		s := f.segments[n-1]
		if !s.sealed && len(s.starts) < segmentEvents && cap(s.data)-len(s.data) >= size {
			return s
		}
		f.bytes -= s.bytes()
		f.packer.pack(s)
		f.bytes += s.bytes()
	}
	length := max(size, segmentSize)
	for len(f.segments) > 0 && (f.bytes+length > maxBytes || f.events+segmentEvents > maxEvents) {
		f.drop()
	}
	s := &segment{first: f.last + 1, data: make([]byte, 0, length),
		starts: make([]uint32, 0, segmentEvents)}
	f.segments = append(f.segments, s)
	f.bytes += length
	return s
}

// drop lets go of the oldest segment.
func (f *Feed) drop() {
	old := f.segments[0]
	f.segments[0] = nil
	f.segments = f.segments[1:]
	f.bytes -= old.bytes()
	f.events -= len(old.starts)
}

// oldest is the number of the oldest event that is held, or of the next one.
func (f *Feed) oldest() uint64 {
	if len(f.segments) == 0 {
		return f.last + 1
	}
	return f.segments[0].first
}
