package collection

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockName is a file in the directory of a collection that stays there, and is empty: Windows locks
// files, and no directories.
const lockName = "collection.lock"

// How a file is locked: by one process alone, or by all who do so.
const (
	alone  = windows.LOCKFILE_EXCLUSIVE_LOCK
	shared = 0
)

// Lock locks the directory until unlock is called, or the process ends in whatever way. It returns
// ErrLocked if another process has locked the directory. Whoever opens the index for writing, or
// replaces it, locks the directory first.
func (d Dir) Lock() (unlock func() error, err error) { return Hold(d.lock()) }

// Yield returns ErrLocked if another process has locked the directory. Whoever reads the index asks
// first, so that a writer who waits for the index gets it. Where there is no file to lock, nobody
// has locked it.
func (d Dir) Yield() error {
	err := try(d.lock(), shared)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lock returns the path of the file whose lock is that of the directory.
func (d Dir) lock() string { return filepath.Join(string(d), lockName) }

// TryLock returns ErrLocked if another process has locked the file at path.
func TryLock(path string) error { return try(path, alone) }

// Hold locks the file at path, which it makes if there is none, until release is called. It returns
// ErrLocked if another process has locked it.
func Hold(path string) (release func() error, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file, alone); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error { return errors.Join(unlockFile(file), file.Close()) }, nil
}

// try locks a file for a moment.
func try(path string, how uint32) error {
	file, err := lock(path, how)
	if err != nil {
		return err
	}
	return errors.Join(unlockFile(file), file.Close())
}

// lock opens and locks a file. It does not wait for another lock.
func lock(path string, how uint32) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file, how); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// lockFile locks the byte of an open file that bbolt locks, behind all that a file can have: a lock
// of Windows keeps others from the bytes themselves. It does not wait for another lock.
func lockFile(file *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(file.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1,
		0, lastByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// unlockFile unlocks the file at once; closing alone does so when the system comes to it.
func unlockFile(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, lastByte())
}

func lastByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxUint32}
}
