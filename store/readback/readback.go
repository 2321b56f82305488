// Package readback reads what was recorded: a capture's place in, its record, its HTTP message and
// the entity in that out. Start with [Files.Response]; [Files.Record] is for who wants the record
// itself, [Files.Request] for what was asked.
//
// It reads the files of a collection in every state: one that is being written, by its name at that
// moment, one that is finished, one that is away in object storage, and those of other tools. Whatever a
// body's size, reading it takes memory for some buffers; and time by what is read.
//
// Invariant: nothing is given that the index does not know to be on disk: what lies behind the
// committed length of a file does not exist here, also while a recorder appends to it. What comes
// out is what went in, byte for byte, or an error says so: a checksum that is wrong comes in place
// of the end.
package readback

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
)

// The errors beside those of the disk, with the file and the offset around them. Bytes that are no
// whole record are a *warc.Damage.
var (
	// ErrUncommitted says that the index does not know the place to be on disk.
	ErrUncommitted = errors.New("nothing is committed there")

	// ErrMissing says that the file, or the end of it, is not in the collection any more, and is not
	// away either.
	ErrMissing = errors.New("the file is missing")

	// ErrNoOriginal says that the response to which a revisit refers is nowhere to be found. Outside is
	// one that never was in the collection.
	ErrNoOriginal = errors.New("the revisit's original is not in the archive")

	// ErrNoRequest says that no request record lies beside the response.
	ErrNoRequest = errors.New("no request was recorded with it")

	// ErrOther says that another record lies where that of a capture was: the file was replaced. It is
	// the reason of a *warc.Damage.
	ErrOther = errors.New("it is the record of something else")

	// ErrNoMessage says that the record has no HTTP message where there must be one.
	ErrNoMessage = errors.New("the record holds no HTTP message")
)

// Files reads the files of one collection. Its methods are safe for concurrent use, beside a
// recorder that writes them. What they return is for one goroutine.
type Files struct {
	dir      collection.Dir
	holdings *holdings.Holdings
	progress progress
	index    *store.Bolt                                          // finds the originals of revisits; nil beside a recorder
	find     func(revisit *store.Capture) (store.Location, error) // finds them there

	mu      sync.Mutex
	opened  *simplelru.LRU[string, *file]
	closed  bool        // no file stays open between two readings
	sweeper *time.Timer // of what nobody reads; nil while nothing is open

	archives *simplelru.LRU[string, []string] // that dedupFrom has found

	asking sync.Mutex
	gone   map[string]bool // files of which was asked what became of them

	members, plain sync.Pool // of *member, for files of gzip members and for those not compressed
}

// mostOpen is how many files stay open between two readings.
const mostOpen = 64

// New returns the files of a collection; index says how far they are committed, and finds the
// originals of revisits.
func New(dir collection.Dir, index *store.Bolt) *Files { return Through(holdings.New(dir), index) }

// Through is New, where what opens the files is shared with others.
func Through(held *holdings.Holdings, index *store.Bolt) *Files {
	f := newFiles(held, index)
	f.index = index
	return f
}

// By returns Files of the same collection, by another index or for another reader, which have a Close of
// their own. They share object storage with f, also once f is closed.
func (f *Files) By(index *store.Bolt) *Files { return Through(f.holdings, index) }

// Dir returns the collection whose files they are.
func (f *Files) Dir() collection.Dir { return f.dir }

// Holdings returns what opens them.
func (f *Files) Holdings() *holdings.Holdings { return f.holdings }

// States tell Files of a collection whose index another process has open.
type States interface {
	progress

	// Original says where the body of a revisit lies; ErrNoOriginal if that is not known.
	Original(revisit *store.Capture) (store.Location, error)
}

// Beside returns the files of a collection that another process records.
func Beside(dir collection.Dir, states States) *Files {
	f := newFiles(holdings.New(dir), states)
	f.find = states.Original
	return f
}

// progress says how far files are committed, as store.Bolt does.
type progress interface {
	File(name string) (f store.File, known bool)
	FileNow(name string) (f store.File, known bool, err error)
}

func newFiles(held *holdings.Holdings, progress progress) *Files {
	f := &Files{dir: held.Dir(), holdings: held, progress: progress, gone: make(map[string]bool)}
	opened, err := simplelru.NewLRU(mostOpen, func(_ string, one *file) { one.evicted() })
	if err != nil {
		panic(err) // the size is positive
	}
	f.opened = opened
	if f.archives, err = simplelru.NewLRU[string, []string](mostOpen, nil); err != nil {
		panic(err) // the size is positive
	}
	return f
}

// Close closes the files, each when it is read no longer; also those that are read after it.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.opened.Purge()
	if f.sweeper != nil {
		f.sweeper.Stop()
	}
	return nil
}
