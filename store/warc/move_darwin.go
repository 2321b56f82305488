package warc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// moveNew is Move on file systems that have a call for it; on others the error wraps
// errors.ErrUnsupported.
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

// isMount returns false: this system mounts on directories only.
func isMount(string) bool { return false }
