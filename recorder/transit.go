package recorder

import (
	"errors"
	"io"

	"warcorder/store"
)

// recordable is what waits to be appended to a WARC file: an [Exchange], or an [Extra], a record
// that is none.
type recordable interface {
	way() *transit

	// target is the URL, or URI, as the log shows it.
	target() string

	// sides are the bytes: of an exchange its request and its response; the first of a record that is
	// no exchange stays empty.
	sides() [2]*Buffer

	// source brings the bytes; nil if nobody does.
	source() io.Closer

	// facts writes down what is known beside the bytes: all of it when nothing more comes.
	facts(line *sidecar, whole bool)

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
	withFiles bool           // it has a place among queue.withFiles
	told      chan<- outcome // is told what became of it, unless it is nil
	spill     spill          // what it has on disk
}

// begin makes an empty recordable one whose buffers share memory.
func (t *transit) begin(of recordable, q *queue, m *memory) {
	t.of, t.queue, t.spill.of = of, q, of
	for _, b := range of.sides() {
		b.memory, b.spill = m, &t.spill
	}
}

func (t *transit) way() *transit { return t }

// size is the number of bytes that crossed the wire.
func (t *transit) size() (n int64) {
	for _, b := range t.of.sides() {
		n += b.Len()
	}
	return n
}

// large says whether a side is larger than any chunk of memory.
func (t *transit) large() bool {
	sides := t.of.sides()
	return max(sides[0].Len(), sides[1].Len()) > maxChunk
}

// about notes where the records are about to go: there the next start looks for them.
func (t *transit) about(file string, at int64) error {
	err := t.spill.note(file, at)
	if err != nil {
		t.spill.failed(err)
	}
	return err
}

// flush makes sure that it outlives the process, if it has left memory.
func (t *transit) flush() error {
	sides := t.of.sides()
	return errors.Join(t.about("", 0), sides[0].unsaved(), sides[1].unsaved())
}

// keepSpilled lets all that has spilled be on disk, and the memory that held the last of it go.
func (t *transit) keepSpilled() {
	t.about("", 0) // what it could not write down is in memory, and is told to all by failed
	for _, b := range t.of.sides() {
		if b.file != nil && b.spilled == b.size {
			b.drop()
		}
	}
}

// reset closes its files, and gives back its memory.
func (t *transit) reset() {
	for _, b := range t.of.sides() {
		b.Reset()
	}
}

// free is release, but for the recordable itself.
func (t *transit) free() {
	t.reset()
	if t.withFiles {
		<-t.queue.withFiles
	}
	t.queue.unspill(t.spill.leave())
}

// lostOf is what is left of a recordable that cannot be recorded. Its files are closed.
func lostOf(r recordable) *done {
	t := r.way()
	t.reset()
	return &done{url: r.target(), queued: t.queued, spill: t.spill.leave(), wait: t.told}
}

// outcome is what became of a record.
type outcome struct {
	store.Location
	err error
}
