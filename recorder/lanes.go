package recorder

import (
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// lanes decide which WARC file takes which exchange. A lane is a chain of files, each following the
// one before. There are two: one for small exchanges, whose records are compressed beforehand and
// go down many at a time, and one for large ones, which are compressed straight into the file and
// may hold it for a long time.
//
// mu guards what stands below it, and in each output what its type names as the lanes'. It is a
// leaf in the order of locks, which the package doc gives.
//
// A file is retired when no more exchanges are planned for it, and is finished only when nothing of
// it is pending: until then its offset in the index must be able to grow.
type lanes struct {
	wake wake // of the committer

	mu      sync.Mutex
	names   names
	style   *record.Style
	maxSize int64
	current [2]*output   // by lane; nil before the first exchange
	used    [2]time.Time // when the current file of each lane was last planned for
	retired []*output    // with nothing pending: to be finished
}

// wake wakes the committer. A signal that comes while it works is kept.
type wake chan struct{}

func newWake() wake { return make(wake, 1) }

func (w wake) signal() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// lane is one of the two chains of files.
type lane int

const (
	small lane = iota
	large
)

// output is one WARC file, from the plan that it be written, through its first byte, to its final
// name. It is planned before its first exchange is compressed, because every record names the
// file's warcinfo record.
//
// What is behind safe is not in the index, and what was to be there is still in memory. That makes
// undoing simple: a file in which a write went wrong is cut back to safe and written on. If that
// does not help it is finished, and what it lacks goes into the next one, but not before it has
// been cut: else a recovery might find the same exchange twice.
type output struct {
	name     string // final base name; for who does not append to the file see lanes.nameOf
	warcinfo record.ID
	info     record.WARCInfo // what the record of that ID says
	created  time.Time
	lanes    *lanes // that it is planned by
	lane     lane
	begun    atomic.Bool // an exchange is planned for it

	// Guarded by lanes.mu.
	bound   int64 // bytes that the file has at most when all exchanges planned for it are in it
	planned int   // exchanges planned for it
	pending int   // those of them that are not in the index yet
	retired bool  // gets no more exchanges

	// Guarded by batches.mu.
	batch *batch // its finished exchanges that wait for the next commit; nil if there are none

	// Owned by who appends, and by the committer once the output is retired and nothing is pending.
	file     store.File // ID 0 until the index knows it
	writer   *warc.Writer
	path     string      // of the file while it is written
	opened   fs.FileInfo // which file it is; nil before it is made
	safe     int64       // bytes, from the start, that are synced
	broken   error       // what went wrong with the last write: bytes behind safe may be there
	failures int         // writes that went wrong since the last one that did not
	finished bool        // has its final name, or is gone
	panics   int         // of the committer while it finished the file

	unsealed bool // is finished, and could not get its final name
	// captures in it are not in the index: the next start must look for them from where the index ends
	// now
	unindexed bool
}

// begins reports whether nobody has asked before: the exchange that is planned is then the first.
func (out *output) begins() bool {
	return !out.begun.Load() && out.begun.CompareAndSwap(false, true)
}

func newLanes(cfg *Config, names names, wake wake) *lanes {
	return &lanes{names: names, style: cfg.style(), maxSize: cfg.WARCMaxSize, wake: wake}
}

// adopt lets other settings count: for the files that are begun from now on, and for what is planned
// for those that are open.
func (l *lanes) adopt(cfg *Config) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.style, l.maxSize = cfg.style(), cfg.WARCMaxSize
	l.names.pattern, l.names.prefix = cfg.WARCName, cfg.WARCPrefix
}

// sizeOfWarcinfo is more than a warcinfo record takes.
const sizeOfWarcinfo = 4 << 10

// plan returns the file that takes an exchange of which at most bound bytes will be written. The
// bound is what keeps a file below maxSize before anybody knows how well its exchanges compress;
// filled and grown put the true size in its place. Every plan ends with leave or drop.
func (l *lanes) plan(n lane, bound int64) *output {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.current[n]
	if out == nil || out.planned > 0 && out.bound+bound > l.maxSize {
		l.retire(n)
		out = l.next(n)
	}
	out.bound += bound
	out.planned++
	out.pending++
	l.used[n] = time.Now()
	return out
}

// next begins the next file of a lane.
func (l *lanes) next(n lane) *output {
	created := time.Now()
	var random record.IDSource
	out := &output{
		lanes:    l,
		lane:     n,
		name:     l.names.next(created),
		created:  created,
		warcinfo: random.Next(),
		info:     l.style.Warcinfo,
		bound:    sizeOfWarcinfo + l.style.InfoSize(),
	}
	l.current[n] = out
	return out
}

