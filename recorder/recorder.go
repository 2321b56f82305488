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
//
// # The way of an exchange
//
//	Recorder.Begin      recorder.go    an empty exchange, from a pool
//	spill.Buffer        spill/         its bytes, in memory or in files of spill/
//	Exchange.Commit     exchange.go    nothing more comes: truncation and times are settled
//	queue               queue.go       at most QueueSize bytes wait; Commit blocks while it is full
//	  |         \
//	smallWorker  largeWorker           above 1 MiB: the one large worker, which streams
//	  |            |    lanes.go       which file takes it
//	  |            |    lookup.go      whether the collection has its body already, or by outside/
//	  |            |                   another archive, by shared/ another recorder
//	  |            |    record/        digests, keys, records; maker.go compresses them
//	  |            +--> archive.go     the large worker appends and syncs by itself
//	batches             batches.go     the finished exchanges of each file
//	committer           committer.go   small batches: append, sync; all: index, seal
//
// settle.go lets who reads the index wait for what is on disk, unindexed.go those alone who ask for it.
// held.go tells, before a request goes out, whether the collection has what a 304 would confirm: by
// coming.go of what is in the queue, by versions.go of what the index has. cohort.go lets who has
// seen an answer wait until it is recorded, rotate.go finishes the open files, renew.go lets those that
// are finished be written anew. refusals.go counts what the other side refuses, once it is recorded.
// reconfigure.go lets other settings count while it is recorded.
//
// [Extra], a record that is no exchange, goes the same way. transit.go has what the two share;
// rescue.go ends a panic of the committer, maker.go one of a worker; health.go turns recording off
// and on; spilled.go sends what lies in spill/ at the start through a large worker.
//
// # Goroutines, and what they own
//
//	caller        an exchange, from Begin to Commit or Discard; its two buffers apart
//	small workers one for each processor, and some more if other archives are asked. Each owns its
//	              maker, and an exchange from the queue to the batch
//	large worker  one. It owns its maker, its exchange, and the files of the large lane
//	committer     one. It owns the files of the small lane, the batches that it has taken, and each
//	              file that is retired and has nothing pending
//	watcher       one: free space, and whether the index is still there
//	probe         while nothing can be spilled: tries whether it can again
//	timers        of handfuls, of the gap list, and of the end
//	writes        one for each buffer that has a chunk on its way to its file
//
// # Locks
//
// Of two locks that are held at once the left one is taken first:
//
//	queue.mu (for reading) > handfuls.mu, gapList.mu, the locks of spill
//	batches.mu             > originals.mu
//	pauses.mu              > gapList.mu
//	gapList.flushing       > gapList.mu
//	spill: Files.mu        > Buffer.mu > Room.mu, health.mu > Panics.mu
//
// The others (lanes.mu, archive.mu, presence.mu, chains.mu, capacity.mu, coming.mu, cohorts.mu,
// readVersions.mu, unindexed.mu) are leaves. While the lock of the lanes or of the chains is held the
// index is read; nothing writes to a file of the archive under a lock.
package recorder

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/outside"
	"warcorder/recorder/record"
	"warcorder/recorder/shared"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// Recorder records the exchanges of one collection. Its methods are safe for concurrent use.
type Recorder struct {
	log       zerolog.Logger
	index     *store.Bolt
	keyer     *store.Keyer
	panics    *Panics
	health    *health
	gaps      *gapList
	telling   *telling
	pauses    pauses
	end       *end // when it must have come to its end
	memory    *spill.Memory
	queue     *queue
	archive   *archive
	lanes     *lanes
	originals *originals
	outside   *outside.Archives // nil if there are none
	turns     *turns            // nil if none of them is a server
	shared    *shared.Originals // nil if there are none
	withdrawn *shared.Withdrawn
	batches   *batches
	chains    *chains
	committer *committer
	large     pulse          // of the large worker
	inspector warc.Inspector // of the members
	rates     rates
	free      atomic.Int64 // bytes of the disk; -1 if that is not known
	pool      sync.Pool    // of exchanges

	probing atomic.Bool
	lastTry sync.Once
	closing chan struct{}  // closed when Close begins
	workers sync.WaitGroup // and probes
	watcher sync.WaitGroup // of the free space and the index
	stopped sync.WaitGroup // the committer

	alone    sync.Mutex                  // held by who has the finished files for itself
	finished sync.Mutex                  // held by the same, and by who takes one of them away
	swapping atomic.Bool                 // files and index take their places
	watched  atomic.Pointer[os.FileInfo] // the index that must be there

	cfg   atomic.Pointer[Config]             // the settings that count, see Prepare
	rules atomic.Pointer[record.DedupConfig] // of cfg

	mode       collection.Mode // of what is made
	dir        collection.Dir
	session    store.Session // as the index has it from Open to Close
	before     store.Session // the one before
	unlock     func() error  // the collection
	closeOnce  sync.Once
	closeError error
}

