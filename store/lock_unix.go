//go:build unix && !solaris && !aix

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockable returns ErrLocked if another process has the index at path open.
func lockable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() // which unlocks it
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
