package recorder

import (
	"bytes"
	"runtime/debug"
	"sync"
	"sync/atomic"
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
	user     string // who asked
	follows  string // see [record.Facts.Completion]
	mime     string // media type of what came, of a revisit too
	body     int64  // bytes of the response's body, or of the record's block, as they came
	size     int64  // as it crossed the wire
	queued   int64  // what it takes of the queue
	handed   time.Time
	cohort   *cohort
	extra    bool   // it is no exchange
	kind     string // type of its record; "" of an exchange
	spill    string // its files, which are to be removed when it is on disk
	refused  *refused
	wait     chan<- outcome

	original *pendingOriginal // what others may refer to; nil if they may not
	refers   *pendingOriginal // what it refers to, if that was not in the index
	at       span             // of its records in the chunks of its batch
}

// outcome is what became of a record.
type outcome struct {
	store.Location
	err error
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

// isRevisit reports a capture that refers to another one.
func (d *done) isRevisit() bool { return d.captured && d.capture.MIME == record.RevisitMIME }

// keep adds an exchange to the batch.
func (b *batch) keep(d done) {
	b.done = append(b.done, d)
	b.keys += d.capture.KeySize()
}

// span is a part of the records of a batch: from, and up to, those bytes.
type span struct{ from, to int64 }

// batches are the finished exchanges that wait for the next commit, a batch for each file.
//
// mu guards what stands below it and the batch of each output. While it is held, the lock of the
// originals is taken: whoever finds an original that waits can only add behind it.
type batches struct {
	originals *originals
	full      atomic.Int64 // size that wakes the committer before its time
	alone     bool         // each exchange is a batch by itself
	wake      wake

	pool   sync.Pool    // of batches
	chunks sync.Pool    // of their memory
	keys   atomic.Int64 // bytes of the keys of exchanges that wait; changed under mu

	mu        sync.Mutex
	waiting   []*batch  // in the order of their first exchanges
	since     time.Time // when the first of the exchanges came
	size      int64     // bytes of the exchanges, as they crossed the wire
	fewerKeys sync.Cond // on mu
}

func newBatches(cfg *Config, o *originals, wake wake) *batches {
	b := &batches{
		originals: o, alone: cfg.Sync == syncAlways, wake: wake,
	}
	b.fewerKeys.L = &b.mu
	b.adopt(cfg)
	return b
}

// adopt lets other settings count.
func (q *batches) adopt(cfg *Config) {
	q.full.Store(min(cfg.CommitSize, cfg.QueueSize/2))
	q.wake.signal()
}

// add hands a finished exchange to the committer. records are its members, which were promised to
// fill at most bound bytes; d.capture lies relative to them.
func (q *batches) add(out *output, bound int64, records []byte, d done) {
	out.lanes.filled(out, bound, int64(len(records)))
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.batchOf(out)
	d.capture.Offset += b.size
	d.at = span{b.size, b.size + int64(len(records))}
	q.done(b, d)
	b.size = d.at.to
	q.copy(b, records)
	q.waits(d.size)
}

// addWritten hands over an exchange whose records are in the file already, which is committed up to
// end with them.
func (q *batches) addWritten(out *output, end int64, d done) {
	out.lanes.grown(out, end)
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.batchOf(out)
	d.capture.File = out.name
	if d.original != nil {
		d.original.output = nil
	}
	q.done(b, d)
	b.file, b.written = out.file, true
	b.file.Committed = end
	q.waits(d.size)
}

// batchOf is the batch of a file that waits for the next commit; with alone, a new one for every
// exchange.
func (q *batches) batchOf(out *output) *batch {
	if out.batch == nil || q.alone {
		b, ok := q.pool.Get().(*batch)
		if !ok {
			b = new(batch)
		}
		b.output, out.batch = out, b
		q.waiting = append(q.waiting, b)
	}
	return out.batch
}

// done adds an exchange to a batch.
func (q *batches) done(b *batch, d done) {
	q.originals.await(d.original)
	b.keep(d)
	q.keys.Add(d.capture.KeySize())
}

// waits notes that an exchange of that size waits.
func (q *batches) waits(size int64) {
	before := q.size
	q.size += size
	if q.since.IsZero() {
		q.since = time.Now()
		q.wake.signal()
	}
	if full := q.full.Load(); before < full && q.size >= full {
		q.wake.signal()
	}
}

// maxKeys is how many bytes of keys may wait for the index before nothing more is made: what the
// dialects make of a body of some MB can be many times as long, and is in no queue.
const maxKeys = 32 << 20

// awaitKeys waits until the keys that wait take no more than maxKeys.
func (q *batches) awaitKeys() {
	if q.keys.Load() <= maxKeys {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.keys.Load() > maxKeys {
		q.fewerKeys.Wait()
	}
}

// aloneAtOnce is how many exchanges of which each is synced by itself are taken at once: the first
// of them waits for the last.
const aloneAtOnce = 64

// take takes the batches that are due: when all are, when there is enough of them, or when nothing
// is left of their time. waiting says whether any exchange waits.
func (q *batches) take(all bool, left time.Duration) (taken []*batch, due, waiting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting = !q.since.IsZero()
	if due = all || q.size >= q.full.Load() || waiting && left <= 0; !due {
		return nil, false, waiting
	}
	taken, q.waiting = q.some(q.waiting)
	if len(q.waiting) == 0 {
		q.since, q.size = time.Time{}, 0
	}
	for _, b := range taken {
		b.output.batch = nil
	}
	return taken, true, waiting
}

// some splits the batches that wait into those that are taken now and the rest.
func (q *batches) some(waiting []*batch) (now, later []*batch) {
	if !q.alone || len(waiting) <= aloneAtOnce {
		return waiting, nil
	}
	return waiting[:aloneAtOnce:aloneAtOnce], waiting[aloneAtOnce:]
}

// spare keeps the memory of a batch's records for another, once they are on disk or lost; on disk,
// others may refer to them from any file.
func (q *batches) spare(b *batch) {
	for _, chunk := range b.chunks {
		if cap(chunk) == chunkSize {
			q.chunks.Put((*[chunkSize]byte)(chunk[:chunkSize]))
		}
	}
	clear(b.chunks)
	b.chunks = b.chunks[:0]
	q.originals.written(b.done)
}

// manyKeys is more bytes of keys than any batch has but for bodies of many MB.
const manyKeys = 8 << 20

// recycle takes a batch off what is pending, and keeps its memory for another.
func (q *batches) recycle(b *batch) {
	b.output.lanes.leave(b.output, len(b.done))
	q.originals.forget(b.done)
	q.fewer(b.keys)
	clear(b.done)
	if b.keys > manyKeys {
		// rare, and else the next such body would come on top of what this one has left
		debug.FreeOSMemory()
	}
	*b = batch{done: b.done[:0], chunks: b.chunks[:0]}
	q.pool.Put(b)
}

// fewer notes that so many bytes of keys do not wait any more.
func (q *batches) fewer(keys int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.keys.Add(-keys)
	q.fewerKeys.Broadcast()
}

// chunkSize is the size of the pieces of memory that hold records before they are written.
const chunkSize = 256 << 10

// copy appends records to a batch. They may be cut anywhere: in the file the chunks follow one
// another.
func (q *batches) copy(b *batch, records []byte) {
	if q.alone { // nothing will follow them
		b.chunks = append(b.chunks, bytes.Clone(records))
		return
	}
	for len(records) > 0 {
		last := len(b.chunks) - 1
		if last < 0 || len(b.chunks[last]) == cap(b.chunks[last]) {
			b.chunks = append(b.chunks, q.chunk())
			last++
		}
		n := min(len(records), cap(b.chunks[last])-len(b.chunks[last]))
		b.chunks[last] = append(b.chunks[last], records[:n]...)
		records = records[n:]
	}
}

func (q *batches) chunk() []byte {
	if chunk, ok := q.chunks.Get().(*[chunkSize]byte); ok {
		return chunk[:0]
	}
	return new([chunkSize]byte)[:0]
}
