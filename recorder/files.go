package recorder

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// files are the WARC files being written, and what waits to be written to them. There are two
// chains of them, each file following the one before: one for small exchanges, whose records are
// compressed beforehand and go down many at a time, and one for large ones, which are compressed
// straight into the file and may hold it for a long time.
type files struct {
	dir        string // archive/ of the collection
	mode       collection.Mode
	pattern    string // of their names
	prefix     string
	host       string
	style      *record.Style
	collection string // its name
	maxSize    int64
	index      *store.Bolt
	log        zerolog.Logger
	gone       func(name, detail string) // told of a file that was taken away
	bytes      atomic.Int64              // written
	syncs      bool                      // what is written is forced to disk
	alone      bool                      // each exchange by itself

	mu      sync.Mutex
	serial  int         // of the last file planned
	current [2]*output // by lane; nil before the first exchange
	used    [2]time.Time
	waiting []*batch   // with finished exchanges, in the order of their first
	retired []*output // with nothing pending: to be finished
	since   time.Time  // when the first of the waiting exchanges came
	size    int64      // bytes of the waiting exchanges, as they crossed the wire
	open    []string   // base names of the files being written
	wake    chan struct{}

	keys      int64     // bytes of the keys of exchanges that wait
	fewerKeys sync.Cond // on mu
	full      int64     // size that wakes the committer before its time

	originals originals
	presence  presence

	batches sync.Pool
	chunks  sync.Pool
}

// lane is one of the two chains of files.
type lane int

const (
	small lane = iota
	large
)

// sizeOfWarcinfo is more than a warcinfo record takes.
const sizeOfWarcinfo = 4 << 10

// plan returns the file that takes an exchange of which at most bound bytes will be written. Every
// plan ends with add or drop.
func (f *files) plan(l lane, bound int64) *output {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.current[l]
	if s == nil || s.planned > 0 && s.bound+bound > f.maxSize {
		f.retire(l)
		s = f.next(l)
	}
	s.bound += bound
	s.planned++
	s.pending++
	f.used[l] = time.Now()
	return s
}

// next begins the next file of a lane.
func (f *files) next(l lane) *output {
	created := time.Now()
	var random record.IDSource
	s := &output{
		lane:     l,
		name:     f.newName(created),
		created:  created,
		warcinfo: random.Next(),
		bound:    sizeOfWarcinfo + f.style.Warcinfo.Size(),
	}
	f.current[l] = s
	return s
}

// newName returns a name that no file has or had: the clock may have been set back, and the serial
// begins anew with each start.
func (f *files) newName(created time.Time) string {
	for {
		f.serial++
		name := warc.Name(f.pattern, f.prefix, created, f.serial, f.host)
		// what is wrong shows again when the file is made
		if free, err := isFree(collection.Dir(filepath.Dir(f.dir)), name, f.index); free || err != nil {
			return name
		}
	}
}

// retire ends the current file of a lane: it is finished once nothing of it is pending.
func (f *files) retire(l lane) {
	s := f.current[l]
	if s == nil {
		return
	}
	f.current[l] = nil
	s.retired = true
	f.leave(s, 0)
}

// retireAll ends the current files of all lanes.
func (f *files) retireAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retire(small)
	f.retire(large)
}

// leave takes n exchanges off those pending for a file.
func (f *files) leave(s *output, n int) {
	s.pending -= n
	if s.retired && s.pending == 0 {
		f.retired = append(f.retired, s)
		f.signal()
	}
}

// drop undoes a plan.
func (f *files) drop(s *output, bound int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.bound -= bound
	f.leave(s, 1)
}

// move gives a batch whose file has been finished without it to the next file of the lane. Its
// records name the warcinfo record of the file that they were meant for, which is still where it
// was; WARC 1.1 allows a WARC-Warcinfo-ID that points elsewhere.
func (f *files) move(b *batch) *output {
	old := b.output
	n := len(b.done)
	b.output = f.plan(old.lane, b.size)
	f.mu.Lock()
	defer f.mu.Unlock()
	b.output.planned += n - 1
	b.output.pending += n - 1
	f.leave(old, n)
	for i := range b.done {
		if p := b.done[i].original; p != nil {
			p.output = b.output
		}
	}
	return b.output
}

// abandon makes sure that a file that has been finished is not planned for any more.
func (f *files) abandon(s *output) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current[s.lane] == s {
		f.retire(s.lane)
	}
}

// add hands a finished exchange to the committer. records are its members, which were promised to
// fill at most bound bytes; d.capture lies relative to them.
func (f *files) add(s *output, bound int64, records []byte, d done) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.bound += int64(len(records)) - bound
	b := f.batchOf(s)
	d.capture.Offset += b.size
	d.at = stretch{b.size, b.size + int64(len(records))}
	f.done(b, d)
	b.size = d.at.to
	f.copy(b, records)
	f.waits(d.size)
}

// addWritten hands over an exchange whose records are in the file already, which is committed up to
// end with them.
func (f *files) addWritten(s *output, end int64, d done) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.batchOf(s)
	d.capture.File = s.name
	if d.original != nil {
		d.original.output = nil
	}
	f.done(b, d)
	b.file, b.written = s.file, true
	b.file.Committed, s.bound = end, end // only one exchange at a time is planned for such a file
	f.waits(d.size)
}

// maxKeys is how many bytes of keys may wait for the index before nothing more is made: what the
// dialects make of a body of some MB can be many times as long, and is in no queue.
const maxKeys = 32 << 20

// done adds an exchange to a batch.
func (f *files) done(b *batch, d done) {
	f.originals.await(d.original)
	b.keep(d)
	f.keys += record.KeySize(&d.capture)
}

// awaitKeys waits until the keys that wait take no more than maxKeys.
func (f *files) awaitKeys() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.keys > maxKeys {
		f.fewerKeys.Wait()
	}
}

// waits notes that an exchange of that size waits.
func (f *files) waits(size int64) {
	before := f.size
	f.size += size
	if f.since.IsZero() {
		f.since = time.Now()
		f.signal()
	}
	if before < f.full && f.size >= f.full {
		f.signal()
	}
}

func (f *files) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// openFiles is the number of the files being written.
func (f *files) openFiles() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open)
}

// noteOpen keeps the list of the files being written.
func (f *files) noteOpen(name string, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = slices.DeleteFunc(f.open, func(s string) bool { return s == name })
	if open {
		f.open = append(f.open, name)
	}
}
