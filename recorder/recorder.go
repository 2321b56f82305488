// Package recorder turns exchanges into WARC records and captures: what the proxy saw on the wire
// goes in, whole WARC files and an index that agrees with them come out.
//
// Open a [Recorder] for a collection, Begin an [Exchange] for each request, write the bytes of both
// sides to its buffers as they pass, and Commit it. Commit returns at once, or, when a slow disk
// lets too much wait, later: clients are slowed, nothing is dropped.
//
// What the collection has already is not stored again, see [DedupConfig]: the response becomes a
// revisit, which refers to the first one.
//
// Invariant: a capture is in the index only when its records, and all before them in their file,
// are on disk, and for whoever asks it is there as soon as they are; and every committed exchange
// is recorded once, or named in the log as lost. What cannot be written is kept and tried again,
// while Ready says why new requests must be refused. What a revisit refers to is on disk when the
// revisit is, or before it in the same file.
//
// The recorder is the only writer of the collection's directory, which package collection draws.
// What a crash, or the end of a recorder that was in a hurry, has left in spill/ the next start
// records.
package recorder

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

const (
	// inFlightMemory is what buffers of unfinished exchanges may hold together in memory, beyond the
	// queue, before they spill.
	inFlightMemory = 32 << 20

	// exchangeCost is what an exchange takes of the queue beside its bytes.
	exchangeCost = 2 << 10

	// largeAtOnce is how many large exchanges may wait; they lie on disk.
	largeAtOnce = 16

	// filesAtOnce is how many others may wait that lie on disk because memory was short: each has
	// files open, and its client, who is counted, may have gone on.
	filesAtOnce = 64
)

// Recorder records the exchanges of one collection. Its methods are safe for concurrent use.
type Recorder struct {
	log       zerolog.Logger
	index     *store.Bolt
	keyer     *store.Keyer
	health    health
	memory    memory
	archive   *archive
	lanes     *lanes
	batches   *batches
	originals *originals
	committer committer
	gaps      gapList
	panics    panics
	chains    chains
	inspector warc.Inspector // of the members
	pool      sync.Pool      // of exchanges

	queueSize int64
	queue     *semaphore.Weighted // bytes of exchanges between Commit and their commit
	queued    atomic.Int64
	small     handfuls        // for the workers that make records in memory
	large     chan recordable // for the one that does not
	withFiles chan struct{}   // has a place for each small exchange that waits and has files
	lost      atomic.Int64

	waitingLarge atomic.Int64 // exchanges between Commit and their file, on disk
	probing      atomic.Bool

	mu      sync.RWMutex // held for reading by Commit, so that Close waits for it
	closed  bool
	lastTry sync.Once
	closing chan struct{} // closed when Close begins
	end     end           // when it must have come to its end
	workers sync.WaitGroup
	watcher sync.WaitGroup // of the free space and the index
	stopped sync.WaitGroup // the committer

	mode       collection.Mode // of what is made
	dir        collection.Dir
	session    store.Session // as the index has it from Open to Close
	unlock     func() error  // the collection
	closeOnce  sync.Once
	closeError error
}

// Open opens the collection in a directory, which it makes if there is none, and brings files and
// index into agreement after a crash; then it records what the crash has left in spill/. It returns
// an error that wraps collection.ErrLocked if another recorder has the collection open.
func Open(cfg Config, dir collection.Dir, log zerolog.Logger) (*Recorder, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return nil, err
	}
	if dir, err = dir.Abs(); err != nil {
		return nil, err
	}
	opened, err := recovery.Open(cfg.recovery(), dir, log)
	if err != nil {
		return nil, err
	}
	r, err := newRecorder(&cfg, dir, keyer, opened, log)
	if err != nil {
		return nil, err
	}
	if _, err := r.recoverSpilled(&cfg); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	// not before: a recovery that is killed is no crash of its own
	if err := r.beginSession(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.watch(dir, cfg.MinFreeSpace)
	return r, nil
}

