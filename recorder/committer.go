package recorder

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/shared"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/warc"
)

// committer writes what waits and puts it into the index: in one goroutine, many exchanges at a
// time, one group after another. Per group there is one append and one sync for each file.
//
//	step     a batch is then                          a crash after it
//	add      in memory, waiting for its file          loses it, but for what has spilled
//	append   in the file, behind what is synced       the next start keeps its whole exchanges
//	sync     on disk, and its exchanges are let go    the next start finds it behind the offset
//	index    in the index, with the file's offset     changes nothing
//
//	seal     its file has its final name: done when a file gets no more exchanges, and all of it
//	         is in the index; else the next start does it
//
// The captures and the offset up to which their file is indexed are one transaction.
//
// What goes wrong is tried again, with pauses, until the recorder closes:
//
//	append, sync   the file is cut back to what is synced, and written on; one in which nothing is
//	               synced is made anew. A file that keeps failing is finished, and its batches move
//	               to the next file of their lane
//	index          the same captures are committed again, which does no harm
//	seal           the file is opened anew, cut to what is synced, and finished
//	any, panics    once more; then what the step was about is given up by name: a batch is lost,
//	               captures or a final name are left for the next start (rescue.go)
//	any, closing   after the last try a batch that is not written is lost, and in the gap list, but
//	               for exchanges that lie in spill/ as a whole. What is written, and not in the
//	               index, the next start indexes
//
// A transaction of the index is for many groups, since it writes every page anew that one capture
// goes to: with 300,000 captures and their originals, one more takes 61 us of CPU in a transaction
// of 250, and 31 in one of 4096 (BenchmarkCommitInto). Until then the WARC files are the log, from
// which a start after a crash makes the captures anew; and whoever reads the index calls settle
// first, so that it never lags for anybody. Those who ask within one interval share a transaction, too:
// with 50 of them a second recording takes 5 to 10 % less of the processors than with one for each.
type committer struct {
	archive *archive
	lanes   *lanes
	batches *batches
	queue   *queue
	health  *health
	gaps    *gapList
	telling *telling
	panics  *Panics
	log     zerolog.Logger

	refusals *refusals

	pace atomic.Pointer[pace]

	closing <-chan struct{} // closed when the recorder closes: nothing waits for others any more
	late    <-chan struct{} // closed when nothing is written any more
	stop    chan struct{}   // closed when no more exchanges will come
	readers
	pulse  pulse
	shared *shared.Originals // nil if nobody is told

	recorded  atomic.Int64 // exchanges
	captured  atomic.Int64 // what is in the index of them, and of other records
	revisits  atomic.Int64 // those of them that refer to another one
	saved     atomic.Int64 // bytes of bodies that these did not store again
	began     time.Time    // when the last commit began
	pending   unindexed    // the same as the next, for who asks
	unindexed []*batch     // on disk, and not in the index yet
	oldest    time.Time    // when the first of them came there
	indexed   time.Time    // when the last transaction for captures ended
	number    int          // of exchanges in them
	text      int64        // bytes of what they hold in memory until then
	step      step
	panicked  int             // while it put what is unindexed into the index
	captures  []store.Capture // of one group
	states    []store.File
	failed    error // why something was given up; to be read when run has returned
}

func newCommitter(cfg *Config, archive *archive, lanes *lanes, batches *batches, queue *queue,
	health *health, panics *Panics, closing, late <-chan struct{}) *committer {
	c := &committer{
		archive: archive, lanes: lanes, batches: batches, queue: queue,
		health: health, gaps: archive.gaps, telling: archive.telling, panics: panics, log: archive.log,
		closing: closing, late: late, stop: make(chan struct{}), readers: newReaders(health), pulse: newPulse(),
		refusals: newRefusals(archive.log),
	}
	c.adopt(cfg)
	return c
}

// pace is how long what is due may wait.
type pace struct {
	// between the beginnings of two commits, and so the longest wait of an exchange; and between two
	// transactions of the index for those who ask
	interval   time.Duration
	indexEvery time.Duration // the longest wait of what is on disk for the index
	idle       time.Duration // after which a file is finished
	maxAge     time.Duration // the same for one that is written to; 0 is no limit
	ttl        time.Duration // that others are to know of an original; 0 is for good
}

