package feed

import (
	"strconv"
	"strings"
	"time"
)

// Reader follows a feed. It is for one goroutine.
type Reader struct {
	feed   *Feed
	next   uint64 // number of the next event
	missed int64  // to be told before that; -1 if it is not known how many
}

// ID names an event: boot and number, with a dot between.
type ID string

// IsValid reports that it has the form of one, of whichever process.
func (id ID) IsValid() bool {
	boot, number, _ := strings.Cut(string(id), ".")
	_, err := strconv.ParseUint(number, 10, 64)
	return boot != "" && err == nil
}

// Follow returns a reader of what comes from now on.
func (f *Feed) Follow() *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Reader{feed: f, next: f.last + 1}
}

// FollowAll returns a reader of all that is held, and of what comes.
func (f *Feed) FollowAll() *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Reader{feed: f, next: f.oldest()}
}

// FollowLast returns a reader of the newest n that are held, or of those that there are, and of what
// comes.
func (f *Feed) FollowLast(n uint64) *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Reader{feed: f, next: f.last + 1 - min(n, f.last+1-f.oldest())}
}

// FollowAfter returns a reader of what has come after an event, and of what comes. If that is none
// of this process, it is one of all that is held, who is told that an unknown number is missed.
func (f *Feed) FollowAfter(id ID) *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	boot, number, _ := strings.Cut(string(id), ".")
	n, err := strconv.ParseUint(number, 10, 64)
	if boot != f.boot || err != nil || n > f.last {
		return &Reader{feed: f, next: f.oldest(), missed: -1}
	}
	return &Reader{feed: f, next: n + 1}
}

// Numbered is an event with its ID.
type Numbered struct {
	ID ID
	Event
}

// At is the ID after which the reader goes on: FollowAfter(At()) is the same reader.
func (r *Reader) At() ID { return r.id(r.next - 1) }

func (r *Reader) id(n uint64) ID { return ID(r.feed.boot + "." + strconv.FormatUint(n, 10)) }

// Next appends to dst events that the reader has not had, at most those of a segment; none if
// there are none. What is missing is an event of its own, Missed, in its place.
func (r *Reader) Next(dst []Numbered) []Numbered {
	data, starts := r.take()
	if r.missed != 0 {
		dst = append(dst, Numbered{r.At(), Event{Kind: Missed,
			Time: time.Now().UnixMicro(), Count: r.missed}})
		r.missed = 0
	}
	for i, start := range starts {
		end := uint32(len(data))
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		dst = append(dst, Numbered{r.id(r.next), eventOf(data[start:end])})
		r.next++
	}
	return dst
}

// take returns the events of a segment that the reader has not had. Nobody changes them.
func (r *Reader) take() (data []byte, starts []uint32) {
	s := r.segment()
	if r.next-s.first >= uint64(len(s.starts)) {
		return nil, nil
	}
	return s.unpacked().data, s.starts[r.next-s.first:]
}

// segment returns the one that has the next event, as it is now; an empty one if none has.
func (r *Reader) segment() segment {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if oldest := f.oldest(); r.next < oldest {
		if r.missed >= 0 {
			r.missed += int64(oldest - r.next)
		}
		r.next = oldest
	}
	for i := len(f.segments) - 1; i >= 0; i-- {
		if s := f.segments[i]; s.first <= r.next {
			return *s
		}
	}
	return segment{}
}

// More returns a channel that is closed as soon as there is something that Next would return.
func (r *Reader) More() <-chan struct{} {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.next <= f.last || r.missed != 0 {
		return closed
	}
	f.waited = true
	return f.wake
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()
