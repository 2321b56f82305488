package spill

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store/collection"
)

// Room is the free space of the collection's disk, which all that spills draws from: what lies
// there needs as much again for its records before it goes, one after another. A body for which
// that would not leave min-free-space is cut. The zero Room does not look.
//
// What must stay free, beside min-free-space, is what the largest body takes again for its records
// (bodies are written one after another, and the files of one go before the next), and an eighth of
// that while that body itself still grows: else it would take the last room, and the others, small
// ones too, would be cut in its place.
//
// A large body whose bytes trickle would keep room from all others for as long as it likes: when
// they need it, that body is cut instead. It is cut by closing its source, and whoever waits for
// its room waits up to roomPatience.
type Room struct {
	dir   string
	floor atomic.Int64 // that must be left, in bytes; 0 does not look

	mu      sync.Mutex
	held    map[*Buffer]*held // by what has spilled and is not being copied
	largest int64             // of them, in bytes
	budget  int64             // bytes that may be written before the next look
	looked  time.Time

	// bytes of the exchange whose records are being written that are still to come
	copying atomic.Int64
}

// held is what one side of an exchange has of the room.
type held struct {
	size   int64
	since  time.Time // when it last became more
	conn   io.Closer // brings what is to come; nil if nothing does
	cut    atomic.Bool
	reason error // why it was cut; to be read when it was
}

const (
	// slowAfter is how long the largest body may bring too little to reach the disk (256 KiB) when
	// others lack room.
	slowAfter = 10 * time.Second

	// doubtAfter is how soon it looks as if that might come.
	doubtAfter = time.Second

	// roomPatience is how long a body waits for the room of one that is being cut, or may be.
	roomPatience = 2 * slowAfter

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
	return fmt.Sprintf(
		"%s are free in %s: a body of %s, which takes its size again when its records are written, "+
			"would not leave min-free-space (%s)",
		bytes(e.free), e.dir, bytes(e.size), bytes(e.floor))
}

// await returns nil if n bytes more of b may be written to disk, else why not. While a slow body
// may be about to make room, await waits.
func (r *Room) await(b *Buffer, n int64) error {
	if r.floor.Load() <= 0 {
		return nil
	}
	for began := time.Now(); ; time.Sleep(lookEvery) {
		soon, err := r.take(b, n)
		if err == nil || !soon || time.Since(began) >= roomPatience {
			return err
		}
	}
}

// take takes n bytes more for b. soon says after an error that there may be room soon. The disk is
// asked only when the budget of the last look is used up, or after lookEvery; each byte counts
// twice in the budget, once as it is spilled and once for its record.
func (r *Room) take(b *Buffer, n int64) (soon bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.grow(b, n)
	defer func() {
		if err == nil {
			h.since = time.Now()
		}
	}()
	r.budget -= 2 * n
	if r.budget >= 0 && time.Since(r.looked) < lookEvery {
		return false, nil
	}
	free, failed := collection.FreeSpace(r.dir)
	if failed != nil {
		return false, nil // the watcher says so
	}
	floor := r.floor.Load()
	need := max(r.largest, r.copying.Load())
	if h.size == need {
		need += need / slackFor
	}
	r.looked, r.budget = time.Now(), (free-n-need-floor)/2
	if free-n-need >= floor {
		return false, nil
	}
	err = &noRoomError{r.dir, free, h.size, floor}
	h.size -= n
	r.findLargest()
	return r.cutSlow(h, free), err
}

// grow notes that b has n bytes more on disk.
func (r *Room) grow(b *Buffer, n int64) *held {
	h := r.held[b]
	if h == nil {
		if r.held == nil {
			r.held = make(map[*Buffer]*held)
		}
		h = &held{conn: b.spill.of.Source(), since: time.Now()}
		r.held[b], b.held = h, h
	}
	h.size += n
	r.largest = max(r.largest, h.size)
	return h
}

// cutSlow cuts the largest body if it is larger than h and nothing to speak of comes of it any
// more. It reports whether one that was cut is there still, or one may soon be.
func (r *Room) cutSlow(h *held, free int64) (soon bool) {
	for _, other := range r.held {
		if other.cut.Load() {
			return true
		}
		idle := time.Since(other.since)
		if other == h || other.size < r.largest || other.conn == nil || idle < doubtAfter {
			continue
		}
		if idle >= slowAfter {
			other.reason = fmt.Errorf(
				"it brought next to nothing for %v, and held the room that others need: %w", slowAfter,
				&noRoomError{r.dir, free, other.size, r.floor.Load()})
			other.cut.Store(true)
			other.conn.Close()
		}
		soon = true
	}
	return soon
}

// wasCut is why the room has cut a side; nil if it has not. A nil held has not.
func (h *held) wasCut() error {
	if h == nil || !h.cut.Load() {
		return nil
	}
	return h.reason
}

func (r *Room) findLargest() {
	r.largest = 0
	for _, h := range r.held {
		r.largest = max(r.largest, h.size)
	}
}

// drop notes that b has nothing on disk any more, or is being copied.
func (r *Room) drop(b *Buffer) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.held[b]
	if delete(r.held, b); h != nil && h.size == r.largest {
		r.findLargest()
	}
}

// Copies notes that the records of what has these sides are about to be written: from now on what
// is still to be copied counts, and not what the sides have on disk. A nil side is none; two of
// them say that the records are written. One exchange is copied at a time.
func (r *Room) Copies(sides [2]*Buffer) {
	r.copying.Store(0)
	for _, b := range sides {
		if b != nil {
			r.copying.Add(b.Len())
			r.drop(b)
		}
	}
}

// Copied notes that n bytes more of what is being copied have been.
func (r *Room) Copied(n int64) { r.copying.Add(-n) }

// IsFull reports an error of a disk, or a quota, that has no room.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsBlockedBy reports whether recording could go on if an exchange that has spilled size bytes were
// given up. If it could not, the disk is full of something else, and the exchange waits like all
// others.
func (r *Room) IsBlockedBy(size int64) bool {
	free, err := collection.FreeSpace(r.dir)
	return err == nil && size >= enoughToGoOn/4 && free+size >= max(r.floor.Load(), enoughToGoOn)
}

// enoughToGoOn is how many bytes must be free at least for recording to go on.
const enoughToGoOn = 64 << 20

// IsOversize reports an error of a file that would be longer than its file system allows (4 GiB on
// FAT), or than the process may write.
func IsOversize(err error) bool { return errors.Is(err, syscall.EFBIG) }
