package recorder

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// room is the free space of the collection's disk, which all that spills draws from: what lies there
// needs as much again for its records before it goes, one after another. A body for which that would
// not leave min-free-space is cut. The zero room does not look.
type room struct {
	dir   string
	floor int64 // that must be left, in bytes; 0 does not look

	mu      sync.Mutex
	sizes   map[*Buffer]int64 // of what has spilled and is not being copied
	largest int64             // of them
	budget  int64             // bytes that may be written before the next look
	looked  time.Time

	copying atomic.Int64 // bytes of the exchange whose records are being written that are still to come
}

const (
	// lookEvery is the longest time between two looks at the disk while bodies pass: others write too.
	lookEvery = 100 * time.Millisecond

	// slackFor is the part of its size that the largest body leaves to the others.
	slackFor = 8
)

// noRoomError says that a body has come to the end of the room that it may take.
type noRoomError struct {
	dir               string
	free, size, floor int64
}

func (e *noRoomError) Error() string {
	bytes := func(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
	return fmt.Sprintf("%s are free in %s: a body of %s, which takes its size again when its records are written, would not leave min-free-space (%s)",
		bytes(e.free), e.dir, bytes(e.size), bytes(e.floor))
}

// take reports whether n bytes more of b may be written to disk.
func (r *room) take(b *Buffer, n int64) error {
	if r.floor <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grow(b, n)
	r.budget -= 2 * n
	if r.budget >= 0 && time.Since(r.looked) < lookEvery {
		return nil
	}
	free, err := freeSpace(r.dir)
	if err != nil {
		return nil // the watcher says so
	}
	need := max(r.largest, r.copying.Load())
	if r.sizes[b] == need {
		need += need / slackFor
	}
	r.looked, r.budget = time.Now(), (free-n-need-r.floor)/2
	if free-n-need >= r.floor {
		return nil
	}
	err = &noRoomError{r.dir, free, r.sizes[b], r.floor}
	r.grow(b, -n)
	return err
}

// grow notes that b has n bytes more on disk.
func (r *room) grow(b *Buffer, n int64) {
	if r.sizes == nil {
		r.sizes = make(map[*Buffer]int64)
	}
	r.sizes[b] += n
	if n > 0 {
		r.largest = max(r.largest, r.sizes[b])
	} else {
		r.findLargest()
	}
}

func (r *room) findLargest() {
	r.largest = 0
	for _, size := range r.sizes {
		r.largest = max(r.largest, size)
	}
}

// drop notes that b has nothing on disk any more, or is being copied.
func (r *room) drop(b *Buffer) {
	if r == nil || r.floor <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	size, found := r.sizes[b]
	if delete(r.sizes, b); found && size == r.largest {
		r.findLargest()
	}
}

// copies notes that the records of an exchange are about to be written.
func (r *room) copies(x *Exchange) {
	r.copying.Store(x.size())
	r.drop(&x.Request)
	r.drop(&x.Response)
}

// copied notes that n bytes of it have been, or that it has come to its end.
func (r *room) copied(n int64) { r.copying.Add(-n) }

// isFull reports an error of a disk, or a quota, that has no room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// isBlockedBy reports whether recording could go on if an exchange that has spilled so many bytes were
// given up. If it could not, the disk is full of something else, and the exchange waits like all others.
func (r *room) isBlockedBy(size int64) bool {
	free, err := freeSpace(r.dir)
	return err == nil && size >= enoughToGoOn/4 && free+size >= max(r.floor, enoughToGoOn)
}

// enoughToGoOn is how much must be free for that at least.
const enoughToGoOn = 64 << 20

// fullPatience is how long an exchange that has not enough room on disk for its records is tried again.
// Then it is given up: what it has spilled may be the very room that all others lack.
const fullPatience = time.Minute

// givenUpError says that this has come.
type givenUpError struct{ err error }

func (e *givenUpError) Error() string {
	return fmt.Sprintf("given up, as the disk has had no room for it in %v: %v", fullPatience, e.err)
}

func (e *givenUpError) Unwrap() error { return e.err }
