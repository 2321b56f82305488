//go:build unix && !solaris && !aix

package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockable returns ErrLocked if another process has the index at path open, and has not closed it
// when wait is over: those who read have it open for a slice at a time.
func lockable(path string, wait time.Duration) error {
	for until := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		err := try(path, unix.LOCK_EX)
		if !errors.Is(err, ErrLocked) || time.Now().After(until) {
			return err
		}
	}
}

// yield returns ErrLocked if somebody is about to open the index in a directory for writing, or has
// done so: who records or repairs a collection locks its directory first.
func yield(dir string) error { return try(dir, unix.LOCK_SH) }

// try locks a file, or a directory, for a moment.
func try(path string, how int) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() // which unlocks it
	err = unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
