package recorder

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/outside"
	"warcorder/recorder/spill"
)

// queue is what lies between Commit and the commit to disk: it holds no more bytes than
// Config.QueueSize, and makes whoever commits more wait. Each exchange in it ends as finished or as
// lost.
//
// Three limits hold at once, since an exchange takes one of three things: bytes of memory (the
// capacity, for small ones), a place on disk (largeAtOnce), or open files (withFiles, for small
// ones that have spilled). Bytes are given back when the exchange is on disk, which is long after
// its worker is done with it; the open files when the worker is done.
type queue struct {
	log   zerolog.Logger
	gaps  *gapList
	hurry <-chan struct{} // closed when what has spilled is left for the next start

	bytes *capacity

	small     handfuls        // for the workers that make records in memory
	large     chan recordable // for the one that does not
	withFiles chan struct{}   // has a place for each small exchange that waits and has files

	coming  coming  // the exchanges in it, for who asks what will be in the collection
	cohorts cohorts // the same and those about to come, for who waits until they are there

	inFlight     atomic.Int64 // exchanges that have begun, and are neither committed nor discarded
	begun        begun        // those of them that are to be recorded, by the second in which they have
	paused       atomic.Int64 // those that have passed unrecorded, or pass, since recording was paused
	queued       atomic.Int64 // bytes that wait, without those on disk
	waitingLarge atomic.Int64 // exchanges on disk that wait
	lost         atomic.Int64

	mu     sync.RWMutex // held for reading by commit, so that close waits for it
	closed bool
}

const (
	// exchangeCost is what an exchange takes of the queue beside its bytes.
	exchangeCost = 2 << 10

	// largeAtOnce is how many large exchanges may wait; they lie on disk.
	largeAtOnce = 16

	// filesAtOnce is how many others may wait that lie on disk because memory was short: each has
	// files open, and its client, who is counted, may have gone on.
	filesAtOnce = 64
)

func newQueue(cfg *Config, gaps *gapList, hurry <-chan struct{}, log zerolog.Logger) *queue {
	q := &queue{
		log: log, gaps: gaps, hurry: hurry,
		bytes:     newCapacity(cfg.QueueSize),
		small:     handfuls{out: make(chan []recordable, 8), most: handful},
		large:     make(chan recordable, largeAtOnce),
		withFiles: make(chan struct{}, filesAtOnce),
	}
	if outside.HasServer(cfg.DedupFrom) { // what waits behind one that asks is for another worker
		q.small.out, q.small.most = make(chan []recordable, manyAlone), 1
	}
	return q
}

// isBusy reports whether anything waits.
func (q *queue) isBusy() bool { return q.queued.Load() > 0 || q.waitingLarge.Load() > 0 }

// commit puts what ended at a time in the queue.
func (q *queue) commit(of recordable, ended time.Time) {
	t := of.way()
	t.handed = ended
	q.cohorts.commits(t)
	t.keepSpilled()
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.closed {
		q.losesLate(lostOf(of))
		of.release()
		return
	}
	if t.large() {
		q.waitingLarge.Add(1)
		select {
		case q.large <- of:
		case <-q.hurry:
			q.waitingLarge.Add(-1)
			q.loses(lostOf(of), spill.ErrNoTime)
			of.release()
		}
		return
	}
	if _, begun := t.spill.HaveBegun(); begun {
		q.withFiles <- struct{}{}
		t.withFiles = true
	}
	t.queued = q.bytes.acquire(t.size() + exchangeCost)
	q.queued.Add(t.queued)
	q.small.add(of, ended)
}

var errClosed = errors.New("the recorder is closed")

// isFilling reports whether so much waits that clients may soon have to, or what is recorded would come
// late: servers are then asked nothing.
func (q *queue) isFilling() bool {
	return q.queued.Load() > q.bytes.now()/4 || len(q.small.out) > manyAsking
}

// losesLate logs an exchange that ended after the recorder was closed.
func (q *queue) losesLate(d *done) {
	defer q.cohorts.leave(d.cohort)
	if q.leaves(d, errClosed) {
		return
	}
	q.log.Error().Str("url", Logged(d.url)).
		Msg("exchange lost: it ended after the recorder was closed")
	q.gaps.note(GapWrite, d.url, "it ended after the recorder was closed")
	d.tell(errClosed)
	q.unspill(d.spill)
}

// finished lets go of an exchange that is recorded or lost.
func (q *queue) finished(d *done) {
	q.unspill(d.spill)
	q.letGo(d)
}

// unspill removes the files of an exchange; "" is none.
func (q *queue) unspill(path string) {
	if path == "" {
		return
	}
	if err := spill.Remove(path); err != nil {
		q.log.Error().Err(err).
			Msg("what an exchange has spilled cannot be removed: the next start does that")
	}
}

