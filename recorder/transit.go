package recorder

import (
	"errors"
	"time"

	"warcorder/recorder/spill"
)

// recordable is what waits to be appended to a WARC file: an [Exchange], or an [Extra], a record
// that is none.
type recordable interface {
	way() *transit

	// target is the URL, or URI, as the log shows it.
	target() string

	spill.Holder

	// appendSmall makes the records of what is in memory, and hands them to the committer.
	appendSmall(w *smallWorker)

	// appendLarge makes the records of what is on disk straight into their file.
	appendLarge(w *largeWorker)

	// release gives back what it holds, itself included. Its files go, if nobody has taken them.
	release()
}

// transit is what a recordable needs on its way from Begin to its WARC file.
type transit struct {
	of        recordable
	queue     *queue
	queued    int64          // what it takes of the queue
	handed    time.Time      // when it came to the queue; zero if it has not
	withFiles bool           // it has a place among queue.withFiles
	told      chan<- outcome // is told what became of it, unless it is nil
	spill     spill.Files    // what it has on disk
	cohort    *cohort        // that it has joined; nil if it has not
	second    int64          // since 1970, in which it has begun
	passes    bool           // nothing of it is recorded
	turn      uint64         // among those of its URL; 0 without turns
	link                     // among those that are coming
}

// begin makes an empty recordable one whose buffers share memory.
func (t *transit) begin(of recordable, q *queue, m *spill.Memory) {
	t.of, t.queue = of, q
	t.spill.Begin(of, m)
}

func (t *transit) way() *transit { return t }

// size is the number of bytes that crossed the wire.
func (t *transit) size() (n int64) {
	for _, b := range t.of.Sides() {
		n += b.Len()
	}
	return n
}

// large says whether a side is larger than any chunk of memory.
func (t *transit) large() bool {
	sides := t.of.Sides()
	return max(sides[0].Len(), sides[1].Len()) > spill.MaxChunk
}

// flush makes sure that it outlives the process, if it has left memory.
func (t *transit) flush() error {
	sides := t.of.Sides()
	return errors.Join(t.spill.Note("", 0), sides[0].Unsaved(), sides[1].Unsaved())
}

// keepSpilled lets all that has spilled be on disk, and the memory that held the last of it go.
func (t *transit) keepSpilled() {
	t.spill.Note("", 0) // what it could not write down is in memory, and is told to all by failed
	for _, b := range t.of.Sides() {
		b.LeaveToFile()
	}
}

// reset closes its files, and gives back its memory.
func (t *transit) reset() {
	t.queue.coming.remove(t)
	for _, b := range t.of.Sides() {
		b.Reset()
	}
}

// free is release, but for the recordable itself.
func (t *transit) free() {
	t.reset()
	if t.withFiles {
		<-t.queue.withFiles
	}
	t.queue.unspill(t.spill.Leave())
}

// lostOf is what is left of a recordable that cannot be recorded. Its files are closed.
func lostOf(r recordable) *done {
	t := r.way()
	t.reset()
	return &done{
		url: r.target(), queued: t.queued, cohort: t.cohort, spill: t.spill.Leave(), wait: t.told,
	}
}
