package delta

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"sync"

	"warcorder/store"
	"warcorder/store/holdings"
)

// tailSize is how many bytes of the end of a file tell one state of it from another: the tombstone that
// a removal has left there is in them, or the checksum of its member.
const tailSize = 4 << 10

// Ends are the ends of the files of a collection that are away, for who begins one Delta after another:
// each of them is read once. Its methods are safe for concurrent use.
//
// A token alone cannot tell that the end of such a file is what it was: a removal brings the file back,
// writes it anew, of the same size perhaps, and it is sent away again. So what was read is known by the
// object: another one has another ETag, or another SHA-256.
type Ends struct {
	holdings *holdings.Holdings

	mu    sync.Mutex
	known map[string]end // by the name of the file: no more than the index has files
}

// end is the end of an object.
type end struct {
	of        *store.Remote
	committed int64
	tail      [8]byte
}

// NewEnds returns those of a collection, of which nothing was read yet.
func NewEnds(of *holdings.Holdings) *Ends { return &Ends{holdings: of, known: make(map[string]end)} }

// find returns the tail of a file that is away, if it was read.
func (e *Ends) find(f store.File) (tail [8]byte, known bool) {
	if !f.IsAway() {
		return tail, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	read, known := e.known[f.Name]
	if !known || read.committed != f.Committed || !read.of.IsSame(f.Remote) {
		return tail, false
	}
	return read.tail, true
}

// keep notes the tail of an object.
func (e *Ends) keep(f store.File, of *store.Remote, tail [8]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[f.Name] = end{of, f.Committed, tail}
}

// open opens a file, of which nothing is asked of object storage once who wants the Delta has gone.
func (d *Delta) open(f store.File) (*holdings.File, error) {
	opened, err := d.ends.holdings.Open(f)
	if err != nil || d.query.Context == nil {
		return opened, err
	}
	return opened.WithContext(d.query.Context), nil
}

// tail is what the end of a file is; zeros if it is not there.
func (d *Delta) tail(f store.File) (tail [8]byte, err error) {
	if tail, known := d.ends.find(f); known {
		return tail, nil
	}
	opened, err := d.open(f)
	if errors.Is(err, fs.ErrNotExist) {
		return tail, nil
	}
	if err != nil {
		return tail, err
	}
	defer opened.Close()
	b := make([]byte, min(tailSize, f.Committed))
	_, err = opened.ReadAt(b, f.Committed-int64(len(b)))
	if errors.Is(err, io.EOF) {
		return tail, nil // it is cut: a gap says so
	}
	sum := sha256.Sum256(b)
	copy(tail[:], sum[:])
	if err == nil && opened.Remote != nil {
		d.ends.keep(f, opened.Remote, tail)
	}
	return tail, err
}