func (q *queue) letGo(d *done) {
	if d.queued > 0 {
		q.queued.Add(-d.queued) // before others take its place: the sum is never above the bound
		q.bytes.release(d.queued)
	}
	q.cohorts.leave(d.cohort)
	d.cohort = nil
	d.tell(nil)
}

// leaves leaves an exchange that cannot be written, and lies in spill/ as a whole, for the next
// start. It reports false, and does nothing, in two cases: somebody waits to be told whether the
// exchange is written, and would send it again; or the next start could not write it either.
func (q *queue) leaves(d *done, err error) bool {
	if d.spill == "" || d.wait != nil || isHopeless(err) || errors.As(err, new(*givenUpError)) {
		return false
	}
	q.log.Error().Err(err).Str("url", Logged(d.url)).Str("file", d.spill+spill.SidecarSuffix).
		Msg("exchange not written: what it has spilled stays, and the next start records it")
	return true
}

// loses logs an exchange that cannot be recorded, at least not now.
func (q *queue) loses(d *done, err error) {
	if q.leaves(d, err) {
		q.letGo(d)
		return
	}
	q.lost.Add(1)
	q.log.Error().Err(err).Str("url", Logged(d.url)).Msg("exchange lost")
	q.gaps.note(GapWrite, d.url, err.Error())
	d.tell(err)
	if d.spill != "" && isHopeless(err) {
		suffix, failed := spill.SetAside(d.spill)
		q.log.Warn().AnErr("rename", failed).Str("file", d.spill+".*"+suffix).
			Msg("what it has spilled is set aside")
		d.spill = ""
	}
	q.finished(d)
}

// close lets the workers end when they have done what is in the queue. No commit is under way then,
// and later ones lose what they bring.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.small.close()
	close(q.large)
}

// readError is a failure to read what was spilled.
type readError struct{ err error }

func (e *readError) Error() string { return "read what was spilled: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// unfitError says that an exchange cannot be made records of, however often that is tried.
type unfitError struct{ err error }

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// fullPatience is how long an exchange that has not enough room on disk for its records is tried
// again. Then it is given up: what it has spilled may be the very room that all others lack.
const fullPatience = time.Minute

// givenUpError says that fullPatience is over.
type givenUpError struct{ err error }

func (e *givenUpError) Error() string {
	return fmt.Sprintf("given up, as the disk has had no room for it in %v: %v", fullPatience, e.err)
}

func (e *givenUpError) Unwrap() error { return e.err }

// isHopeless reports whether trying again, at the next start, say, is of no use: what was spilled
// cannot be read, or cannot be made into records. Reading that was broken off by the end of the
// recorder is no such error.
func isHopeless(err error) bool {
	return (errors.As(err, new(*readError)) || errors.As(err, new(*unfitError))) &&
		!errors.Is(err, spill.ErrNoTime)
}

// handfuls passes exchanges on, several at a time: a worker that is woken for each of them finds
// cold caches and a processor that has just fallen asleep. At 6000 exchanges a second of 10 KB all
// of warcorder takes 154 us each with handfuls of 2 ms, 144 with 10 ms, 141 with 20 ms and 139 with
// 40 ms.
type handfuls struct {
	out  chan []recordable
	most int // of them at a time

	mu      sync.Mutex // held while out is written to: whoever adds then waits for the workers
	waiting []recordable
	size    int64 // bytes of those that wait
	passed  time.Time
	timer   *time.Timer
}

const (
	// manyAlone is how many exchanges wait for workers that ask servers, before a client does.
	manyAlone = 4096

	// manyAsking is how many may wait while servers are asked.
	manyAsking = 128

	handful      = 64
	handfulBytes = 2 << 20
	// after the first of them, which after a quiet time need not wait for others
	handfulFor = 20 * time.Millisecond
)

func (h *handfuls) add(r recordable, ended time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == nil {
		h.waiting = make([]recordable, 0, h.most)
	}
	h.waiting = append(h.waiting, r)
	h.size += r.way().queued
	switch {
	case len(h.waiting) >= h.most || h.size >= handfulBytes || ended.Sub(h.passed) >= handfulFor:
		h.pass()
	case len(h.waiting) > 1:
	case h.timer == nil:
		h.timer = time.AfterFunc(handfulFor, h.flush)
	default:
		h.timer.Reset(handfulFor)
	}
}

func (h *handfuls) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pass()
}

// pass passes on what waits; the caller holds mu.
func (h *handfuls) pass() {
	if len(h.waiting) > 0 {
		h.out <- h.waiting
		h.waiting, h.size, h.passed = nil, 0, time.Now()
	}
}

// close passes on the last ones. Nothing may be added afterwards.
func (h *handfuls) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pass()
	close(h.out)
}
