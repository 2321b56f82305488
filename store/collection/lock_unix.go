//go:build unix && !solaris && !aix

package collection

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks the directory for those who open or replace the index in it, until unlock is called;
// ErrLocked says that another one has it locked. The lock of the index is not enough for them,
// since an index that is missing has none, and one that is replaced takes its lock along.
func (d Dir) Lock() (unlock func() error, err error) {
	dir, err := lock(string(d), syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	return func() error {
		return errors.Join(syscall.Flock(int(dir.Fd()), syscall.LOCK_UN), dir.Close())
	}, nil
}

// Yield returns ErrLocked if somebody is about to open the index for writing, or has done so: who
// records or repairs a collection locks its directory first.
func (d Dir) Yield() error { return try(string(d), syscall.LOCK_SH) }

// TryLock returns ErrLocked if another process has the file at path locked.
func TryLock(path string) error { return try(path, syscall.LOCK_EX) }

// try locks a file, or a directory, for a moment.
func try(path string, how int) error {
	file, err := lock(path, how)
	if err != nil {
		return err
	}
	file.Close() // which unlocks it
	return nil
}

// lock opens what is at path and locks it, at once or not at all.
func lock(path string, how int) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
