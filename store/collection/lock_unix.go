//go:build unix && !solaris && !aix

package collection

import (
	"errors"
	"os"
	"syscall"
)

// How a file is locked: by one process alone, or by all who do so.
const (
	alone  = syscall.LOCK_EX
	shared = syscall.LOCK_SH
)

// Lock locks the directory until unlock is called. It returns ErrLocked if another process has
// locked the directory. Whoever opens the index for writing, or replaces it, locks the directory
// first. The lock of the index alone would not do: an index that is missing has no lock, and an
// index that is replaced takes its lock along.
func (d Dir) Lock() (unlock func() error, err error) {
	dir, err := lock(string(d), alone)
	if err != nil {
		return nil, err
	}
	return func() error {
		return errors.Join(syscall.Flock(int(dir.Fd()), syscall.LOCK_UN), dir.Close())
	}, nil
}

// Yield returns ErrLocked if another process has locked the directory. Whoever reads the index asks
// first, so that a writer who waits for the index gets it.
func (d Dir) Yield() error { return try(string(d), shared) }

// TryLock returns ErrLocked if another process has locked the file at path.
func TryLock(path string) error { return try(path, alone) }

// Hold locks the file at path, which it makes if there is none, until release is called. It returns
// ErrLocked if another process has locked it.
func Hold(path string) (release func() error, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(file, alone); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}

// CanRelock says that Share and Unshare work, and that a file that is open stands in nobody's way.
const CanRelock = true

// Share locks an open file as those do who read it. It returns ErrLocked if another process has
// locked the file for itself.
func Share(file *os.File) error { return flock(file, shared) }

// Unshare unlocks the file.
func Unshare(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

// flock locks an open file. It does not wait for another lock.
func flock(file *os.File, how int) error {
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// try locks a file or a directory for a moment.
func try(path string, how int) error {
	file, err := lock(path, how)
	if err != nil {
		return err
	}
	file.Close() // which unlocks it
	return nil
}

// lock opens and locks a file or a directory. It does not wait for another lock.
func lock(path string, how int) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(file, how); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
