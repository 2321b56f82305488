package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"warcorder/store/fault"
)

// OpenSuffix is appended to the name of a file while it is being written.
const OpenSuffix = ".open"

// gather is up to how many bytes one append is copied together for one write; above, its buffers
// are written one by one.
const gather = 256 << 10

// Writer is one WARC file being written, under its name with OpenSuffix. Its methods are safe for
// concurrent use: appends wait for one another, Sync holds none of them up.
type Writer struct {
	dir, name string
	file      *os.File
	opened    fs.FileInfo // of the file when it was opened

	mu      sync.Mutex
	size    int64  // of the file: what is behind it, if anything, is the rest of a failed append
	scratch []byte // buffers of one append, one behind the other
	broken  error  // why the Writer refuses appends; nil while it does not
	lost    bool   // a sync has failed: what is on disk cannot be known
}

// Create creates dir/name.open, which must not exist, and makes its directory entry durable. Only
// its owner may read it: what a browser sends and gets is private.
func Create(dir, name string) (*Writer, error) {
	if err := fault.At(fault.WARCCreate); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(openPath(dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	err = syncDir(dir, fault.WARCCreated)
	opened, statError := file.Stat()
	w := &Writer{dir: dir, name: name, file: file, opened: opened}
	if err := errors.Join(err, statError); err != nil {
		return nil, errors.Join(err, w.Discard())
	}
	return w, nil
}

// Resume opens dir/name.open, left behind by a crash or a failed write, and cuts it to its first
// size bytes. was is the file that is to be cut: if another one has the name now, or a link leads
// there, the error wraps fs.ErrNotExist, and nothing has changed.
func Resume(dir, name string, size int64, was fs.FileInfo) (*Writer, error) {
	path := openPath(dir, name)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, name: name, file: file, opened: was, size: size}
	if err := w.cut(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// cut cuts a file that was opened by its name to the Writer's size.
func (w *Writer) cut() error {
	stat, err := w.file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(stat, w.opened) {
		return w.replaced()
	}
	if _, err := w.own(); err != nil {
		return err
	}
	if stat.Size() < w.size {
		return fmt.Errorf("%s has %d bytes, cannot be cut to %d", w.file.Name(), stat.Size(), w.size)
	}
	return truncate(w.file, w.size)
}

// own looks at the name with OpenSuffix, which must be that of our file: no link to it, and no
// other file.
func (w *Writer) own() (Place, error) {
	open, err := Look(openPath(w.dir, w.name))
	if err == nil && (w.opened == nil || !os.SameFile(open.Entry, w.opened)) {
		err = w.replaced()
	}
	return open, err
}

func (w *Writer) replaced() error {
	return fmt.Errorf("%s is another file now: %w", openPath(w.dir, w.name), fs.ErrNotExist)
}

// Opened is the file, for whoever must know it again.
func (w *Writer) Opened() fs.FileInfo { return w.opened }

func openPath(dir, name string) string { return filepath.Join(dir, name+OpenSuffix) }

// Name returns the final base name.
func (w *Writer) Name() string { return w.name }

// Size returns the length of the file in bytes: where the next append begins.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size
}

// Present returns an error that wraps fs.ErrNotExist unless the file is still found under its name,
// with at least size bytes: what is appended to one that was removed or replaced is lost without an
// error.
func (w *Writer) Present(size int64) error {
	there, err := os.Stat(openPath(w.dir, w.name))
	if err != nil {
		return err
	}
	if !os.SameFile(there, w.opened) || there.Size() < size {
		return fmt.Errorf("%s is another file now, or was cut: %w", openPath(w.dir, w.name),
			fs.ErrNotExist)
	}
	return nil
}

// Append appends bufs, one behind the other and nothing between them, and returns the offset of the
// first byte. After an error the file is as before; if that could not be brought about, this and
// every later append returns an error that says so.
func (w *Writer) Append(bufs ...[]byte) (offset int64, err error) {
	return w.append(func(t *Tail) error {
		for _, b := range w.gathered(bufs) {
			if _, err := t.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// AppendStream appends what write gives to the Tail; other appends wait until it returns. An error
// of write undoes all of it, as in Append.
func (w *Writer) AppendStream(write func(*Tail) error) (offset int64, err error) {
	return w.append(write)
}

// append lets write append to the file, or leaves it as it was.
func (w *Writer) append(write func(*Tail) error) (offset int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return 0, w.broken
	}
	tail := Tail{file: w.file, start: w.size, end: w.size}
	if err := write(&tail); err != nil {
		return 0, w.undo(fmt.Errorf("append to %s: %w", w.name, err))
	}
	w.size = tail.end
	return tail.start, nil
}

// undo cuts off what a failed append has left.
func (w *Writer) undo(cause error) error {
	if err := truncate(w.file, w.size); err != nil {
		w.broken = fmt.Errorf("%s takes no more records: %w; and its end could not be cut off: %w",
			w.name, cause, err)
		return w.broken
	}
	return cause
}

// gathered returns bufs as one buffer, if that is small, for one write instead of many.
func (w *Writer) gathered(bufs [][]byte) [][]byte {
	if len(bufs) < 2 || length(bufs) > gather {
		return bufs
	}
	w.scratch = w.scratch[:0]
	for _, b := range bufs {
		w.scratch = append(w.scratch, b...)
	}
	return [][]byte{w.scratch}
}

// Sync makes durable what had been appended when it was called. After an error the Writer takes no
// more appends: which of the bytes written since the last Sync are on disk cannot be known, and the
// next Sync would not tell.
func (w *Writer) Sync() error {
	err := synced(w.file, datasync)
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = true
	w.broken = fmt.Errorf("sync %s: %w", w.name, err)
	return w.broken
}

// Close syncs the file, gives it its final name and makes that durable. The file keeps the name
// with OpenSuffix, for the next recovery to look at, if Close fails or a Sync has failed before. It
// never takes its final name from another file: then the error wraps fs.ErrExist. If the file is
// not found under its name, or is another one there, it wraps fs.ErrNotExist.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.seal(); err != nil {
		return errors.Join(fmt.Errorf("close %s: %w", w.name, err), w.file.Close())
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	if err := w.rename(); err != nil {
		return err
	}
	return syncDir(w.dir, fault.WARCRenamed)
}

// rename gives the file its final name. Someone may have given it that already, as a link, so that
// others can read it.
func (w *Writer) rename() error {
	if joined, err := OneName(w.dir, w.name); err != nil {
		return err
	} else if joined == Made && w.isFinal() {
		return nil
	}
	open, err := w.own()
	if err != nil {
		return err
	}
	if err := fault.At(fault.WARCRename); err != nil {
		return err
	}
	if err := Move(open.Path, filepath.Join(w.dir, w.name)); err != nil {
		return fmt.Errorf("%s stays %s: %w", w.name, w.name+OpenSuffix, err)
	}
	return nil
}

// isFinal reports whether the final name is that of our file.
func (w *Writer) isFinal() bool {
	final, err := os.Lstat(filepath.Join(w.dir, w.name))
	return err == nil && os.SameFile(final, w.opened)
}

// seal makes the file end with its last record, on disk.
func (w *Writer) seal() error {
	if w.lost {
		return w.broken
	}
	w.broken = errors.New(w.name + " is closed")
	// once more, if it could not be done after a failed append
	if err := truncate(w.file, w.size); err != nil {
		return err
	}
	return synced(w.file, (*os.File).Sync)
}

func truncate(file *os.File, size int64) error {
	if err := fault.At(fault.WARCTruncate); err != nil {
		return err
	}
	return file.Truncate(size)
}

// synced makes file durable by sync.
func synced(file *os.File, sync func(*os.File) error) error {
	if err := fault.At(fault.WARCSync); err != nil {
		return err
	}
	if err := sync(file); err != nil {
		return err
	}
	return fault.At(fault.WARCSynced)
}

// Abandon closes the file and leaves whatever bears its name alone: for one that Present does not
// find any more.
func (w *Writer) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = errors.New(w.name + " is abandoned")
	return w.file.Close()
}

// Discard closes the file and removes it: for one that got no record. If another file has its name
// that stays, and the error wraps fs.ErrNotExist.
func (w *Writer) Discard() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = errors.New(w.name + " is discarded")
	err := w.file.Close()
	open, err2 := w.own()
	if err2 == nil {
		err2 = open.Remove()
	}
	return errors.Join(err, err2)
}
