package store

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"warcorder/store/collection"
)

// guarded calls f, and returns as an error what would end the process: see caught.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err)
	return f()
}

// caught, deferred, makes a panic an error: bbolt panics when it comes to a page that is not sound,
// and a page that the disk does not give, or of a file that was cut, is a fault, which
// debug.SetPanicOnFault makes a panic.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = errUnreadable
	default:
		*err = damaged("%v", p)
	}
}

// errUnreadable says that a page of the index could not be had from the disk.
var errUnreadable = errors.New(
	"a page of the index cannot be read: the disk fails, or the file was cut")

// openFile is os.OpenFile, or does what it does.
type openFile func(name string, flag int, mode fs.FileMode) (*os.File, error)

// openDB opens a file of bbolt, at once or not at all. A file that has no sound meta page is
// damaged.
func openDB(path string, options *bbolt.Options,
	open openFile) (db *bbolt.DB, file *os.File, err error) {
	options.Timeout = max(options.Timeout, 1) // nanosecond: one try; zero would wait for ever
	options.NoStatistics = true
	options.OpenFile = func(name string, flag int, mode fs.FileMode) (_ *os.File, err error) {
		file, err = open(name, flag, mode)
		return file, err
	}
	err = guarded(func() (err error) {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if errors.Is(err, berrors.ErrTimeout) {
		err = collection.ErrLocked
	}
	if err != nil && file != nil {
		file.Close() // unless bbolt has done so, which panics now and then
	}
	return db, file, err
}
