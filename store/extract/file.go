package extract

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// file is a file that is being written. While it grows, and when it is closed, it is forced to disk
// beside what is written next: the disk never waits for the copy, nor the copy for the disk.
type file struct {
	out     *os.File
	writer  *writer
	name    string
	written int64 // since it was forced to disk
	closed  bool

	grown chan struct{}
	ended chan error // what came of it
}

// syncEach is after how many bytes a file is forced to disk while it grows.
const syncEach = 64 << 20

// mostOpen is how many files are open, of which all but one wait for the disk.
const mostOpen = 8

// open begins a file, when there are not too many that wait for the disk.
func (w *writer) open(name string, _ int64) (io.WriteCloser, error) {
	if err := w.syncedBut(mostOpen - 1); err != nil {
		return nil, err
	}
	opened, err := os.OpenFile(filepath.Join(w.folder.Path, name),
		os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	one := &file{out: opened, writer: w, name: name}
	one.grown, one.ended = make(chan struct{}, 1), make(chan error, 1)
	w.files = append(w.files, one)
	go one.sync()
	return one, nil
}

// sync forces the file to disk, again and again, until it is closed.
func (f *file) sync() {
	var err error
	for range f.grown {
		err = errors.Join(err, f.out.Sync())
	}
	f.ended <- errors.Join(err, f.writer.options.Mode.Set(f.out.Name()), f.out.Sync(), f.out.Close())
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	if f.written += int64(n); f.written >= syncEach {
		f.written = 0
		select {
		case f.grown <- struct{}{}:
		default: // it is being done
		}
	}
	return n, err
}

// Close ends the file. Whether all of it is on disk is known after writer.synced.
func (f *file) Close() error {
	if !f.closed {
		f.closed = true
		close(f.grown)
		f.writer.names = append(f.writer.names, f.name)
	}
	return nil
}

// synced waits until all files are on disk.
func (w *writer) synced() error { return w.syncedBut(0) }

// syncedBut waits until all files but the last most are on disk.
func (w *writer) syncedBut(most int) (err error) {
	for len(w.files) > most {
		err = errors.Join(err, <-w.files[0].ended)
		w.files = w.files[1:]
	}
	return err
}
