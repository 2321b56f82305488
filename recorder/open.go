package recorder

import (
	"errors"
	"os"
	"runtime"

	"github.com/rs/zerolog"

	"warcorder/recorder/outside"
	"warcorder/recorder/recovery"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
)

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
	archives, err := outside.Open(cfg.DedupFrom, dir, log)
	if err != nil {
		return nil, err
	}
	opened, err := recovery.Open(cfg.recovery(), dir, log)
	if err != nil {
		return nil, errors.Join(err, archives.Close())
	}
	r, err := newRecorder(&cfg, dir, keyer, opened, archives, log)
	if err != nil {
		return nil, errors.Join(err, archives.Close())
	}
	if _, err := r.recoverSpilled(&cfg); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.index.Busy = r.queue.isBusy // not before: a recovery waits for what it reads
	// not before: a recovery that is killed is no crash of its own
	if err := r.beginSession(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.watch(dir)
	return r, nil
}

// newRecorder returns a recorder of a collection that is in order, but for spill/, and starts its
// goroutines. The recorder closes the index and the other archives, and unlocks the collection;
// newRecorder closes the index and unlocks when it fails.
func newRecorder(cfg *Config, dir collection.Dir, keyer *store.Keyer, opened recovery.Opened,
	archives *outside.Archives, log zerolog.Logger) (*Recorder, error) {
	index, unlock := opened.Index, opened.Unlock
	host, err := os.Hostname()
	before, err2 := index.Gaps(1)
	if err = errors.Join(err, err2, collection.MakeDir(dir.Spill(), 0o700)); err != nil {
		return nil, errors.Join(err, index.Close(), unlock())
	}
	r := &Recorder{
		log: log, index: index, dir: dir, mode: cfg.Mode, unlock: unlock, keyer: keyer,
		closing: make(chan struct{}), end: newEnd(), panics: NewPanics(log), chains: newChains(index),
		outside: archives, large: newPulse(),
	}
	r.cfg.Store(cfg)
	r.rules.Store(&cfg.Dedup)
	r.health = newHealth(r.panics.stop, log)
	r.telling = newTelling()
	r.gaps = newGapList(index, before.Counts, r.panics.Caught, r.telling, log)
	r.memory = spill.NewMemory(dir.Spill(), cfg.QueueSize, cfg.MinFreeSpace, r.end.hurry,
		r.spillFailed)
	r.queue = newQueue(cfg, r.gaps, r.end.hurry, log)
	wake, presence := newWake(), newPresence(dir, index)
	r.archive = newArchive(cfg, dir, host, index, presence, r.gaps, log)
	r.archive.style.Inspector, r.inspector.Failed = &r.inspector, r.compressionFailed
	r.lanes = newLanes(cfg, newNames(cfg, dir, host, index), wake)
	r.originals = newOriginals(dir, index, presence)
	r.batches = newBatches(cfg, r.originals, wake)
	if err := r.openShared(cfg, host); err != nil {
		return nil, errors.Join(err, r.gaps.close(), index.Close(), unlock())
	}
	r.committer = newCommitter(cfg, r.archive, r.lanes, r.batches, r.queue, r.health, r.panics,
		r.closing, r.end.late)
	r.committer.shared = r.shared
	if archives.Servers() {
		r.turns = newTurns()
	}
	r.start()
	return r, nil
}

// start starts the goroutines.
func (r *Recorder) start() {
	small := runtime.GOMAXPROCS(0)
	if r.outside.Servers() { // a worker that waits for an answer lets others go on
		small += outside.Workers
	}
	for range small {
		w := &smallWorker{maker: newMaker(r.makers()), late: r.end.late}
		r.workers.Go(func() { w.run(r.queue.small.out) })
	}
	w := r.newLargeWorker(r.health, r.closing)
	r.workers.Go(func() { w.run(r.queue.large) })
	r.stopped.Go(r.committer.run)
}

// Recovered is what Recover has found and done.
type Recovered struct {
	recovery.Found
	Spilled Spilled // what lay in spill/
}

// Recover brings the files and the index of a collection that nobody records into agreement, as
// Open does, and records what a crash has left in spill/. It returns an error that wraps
// collection.ErrLocked if the collection is in use, and one that wraps ErrNoCollection if there is
// none.
func Recover(cfg Config, dir collection.Dir, log zerolog.Logger) (Recovered, error) {
	return atRest(cfg, dir, log, func(*Recorder) error { return nil })
}

// atRest is Recover, and lets work work with the collection then.
func atRest(cfg Config, dir collection.Dir, log zerolog.Logger, work func(*Recorder) error) (
	Recovered, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Recovered{}, err
	}
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return Recovered{}, err
	}
	if dir, err = dir.Abs(); err != nil {
		return Recovered{}, err
	}
	cfg.DedupFrom, cfg.DedupShared = nil, "" // others are asked by who records
	repair := cfg.recovery()
	repair.NoSync = false
	opened, err := recovery.Repair(repair, dir, log)
	if err != nil {
		return Recovered{Found: opened.Found}, err
	}
	r, err := newRecorder(&cfg, dir, keyer, opened, nil, log)
	if err != nil {
		return Recovered{Found: opened.Found}, err
	}
	spilled, err := r.recoverSpilled(&cfg)
	if err == nil {
		err = work(r)
	}
	return Recovered{opened.Found, spilled}, errors.Join(err, r.Close())
}
