// Package behind writes long files that go to disk while they are written. Start with [New].
//
// What is on disk is given up by the system's memory, where it says so (Linux): a package of 20 GB would
// take the place of all that other programs have read, and each of its pages a new one, which on a
// virtual machine the host must find first. Packing 10 GB took 26 s without that, and 19 to 24 s with it.
//
// Invariant: whatever could not be forced to disk, at any time, is an error of Sync.
package behind

import (
	"errors"
	"os"
)

// File is a file that is written from its beginning to its end, by one goroutine.
type File struct {
	file    *os.File
	written int64
	told    int64      // up to where it was to be forced to disk last
	to      chan int64 // up to where it is to be
	ended   chan error // once, of all that was to be
}

// each is after how many bytes a file is forced to disk while it grows.
const each = 64 << 20

// New returns a File of a file that is empty. Its caller calls Sync in the end, or Stop, and closes it
// then.
func New(file *os.File) *File {
	f := &File{file: file, to: make(chan int64, 1), ended: make(chan error, 1)}
	go f.follow(f.to)
	return f
}

// follow forces to disk what was written, again and again, until there is no more.
func (f *File) follow(written <-chan int64) {
	var err error
	from := int64(0)
	for to := range written {
		if failed := f.file.Sync(); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		forget(f.file, from, to-from)
		from = to
	}
	f.ended <- err
}

func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if f.written += int64(n); f.written-f.told >= each {
		select {
		case f.to <- f.written:
			f.told = f.written
		default: // the one before is being done
		}
	}
	return n, err
}

// Sync returns when all is on disk. Nothing is written after it.
func (f *File) Sync() error {
	f.Stop()
	return errors.Join(<-f.ended, f.file.Sync())
}

// Stop ends the work, of a file that is to be thrown away. It waits for nothing: what is being forced to
// disk is so until it is there.
func (f *File) Stop() { close(f.to) }