// newRecorder returns a recorder of a collection that is in order, but for spill/. It closes the
// index and unlocks the collection, also when it fails.
func newRecorder(cfg *Config, dir collection.Dir, keyer *store.Keyer, opened recovery.Opened,
	log zerolog.Logger) (*Recorder, error) {
	index, unlock := opened.Index, opened.Unlock
	spill := dir.Spill()
	host, err := os.Hostname()
	if err = errors.Join(err, collection.MakeDir(spill, 0o700)); err != nil {
		return nil, errors.Join(err, index.Close(), unlock())
	}
	r := &Recorder{
		log: log, index: index, dir: dir, mode: cfg.Mode, unlock: unlock, keyer: keyer,
		closing: make(chan struct{}),
	}
	r.health.log, r.health.stop, r.chains.index = log, r.panics.stop, index
	r.gaps.log, r.gaps.index, r.gaps.caught = log, index, r.Panicked
	r.gaps.total, r.gaps.more = map[string]int64{}, map[string]int64{}
	wake, presence := newWake(), newPresence(dir, index)
	r.archive = newArchive(cfg, dir, host, index, presence, log)
	r.archive.gone = func(name, detail string) {
		r.Gap(recovery.GapMissing, name, detail)
		r.gaps.flush() // before the index learns that the file is gone; what cannot be flushed waits
	}
	r.lanes = newLanes(cfg, newNames(cfg, dir, host, index), wake)
	r.originals = newOriginals(dir, index, presence)
	r.batches = newBatches(cfg, r.originals, wake)
	r.memory.dir, r.memory.limit, r.memory.failed = spill, inFlightMemory+cfg.QueueSize, r.spillFailed
	r.memory.room.dir, r.memory.room.floor = spill, cfg.MinFreeSpace
	r.end.hurry, r.end.late, r.end.stuck = make(chan struct{}), make(chan struct{}), make(
		chan struct{})
	r.memory.hurry = r.end.hurry
	r.archive.style.Inspector, r.inspector.Failed = &r.inspector, r.compressionFailed
	r.start(cfg)
	return r, nil
}

// start starts the goroutines.
func (r *Recorder) start(cfg *Config) {
	r.queueSize, r.queue = cfg.QueueSize, semaphore.NewWeighted(cfg.QueueSize)
	r.small.out, r.large = make(chan []recordable, 8), make(chan recordable, largeAtOnce)
	r.withFiles = make(chan struct{}, filesAtOnce)
	c := &r.committer
	c.archive, c.lanes, c.batches, c.health, c.log = r.archive, r.lanes, r.batches, &r.health, r.log
	c.interval, c.indexEvery, c.idle, c.maxAge = cfg.CommitInterval, min(cfg.IndexInterval,
		cfg.WARCIdle), cfg.WARCIdle, cfg.WARCMaxAge
	if r.batches.alone {
		c.interval = 0
	}
	c.closing, c.stop, c.ended, c.asks, c.finished, c.lost = r.closing, make(chan struct{}), make(
		chan struct{}), make(
		chan chan<- struct{},
	), r.finished, r.loses
	for range runtime.GOMAXPROCS(0) {
		w := &smallWorker{maker: newMaker(r.makers(cfg)), late: r.end.late}
		r.workers.Go(func() { w.run(r.small.out) })
	}
	w := r.newLargeWorker(cfg, &r.health, r.closing)
	c.caught, c.gap, c.late = r.Panicked, r.Gap, r.end.late
	r.workers.Go(func() { w.run(r.large) })
	r.stopped.Go(c.run)
}

// newLargeWorker returns a worker whose tries to write are the last ones when closing is closed.
func (r *Recorder) newLargeWorker(cfg *Config, h *health, closing <-chan struct{}) *largeWorker {
	w := &largeWorker{
		maker: newMaker(r.makers(cfg)), archive: r.archive,
		health: h, closing: closing, room: &r.memory.room, buf: make([]byte, 256<<10),
	}
	return w
}

// makers is what the workers have in common.
func (r *Recorder) makers(cfg *Config) *makers {
	return &makers{
		log: r.log, style: r.archive.style, keyer: r.keyer, dedup: &cfg.Dedup, chains: &r.chains,
		lanes: r.lanes, batches: r.batches, originals: r.originals,
		lost: r.loses, gap: r.Gap, caught: r.Panicked,
	}
}

// Index is the collection's index, with all that was on disk when Index was called, unless nothing
// can be written to it at present. It is open until Close.
func (r *Recorder) Index() *store.Bolt {
	r.committer.settle()
	return r.index
}

// Begin returns an empty exchange. Its Started is still to be set.
func (r *Recorder) Begin() *Exchange {
	x, ok := r.pool.Get().(*Exchange)
	if !ok {
		x = new(Exchange)
	}
	x.recorder = r
	x.begin(x, &r.memory)
	return x
}

