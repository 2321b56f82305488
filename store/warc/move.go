package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Move renames from to to, in the same file system, but never over another file: if the name to is
// taken, the error wraps fs.ErrExist, and nothing has changed. Linux, macOS and Windows have a call
// for this. Where the system or the file system has none, the file gets its new name as a hard link
// and then loses the old name. Where there are no hard links either (FAT on a BSD, for example),
// Move looks whether the name is free and renames: a file that gets the name in between is lost.
//
// Move does not follow links: a link moves as a link. The directories are not synced.
func Move(from, to string) error {
	err := moveNew(from, to)
	if errors.Is(err, errors.ErrUnsupported) {
		return moveByLink(from, to)
	}
	return err
}

func moveByLink(from, to string) error {
	err := os.Link(from, to)
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return moveIfFree(from, to)
	}
	old, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if now, err := os.Lstat(to); err != nil || !os.SameFile(old, now) {
		return errors.Join(fmt.Errorf("%s: %w", from, ErrReplaced), err)
	}
	return os.Remove(from)
}

func moveIfFree(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(&os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}, err)
	}
	return os.Rename(from, to)
}