// retire ends the current file of a lane: it is finished once nothing of it is pending.
func (l *lanes) retire(n lane) {
	out := l.current[n]
	if out == nil {
		return
	}
	l.current[n] = nil
	out.retired = true
	l.unplan(out, 0)
}

// retireAll ends the current files of all lanes, and returns them. Some may not be made yet.
func (l *lanes) retireAll() (ended []*output) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, out := range l.current {
		if out != nil {
			l.retire(lane(n))
			ended = append(ended, out)
		}
	}
	return ended
}

// namesOf returns the names of files that have ended, those of which something is pending apart. The
// others keep their names, and are made by now if they ever are.
func (l *lanes) namesOf(ended []*output) (settled, pending []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, out := range ended {
		if out.pending > 0 {
			pending = append(pending, out.name)
		} else {
			settled = append(settled, out.name)
		}
	}
	return settled, pending
}

// retireIdle ends files that have had no exchange for idle, or are older than maxAge, unless that
// is 0. It returns how long to wait until the next one may be either.
func (l *lanes) retireIdle(now time.Time, idle, maxAge time.Duration) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait = idle
	for n, out := range l.current {
		if out == nil {
			continue
		}
		left, young := idle-now.Sub(l.used[n]), idle
		if maxAge > 0 {
			young = maxAge - now.Sub(out.created)
		}
		if young <= 0 || left <= 0 && out.pending == 0 {
			l.retire(lane(n))
			continue
		}
		if wait = min(wait, young); out.pending == 0 {
			wait = min(wait, left)
		}
	}
	return wait
}

// takeRetired returns the files that are to be finished by now. They are the caller's.
func (l *lanes) takeRetired() []*output {
	l.mu.Lock()
	defer l.mu.Unlock()
	retired := l.retired
	l.retired = nil
	return retired
}

// unplan takes n exchanges off those pending for a file, and wakes the committer when a retired
// file has none left. The caller holds mu.
func (l *lanes) unplan(out *output, n int) {
	out.pending -= n
	if out.retired && out.pending == 0 {
		l.retired = append(l.retired, out)
		l.wake.signal()
	}
}

// leave notes that n exchanges that were planned for a file are in the index, or lost.
func (l *lanes) leave(out *output, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unplan(out, n)
}

// drop undoes a plan.
func (l *lanes) drop(out *output, bound int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out.bound -= bound
	l.unplan(out, 1)
}

// filled notes that an exchange for which bound bytes were planned takes only size.
func (l *lanes) filled(out *output, bound, size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out.bound += size - bound
}

// grown notes that a file ends at end. It is for the large lane, where only one exchange at a time
// is planned.
func (l *lanes) grown(out *output, end int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out.bound = end
}

// move gives n exchanges of size bytes to the next file of a lane: the one that they were planned
// for has been finished without them.
func (l *lanes) move(old *output, n int, size int64) *output {
	out := l.plan(old.lane, size)
	l.mu.Lock()
	defer l.mu.Unlock()
	out.planned += n - 1
	out.pending += n - 1
	l.unplan(old, n)
	return out
}

// abandon makes sure that a file that has been finished is not planned for any more.
func (l *lanes) abandon(out *output) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current[out.lane] == out {
		l.retire(out.lane)
	}
}

// nameOf is the name of a file for those who do not append to it: until it is made, whoever appends
// may rename it.
func (l *lanes) nameOf(out *output) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return out.name
}

// rename chooses another name for a file that is not made yet. Only who appends to it calls rename.
func (l *lanes) rename(out *output) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out.name, out.file = l.names.next(out.created), store.File{}
}

// names makes the names of WARC files.
type names struct {
	dir     collection.Dir
	pattern string
	prefix  string
	host    string
	index   *store.Bolt
	serial  int // of the last name
}

func newNames(cfg *Config, dir collection.Dir, host string, index *store.Bolt) names {
	return names{dir: dir, pattern: cfg.WARCName, prefix: cfg.WARCPrefix, host: host, index: index}
}

// next returns a name that no file has or had: the clock may have been set back, and the serial
// begins anew with each start.
func (n *names) next(created time.Time) string {
	for {
		n.serial++
		name := warc.Name(n.pattern, n.prefix, created, n.serial, n.host)
		// what is wrong shows again when the file is made
		if free, err := recovery.IsFree(n.dir, name, n.index); free || err != nil {
			return name
		}
	}
}