// adopt lets other settings count. Whoever calls it wakes the committer.
func (c *committer) adopt(cfg *Config) {
	p := pace{
		interval: cfg.CommitInterval, indexEvery: min(cfg.IndexInterval, cfg.WARCIdle),
		idle: cfg.WARCIdle, maxAge: cfg.WARCMaxAge, ttl: cfg.DedupTTL,
	}
	if c.batches.alone {
		p.interval = 0
	}
	c.pace.Store(&p)
}

// group is what is committed at once.
type group struct {
	batches []*batch
	retired []*output
}

// run commits until stop is closed and nothing is left. Then all files are finished.
func (c *committer) run() {
	defer close(c.ended)
	for {
		g, last := c.next()
		if last && len(g.batches)+len(g.retired)+len(c.unindexed) == 0 {
			return
		}
		err := spill.ErrNoTime
		if !isClosed(c.late) {
			err = c.health.retry(committing, c.closing, c.pulse.during(func() error { return c.guarded(&g) }))
		}
		if err != nil {
			c.giveUp(&g, err)
		}
		if len(c.unindexed) == 0 || err != nil {
			c.answer()
		}
	}
}

// next waits until there is something to do, and takes it. last says that no more will come.
func (c *committer) next() (g group, last bool) {
	closing := c.closing
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		c.pulse.beat()
		c.hear(len(c.unindexed) == 0)
		stopped := isClosed(c.stop)
		wait := c.take(&g, stopped)
		left, waiting := c.untilIndexed()
		if stopped || len(g.batches)+len(g.retired) > 0 || waiting && left <= 0 {
			return g, stopped
		}
		if waiting {
			wait = min(wait, left)
		}
		timer.Reset(wait)
		c.pulse.rest()
		select {
		case <-c.batches.wake:
		case done := <-c.asks:
			c.asking = append(c.asking, done)
		case <-timer.C:
		case <-closing:
			closing = nil
		case <-c.stop:
		}
	}
}

// The captures that are put into the index before their time: so many that a larger transaction
// would win little and take much memory (some 5 KB for each), or with so much text. They are in no
// queue any more.
const (
	manyUnindexed  = 4096
	manyUnindexedB = maxKeys / 4
	// files: one that gets no more exchanges is closed when all of it is in the index
	manyOpen = 8
)

// untilIndexed is how long what is on disk may still wait for the index; waiting is false if
// nothing is on disk that is not in the index.
func (c *committer) untilIndexed() (left time.Duration, waiting bool) {
	if len(c.unindexed) == 0 {
		return 0, false
	}
	if c.number >= manyUnindexed || c.text >= manyUnindexedB ||
		len(c.archive.openFiles()) >= manyOpen || isClosed(c.closing) {
		return 0, true
	}
	pace := c.pace.Load()
	if len(c.asking) > 0 {
		return min(pace.interval-time.Since(c.indexed), pace.indexEvery-time.Since(c.oldest)), true
	}
	return pace.indexEvery - time.Since(c.oldest), true
}

// take moves what is due into g. If that is nothing, it returns how long to wait until something
// may be.
func (c *committer) take(g *group, stopped bool) (wait time.Duration) {
	now := time.Now()
	if stopped {
		c.lanes.retireAll()
	}
	pace := c.pace.Load()
	wait = c.lanes.retireIdle(now, pace.idle, pace.maxAge)
	g.retired = c.lanes.takeRetired()
	all := stopped || len(g.retired) > 0 || isClosed(c.closing)
	// the first exchange after a quiet time need not wait for others
	left := pace.interval - now.Sub(c.began)
	var due, waiting bool
	if g.batches, due, waiting = c.batches.take(all, left); due {
		c.began = now
	} else if waiting {
		wait = min(wait, left)
	}
	return wait
}

// commit does what is left to do of g. It may be called again after an error: nothing is done
// twice.
func (c *committer) commit(g *group) error {
	c.dropOrphans(g)
	failed := c.writeAll(g)
	if left, waiting := c.untilIndexed(); waiting && (left <= 0 || isClosed(c.stop) || failed != nil) {
		c.step = indexing
		c.pulse.beat()
		if err := c.putInIndex(); err != nil {
			return errors.Join(failed, err)
		}
		c.panicked = 0
	}
	c.step = sealing
	g.retired = append(g.retired, c.lanes.takeRetired()...)
	for len(g.retired) > 0 { // even if writing failed: these may hold the descriptors that are wanting
		c.pulse.beat()
		if err := c.seal(g.retired[0]); err != nil {
			return errors.Join(failed, err)
		}
		g.retired = g.retired[1:]
	}
	return failed
}