// Ready is nil, or the reason why nothing can be written at present: new requests should then be
// refused. Recording goes on by itself when writing works again; what has been committed meanwhile
// is kept for then.
func (r *Recorder) Ready() error { return r.health.ready() }

// commit puts what ended at a time in the queue.
func (r *Recorder) commit(of recordable, ended time.Time) {
	t := of.way()
	t.keepSpilled()
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		r.losesLate(lostOf(of))
		of.release()
		return
	}
	if t.large() {
		r.waitingLarge.Add(1)
		select {
		case r.large <- of:
		case <-r.end.hurry:
			r.waitingLarge.Add(-1)
			r.loses(lostOf(of), errNoTime)
			of.release()
		}
		return
	}
	if t.spill.begun.Load() {
		r.withFiles <- struct{}{}
		t.withFiles = true
	}
	t.queued = min(t.size()+exchangeCost, r.queueSize)
	r.queue.Acquire(context.Background(), t.queued) // fails only when its context ends
	r.queued.Add(t.queued)
	r.small.add(of, ended)
}

// losesLate logs an exchange that ended after the recorder was closed.
func (r *Recorder) losesLate(d *done) {
	if r.leaves(d, errClosed) {
		return
	}
	r.log.Error().Str("url", Logged(d.url)).
		Msg("exchange lost: it ended after the recorder was closed")
	r.Gap(GapWrite, d.url, "it ended after the recorder was closed")
	d.tell(errClosed)
	r.unspill(d.spill)
}

// finished lets go of an exchange that is recorded or lost.
func (r *Recorder) finished(d *done) {
	r.unspill(d.spill)
	r.letGo(d)
}

// unspill removes the files of an exchange; "" is none.
func (r *Recorder) unspill(path string) {
	if path == "" {
		return
	}
	if err := removeSpilled(path); err != nil {
		r.log.Error().Err(err).
			Msg("what an exchange has spilled cannot be removed: the next start does that")
	}
}

func (r *Recorder) letGo(d *done) {
	if d.queued > 0 {
		r.queue.Release(d.queued)
		r.queued.Add(-d.queued)
	}
	d.tell(nil)
}

// leaves leaves an exchange that cannot be written, and lies on disk as a whole, for the next
// start. It does not if somebody is told now that it has not been written, or if that would be of
// no use.
func (r *Recorder) leaves(d *done, err error) bool {
	if d.spill == "" || d.wait != nil || isHopeless(err) || errors.As(err, new(*givenUpError)) {
		return false
	}
	r.log.Error().Err(err).Str("url", Logged(d.url)).Str("file", d.spill+sidecarSuffix).
		Msg("exchange not written: what it has spilled stays, and the next start records it")
	return true
}

// loses logs an exchange that cannot be recorded, at least not now.
func (r *Recorder) loses(d *done, err error) {
	if r.leaves(d, err) {
		r.letGo(d)
		return
	}
	r.lost.Add(1)
	r.log.Error().Err(err).Str("url", Logged(d.url)).Msg("exchange lost")
	r.Gap(GapWrite, d.url, err.Error())
	d.tell(err)
	if d.spill != "" && isHopeless(err) {
		suffix, failed := setAside(d.spill)
		r.log.Warn().AnErr("rename", failed).Str("file", d.spill+".*"+suffix).
			Msg("what it has spilled is set aside")
		d.spill = ""
	}
	r.finished(d)
}

// spillFailed turns recording off until a body can be spilled again.
func (r *Recorder) spillFailed(err error) {
	r.health.set(spilling, err)
	if !r.probing.CompareAndSwap(false, true) {
		return
	}
	r.workers.Go(func() {
		r.health.retry(spilling, r.closing, r.memory.probe)
		r.probing.Store(false)
		if err := r.health.fault(spilling); err != nil && !isClosed(r.closing) {
			r.spillFailed(err) // it failed again before this probe had ended
		}
	})
}

// LastTry makes what cannot be written be tried once more and then given up, instead of until it
// can. Commit may still be called, and no longer blocks for good: a proxy that has cut its
// exchanges calls it, so that it can end on a disk that stays full.
func (r *Recorder) LastTry() { r.lastTry.Do(func() { close(r.closing) }) }
