package warc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// moveNew is Move, if the file system can do it; else the error wraps errors.ErrUnsupported.
func moveNew(from, to string) error {
	err := unix.RenamexNp(from, to, unix.RENAME_EXCL)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}

// isMount is false: only directories can be mounted on.
func isMount(string) bool { return false }
