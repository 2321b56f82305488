package recorder

import (
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// batch is the finished exchanges of one file that wait for the same commit.
type batch struct {
	output *output
	chunks [][]byte // their records, one after another
	size   int64    // of the chunks
	done   []done
	keys   int64 // bytes of keys in done
	panics int   // of the committer while it wrote the batch
	told   int   // of done, once it is written

	written bool       // the records are in the file, on disk
	file    store.File // as the index shall know it then
}

// done is a finished exchange, or a record that is none.
type done struct {
	url      string
	captured bool
	capture  store.Capture
	took     time.Duration
	size     int64  // as it crossed the wire
	queued   int64  // what it takes of the queue
	extra    bool   // it is no exchange
	spill    string // its files, which are to be removed when it is on disk
	wait     chan<- outcome

	original *pendingOriginal // what others may refer to; nil if they may not
	refers   *pendingOriginal // what it refers to, if that was not in the index
	at       span             // of its records in the chunks of its batch
}

// tell tells whoever waits for it what became of it.
func (d *done) tell(err error) {
	if d.wait != nil {
		d.wait <- outcome{d.capture.Location, err}
		d.wait = nil
	}
}

// text is about what it holds in memory, beyond what every exchange does: a URL, or a tag, can be
// as long as a head.
func (d *done) text() int64 {
	n := record.TextSize(&d.capture)
	if p := d.original; p != nil {
		n += int64(len(p.ETag) + len(p.Modified))
	}
	return n
}

// keep adds an exchange to the batch.
func (b *batch) keep(d done) {
	b.done = append(b.done, d)
	b.keys += d.capture.KeySize()
}

// span is a part of the records of a batch, or of a file: from, and up to, those bytes.
type span struct{ from, to int64 }
