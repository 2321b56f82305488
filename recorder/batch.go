package recorder

import (
	"bytes"
	"runtime/debug"
	"time"

	"warcorder/recorder/record"

	"warcorder/store"
)

// batch is the finished exchanges of one file that wait for the same commit.
type batch struct {
	output *output
	chunks  [][]byte // their records, one after another
	size    int64    // of the chunks
	done    []done
	keys    int64 // bytes of keys in done
	panics  int   // of the committer while it wrote the batch
	told    int   // of done, once it is written

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
	at       stretch          // of its records in the chunks of its batch
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
	n := textSize(&d.capture)
	if p := d.original; p != nil {
		n += int64(len(p.ETag) + len(p.Modified))
	}
	return n
}

// textSize is what the texts of a capture take in memory, keys and all.
func textSize(c *store.Capture) int64 {
	return record.KeySize(c) + int64(len(c.URL)+len(c.URLKey)+len(c.Method)+len(c.MIME)+len(c.Digest))
}

// manyKeys is more bytes of keys than any batch has but for bodies of many MB.
const manyKeys = 8 << 20

// chunkSize is the size of the pieces of memory that hold records before they are written.
const chunkSize = 256 << 10

// batchOf is the batch of a file that waits for the next commit; with alone, a new one for every
// exchange.
func (f *files) batchOf(s *output) *batch {
	if s.batch == nil || f.alone {
		b, ok := f.batches.Get().(*batch)
		if !ok {
			b = new(batch)
		}
		b.output, s.batch = s, b
		f.waiting = append(f.waiting, s.batch)
	}
	return s.batch
}

// copy appends records to a batch. They may be cut anywhere: in the file the chunks follow one
// another.
func (f *files) copy(b *batch, records []byte) {
	if f.alone { // nothing will follow them
		b.chunks = append(b.chunks, bytes.Clone(records))
		return
	}
	for len(records) > 0 {
		last := len(b.chunks) - 1
		if last < 0 || len(b.chunks[last]) == cap(b.chunks[last]) {
			b.chunks = append(b.chunks, f.chunk())
			last++
		}
		n := min(len(records), cap(b.chunks[last])-len(b.chunks[last]))
		b.chunks[last] = append(b.chunks[last], records[:n]...)
		records = records[n:]
	}
}

func (f *files) chunk() []byte {
	if chunk, ok := f.chunks.Get().(*[chunkSize]byte); ok {
		return chunk[:0]
	}
	return new([chunkSize]byte)[:0]
}

// spare keeps the memory of a batch's records for another, once they are on disk or lost; on disk,
// others may refer to them from any file.
func (f *files) spare(b *batch) {
	for _, chunk := range b.chunks {
		if cap(chunk) == chunkSize {
			f.chunks.Put((*[chunkSize]byte)(chunk[:chunkSize]))
		}
	}
	clear(b.chunks)
	b.chunks = b.chunks[:0]
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range b.done {
		if p := b.done[i].original; p != nil && !p.lost {
			p.output = nil
		}
	}
}

// recycle takes a batch off what is pending, and keeps its memory for another.
func (f *files) recycle(b *batch) {
	f.mu.Lock()
	f.leave(b.output, len(b.done))
	for i := range b.done {
		f.originals.forget(b.done[i].original)
	}
	f.keys -= b.keys
	f.fewerKeys.Broadcast()
	f.mu.Unlock()
	clear(b.done)
	if b.keys > manyKeys {
		// rare, and else the next such body would come on top of what this one has left
		debug.FreeOSMemory()
	}
	*b = batch{done: b.done[:0], chunks: b.chunks[:0]}
	f.batches.Put(b)
}
