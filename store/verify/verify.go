// Package verify checks WARC files, and the index of a collection against them.
//
// A Checker reads every byte of its files, several files at once, and reports what is wrong as
// Findings: first on each file by itself (is every member whole; do lengths, digests, fields and
// HTTP messages agree; is each exchange complete), then on all files together (is every record ID
// unique; is the original of each revisit there), then on the index (does every response have its
// capture, and every capture its response). A Checker believes no figure: it takes lengths from the
// bytes and computes digests anew.
//
// The package has its own readers of HTTP headers, of chunked bodies, of dates, digests and gzip
// extra fields, although the recorder has them, too: a referee does not share the player's eyes. A
// mistake in a reader that both used would be a mistake that nobody finds. Only the walk from
// record to record is that of warc.Reader, which shares no code with what makes the members.
//
// What is away is read from object storage if that is asked for, and is checked in the same way; its
// bytes are compared with the sums that were taken when it was uploaded.
//
// Invariant: a Checker changes nothing, and its memory does not grow with the files: it takes about
// 1 MB for each file that is read at the same time, and 16 MB for each of two tables of all
// records. Larger tables go to temporary files: some 300 bytes for an exchange, 1.5 GB for 5
// million.
package verify

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"warcorder/store"
	"warcorder/store/collection"
)

// Checker checks files. The zero value is ready, and reports to nobody. A Checker is used once.
type Checker struct {
	// TempDir is where tables go that do not fit into memory; "" is os.TempDir.
	TempDir string
	// Report, if not nil, is called with each Finding, in an order that depends on the files alone.
	Report func(Finding)
	// Remote says that object storage is read: the files of a collection that are away, as if they
	// were here, and the copies of those that are here.
	Remote bool
	// Lost, if not nil, is told of each object that is not what was uploaded, of a file that is here; by any
	// goroutine.
	Lost func(*store.Remote)
	// Progress, if not nil, is called with the number of bytes that have been read.
	Progress func(file string, done, total int64)

	dir    collection.Dir // "" if the files are no collection's
	names  []string       // of the files, by their numbers
	whole  bool           // the files are a collection's: the originals of its own revisits must be there
	passed bool           // files of the collection that are being written were not read
	byID   table          // a row for each record and each reference to one
	lines  table          // with an index: a row for each record that can be in it, and for each capture

	away bool // files that are away were not read

	mu          sync.Mutex
	summary     Summary
	object      object       // object storage
	blind       map[int]bool // numbers of the files that could not be read: they are compared with nothing
	done, total int64
	memory      int // of a table, in bytes; 0 is the usual
}

// Summary is what was checked.
type Summary struct {
	Files    int              `json:"files"`  // that were read, here or where they are away
	Away     int              `json:"away"`   // files that are away, read or not
	Remote   bool             `json:"remote"` // object storage was read
	Copies   int              `json:"copies"` // objects that were read, of files that are here, too
	Bytes    int64            `json:"bytes"`
	Records  map[string]int64 `json:"records"` // whole ones, by WARC-Type
	Digests  Digests          `json:"digests"`
	Captures int64            `json:"captures"` // of the index, that were compared
	Indexed  bool             `json:"indexed"`  // there was an index
	Outside  int64            `json:"outside"`  // revisits that name records of other archives
	Findings int64            `json:"findings"`
	Notes    int64            `json:"notes"`
}

// Digests counts the digests that are right. A payload digest can be that of the stored bytes
// behind the HTTP header (Wire), or of these bytes without the framing of their chunks (Entity);
// without chunks it is both (Both).
type Digests struct {
	Block  int64 `json:"block"`
	Wire   int64 `json:"wire"`
	Entity int64 `json:"entity"`
	Both   int64 `json:"both"`
}

// target is a file to be checked.
type target struct {
	number int
	name   string // in findings
	path   string
	size   int64 // up to where the file is to be checked

	remote *store.Remote // of one in object storage; else nil
	copied bool          // it is here as well: what the object comes to is all that is looked at
}

// Files checks the files at paths, one by one and then together. A file that cannot be read is a
// finding, not an error: the error is that of a temporary file.
func (c *Checker) Files(paths []string) (Summary, error) {
	defer c.close()
	var targets []target
	for _, path := range paths {
		if t, ok := c.target(path, path); ok {
			targets = append(targets, t)
		}
	}
	err := c.files(targets)
	if err == nil {
		err = c.together()
	}
	return c.summary, err
}

// target returns the file at path as a target; ok is false, and a finding reported, if there is
// none.
func (c *Checker) target(name, path string) (_ target, ok bool) {
	number := c.number(name)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		c.report(Finding{File: name, Code: Read, Text: err.Error()})
		return target{}, false
	}
	return target{number: number, name: name, path: path, size: info.Size()}, true
}

// number gives the next number to a file.
func (c *Checker) number(name string) int {
	c.names = append(c.names, name)
	return len(c.names) - 1
}

// ahead is how many files may be checked before an earlier file, whose findings are reported first.
const ahead = 64

// files checks the files, several at once, and reports on them in their order.
func (c *Checker) files(targets []target) error {
	for _, t := range targets {
		c.total += t.size
	}
	results := make([]chan *fileCheck, len(targets))
	for i := range results {
		results[i] = make(chan *fileCheck, 1)
	}
	next, room := make(chan int), make(chan struct{}, ahead)
	go func() {
		defer close(next)
		for i := range targets {
			room <- struct{}{}
			next <- i
		}
	}()
	var workers sync.WaitGroup
	defer workers.Wait()
	for range min(runtime.GOMAXPROCS(0), len(targets)) {
		workers.Go(func() {
			w := newWorker(c)
			for i := range next {
				results[i] <- w.check(targets[i])
			}
		})
	}
	var failed error
	for _, result := range results {
		f := <-result
		<-room
		failed = cmp.Or(failed, f.failed)
		c.count(f)
	}
	return failed
}

// count adds a checked file to the summary, and reports what was found in it.
func (c *Checker) count(f *fileCheck) {
	s := &c.summary
	if f.copied {
		s.Copies++
	} else {
		s.Files++
	}
	s.Bytes += f.read
	if s.Records == nil {
		s.Records = make(map[string]int64)
	}
	for kind, n := range f.records {
		s.Records[kind] += n
	}
	s.Digests.Block += f.digests.Block
	s.Digests.Wire += f.digests.Wire
	s.Digests.Entity += f.digests.Entity
	s.Digests.Both += f.digests.Both
	c.reportAll(&f.found)
}

// progress counts bytes that have been read.
func (c *Checker) progress(file string, n int64) {
	if c.Progress == nil || n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.Progress(file, c.done, c.total)
}

// close removes the temporary files.
func (c *Checker) close() {
	c.byID.close()
	c.lines.close()
}

// archiveFiles returns the names of the WARC files of a collection in their order: those that are
// finished, ours that are open, and others that look like that.
func archiveFiles(dir collection.Dir) ([]string, error) {
	entries, err := os.ReadDir(dir.Archive())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		switch state, _ := collection.StateOf(name); state {
		case collection.Finished, collection.Open, collection.Begun:
		default:
			continue
		}
		info, err := os.Stat(dir.WARC(name)) // of what a link leads to
		if errors.Is(err, fs.ErrNotExist) {
			continue // renamed just now, or a link to nothing
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}