// writeAll writes the batches of g that are not written yet, up to the first that cannot be.
func (c *committer) writeAll(g *group) error {
	for len(g.batches) > 0 {
		b := g.batches[0]
		c.pulse.beat()
		if !b.written {
			if err := c.write(b); err != nil {
				return err
			}
		}
		c.onDisk(b)
		g.batches = g.batches[1:]
	}
	return nil
}

// write writes a batch to its file, durably.
func (c *committer) write(b *batch) error {
	for b.output.broken != nil || b.output.finished {
		if b.output.finished {
			c.move(b)
			continue
		}
		if err := c.archive.mend(b.output); err != nil {
			return err
		}
	}
	out := b.output
	offset, err := c.archive.append(out,
		func(w *warc.Writer) (int64, error) { return w.Append(b.chunks...) })
	if err != nil {
		return err
	}
	for i := range b.done {
		b.done[i].capture.File = out.name
		b.done[i].capture.Offset += offset
	}
	b.written, b.file = true, out.file
	b.file.Committed = out.safe
	return nil
}

// move gives a batch whose file has been finished without it to the next file of the lane. Its
// records name the warcinfo record of the file that they were meant for, which is still where it
// was; WARC 1.1 allows a WARC-Warcinfo-ID that points elsewhere.
func (c *committer) move(b *batch) {
	old := b.output
	b.output = old.lanes.move(old, len(b.done), b.size)
	c.batches.originals.moved(b)
}

// onDisk lets go of the exchanges of a batch that is written: their room in the queue is free, and
// their files in spill/ go. What is left to do for them a start after a crash can do from the WARC
// file. A panic may break onDisk off; b.told says where it goes on.
func (c *committer) onDisk(b *batch) {
	now := time.Now()
	for b.told < len(b.done) {
		d := &b.done[b.told]
		b.told++
		c.pending.add(d)
		if !d.extra {
			c.recorded.Add(1)
		}
		c.countCapture(d)
		c.countWait(now, d)
		c.logCapture(d)
		c.telling.written(now, d)
		c.publish(d)
		c.refusals.note(d.refused)
		c.queue.finished(d)
		c.text += d.text()
	}
	c.number += len(b.done)
	if len(c.unindexed) == 0 {
		c.oldest = now
	}
	c.unindexed = append(c.unindexed, b)
	c.batches.spare(b)
}

// putInIndex commits the captures of the batches that are on disk. When it fails it cannot be known
// whether the transaction is on disk; it does no harm to commit the same again.
func (c *committer) putInIndex() error {
	c.captures, c.states = c.captures[:0], c.states[:0]
	for _, b := range c.unindexed {
		for i := range b.done {
			if b.done[i].captured {
				c.captures = append(c.captures, b.done[i].capture)
			}
		}
	}
	for _, b := range slices.Backward(c.unindexed) { // of each file the last state counts
		if !b.output.unindexed &&
			!slices.ContainsFunc(c.states, func(f store.File) bool { return f.ID == b.file.ID }) {
			c.states = append(c.states, b.file)
		}
	}
	began := time.Now()
	err := c.archive.index.Commit(c.captures, c.states)
	c.archive.took.index.Observe(time.Since(began))
	clear(c.captures)
	if err != nil {
		return err
	}
	c.indexed = time.Now()
	c.pending.clear()
	for _, b := range c.unindexed {
		c.batches.recycle(b)
	}
	clear(c.unindexed)
	c.unindexed, c.number, c.text = c.unindexed[:0], 0, 0
	return nil
}

// seal finishes a file that gets no more exchanges, and tells the index.
func (c *committer) seal(out *output) error {
	if err := c.archive.finish(out); err != nil {
		return err
	}
	if out.file.ID == 0 || out.unindexed || out.unsealed {
		return nil
	}
	out.file.Committed, out.file.Sealed = out.safe, true
	if err := c.archive.index.Commit(nil, []store.File{out.file}); err != nil {
		return err
	}
	c.archive.telling.finished()
	return nil
}
