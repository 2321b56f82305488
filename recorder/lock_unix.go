//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package recorder

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"warcorder/store"
)

// lockDir locks a directory for those who open or replace the index in it, until unlock is called;
// store.ErrLocked says that another one has it locked. The lock of the index is not enough for
// them, since an index that is missing has none, and one that is replaced takes its lock along.
func lockDir(path string) (unlock func() error, err error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = store.ErrLocked
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return func() error { return errors.Join(unix.Flock(int(dir.Fd()), unix.LOCK_UN), dir.Close()) }, nil
}
