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

// gather is up to how many bytes the buffers of one append are copied together and written at once;
// buffers with more bytes are written one by one.
const gather = 256 << 10

// Writer is one WARC file being written, under its name with OpenSuffix. Its methods are safe for
// concurrent use: appends wait for one another, but not for Sync.
type Writer struct {
	dir, name string
	file      *os.File
	opened    fs.FileInfo // of the file when it was opened

	mu      sync.Mutex
	size    int64  // of the records; bytes behind them are the rest of a failed append
	scratch []byte // the buffers of one append, copied together
	broken  error  // why the Writer refuses appends; nil as long as it takes them
	lost    bool   // a sync has failed: which bytes are on disk is not known
}

// Create creates dir/name.open, which must not exist, and syncs dir. Only the file's owner may read
// it: what a browser sends and gets is private.
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

// Resume opens dir/name.open, which a crash or a failed write has left behind, and cuts it to its
// first size bytes. was is the file that is to be cut: if another file or a link has the name now,
// the error wraps fs.ErrNotExist, and nothing has changed.
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

// own looks at the name with OpenSuffix, which must be that of the Writer's file: not of a link to
// it, and not of another file.
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

// Opened returns the file as it was when it was opened, for os.SameFile.
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

// Present returns an error that wraps fs.ErrNotExist unless the file still has its name and at
// least size bytes. Without Present, what is appended to a file that was removed or replaced would
// be lost without an error.
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

// Append appends bufs, one behind another, and returns the offset of the first byte. After an error
// the file is as before. If the file cannot be brought back to that, this and every later append
// returns an error that says so.
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

// AppendStream appends what write writes to the Tail. Other appends wait until write returns. An
// error of write undoes the whole append, as in Append.
func (w *Writer) AppendStream(write func(*Tail) error) (offset int64, err error) {
	return w.append(write)
}

// append lets write append to the file. After an error of write the file is as before.
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

// undo cuts off what a failed append has written.
func (w *Writer) undo(cause error) error {
	if err := truncate(w.file, w.size); err != nil {
		w.broken = fmt.Errorf("%s takes no more records: %w; and its end could not be cut off: %w",
			w.name, cause, err)
		return w.broken
	}
	return cause
}

// gathered copies bufs together, if they are small, for one write instead of many.
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

// Sync makes durable what had been appended when Sync was called. After an error the Writer takes
// no more appends: which of the bytes written since the last Sync are on disk is not known, and the
// system reports a failed sync only once.
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

// Close syncs the file, gives it its final name and syncs the directory. If Close fails, or a Sync
// has failed before, the file keeps the name with OpenSuffix, for the next recovery to look at. If
// another file has the final name, that file keeps it, and the error wraps fs.ErrExist. If the file
// does not have its name with OpenSuffix any more, the error wraps fs.ErrNotExist.
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

// rename gives the file its final name. A person may have given it that name already, as a link, to
// let others read the file.
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

// isFinal reports whether the final name is that of the Writer's file.
func (w *Writer) isFinal() bool {
	final, err := os.Lstat(filepath.Join(w.dir, w.name))
	return err == nil && os.SameFile(final, w.opened)
}

// seal cuts the file behind its last record and syncs it.
func (w *Writer) seal() error {
	if w.lost {
		return w.broken
	}
	w.broken = errors.New(w.name + " is closed")
	// the second attempt, if the first failed after a failed append
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

// synced calls sync, between two points at which a test may let it fail.
func synced(file *os.File, sync func(*os.File) error) error {
	if err := fault.At(fault.WARCSync); err != nil {
		return err
	}
	if err := sync(file); err != nil {
		return err
	}
	return fault.At(fault.WARCSynced)
}

// Abandon closes the file and leaves alone whatever has its name now: for a file that Present does
// not find any more.
func (w *Writer) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = errors.New(w.name + " is abandoned")
	return w.file.Close()
}

// Discard closes the file and removes it: for a file without records. If another file has its name
// now, that file stays, and the error wraps fs.ErrNotExist.
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