// newLargeWorker returns a worker whose tries to write are the last ones when closing is closed.
func (r *Recorder) newLargeWorker(h *health, closing <-chan struct{}) *largeWorker {
	return &largeWorker{
		maker: newMaker(r.makers()), archive: r.archive, room: &r.memory.Room,
		health: h, closing: closing, pulse: &r.large, buf: make([]byte, 256<<10),
	}
}

// makers is what the workers have in common.
func (r *Recorder) makers() *makers {
	return &makers{
		log: r.log, style: r.archive.style, keyer: r.keyer, rules: &r.rules, chains: r.chains,
		lanes: r.lanes, batches: r.batches, originals: r.originals, outside: r.outside,
		turns: r.turns, shared: r.shared,
		hurried: func() bool { return r.queue.isFilling() || isClosed(r.closing) },
		gaps:    r.gaps, panics: r.panics, lost: r.queue.loses,
	}
}

// Index is the collection's index, with all that was on disk when Index was called, unless nothing
// can be written to it at present. It is open until Close.
func (r *Recorder) Index() *store.Bolt {
	r.settle(context.Background())
	return r.index
}

// Begin returns an empty exchange, which starts now.
func (r *Recorder) Begin() *Exchange {
	x, ok := r.pool.Get().(*Exchange)
	if !ok {
		x = new(Exchange)
	}
	x.pool = &r.pool
	x.begin(x, r.queue, r.memory)
	x.Started = time.Now()
	r.queue.enters(&x.transit, x.Started)
	return x
}

// BeginExtra returns an empty record that is no exchange.
func (r *Recorder) BeginExtra() *Extra {
	var random record.IDSource
	e := &Extra{Extra: record.Extra{ID: random.Next()}, style: r.archive.style, settle: r.settle}
	e.begin(e, r.queue, r.memory)
	return e
}

// settle waits until what is on disk is in the index. The error says why that cannot be written at
// present, or is that of ctx.
func (r *Recorder) settle(ctx context.Context) error { return r.committer.settle(ctx) }

// Ready is nil, or the reason why nothing can be written at present: new requests should then be
// refused. Recording goes on by itself when writing works again; what has been committed meanwhile
// is kept for then.
func (r *Recorder) Ready() error { return r.health.ready() }

// spillFailed turns recording off until a body can be spilled again.
func (r *Recorder) spillFailed(err error) {
	r.health.set(spilling, err)
	if !r.probing.CompareAndSwap(false, true) {
		return
	}
	r.workers.Go(func() {
		r.health.retry(spilling, r.closing, r.memory.Probe)
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

// compressionFailed says that the encoder of our own has made a wrong member, which is not written.
func (r *Recorder) compressionFailed(err error) {
	r.log.Error().Err(err).Msg("a record was compressed wrongly, and has been compressed anew: " +
		"from now on klauspost/compress does that; verify the collection, and report this")
}

// Gap notes that something is missing in the archive: of an exchange its URL, of a connection
// host:port, or the client's address if it came no further. Whoever calls it has logged it, or
// records what came.
func (r *Recorder) Gap(reason, url, detail string) { r.gaps.note(reason, url, detail) }

// GapOf is Gap for an exchange of which the head of the request is known: the gap belongs to the page
// for which it was made.
func (r *Recorder) GapOf(reason, url, detail string, request []byte) {
	r.gaps.noteOf(reason, url, detail, record.VisitOf(request))
}

// GapsMore notes n gaps of which no more is told than the reason: a flood of connections, say.
func (r *Recorder) GapsMore(reason string, n int64) { r.gaps.count(reason, n) }

// Gaps returns the counts of all gaps and the newest of them, at most limit; 0 is all that are
// kept.
func (r *Recorder) Gaps(limit int) (store.Gaps, error) {
	failed := r.gaps.flush()
	gaps, err := r.index.Gaps(limit)
	if err != nil || failed == nil {
		return gaps, err
	}
	r.gaps.addWaiting(&gaps, limit)
	return gaps, nil
}

// Panics counts the panics of the recorder, and of whoever hands exchanges to it.
func (r *Recorder) Panics() *Panics { return r.panics }

// Announce writes recorder.json: where this recorder can be asked from now on, and where it shows what
// it records; "" if nowhere. Close removes it.
func (r *Recorder) Announce(address, replay string) error {
	who := collection.Running{
		PID: os.Getpid(), Addresses: []string{address}, Replay: replay, Started: r.session.Started,
	}
	return r.dir.Announce(who, r.mode)
}
