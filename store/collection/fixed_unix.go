//go:build unix

package collection

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Movable returns an error if the file at path can be given no other name, nor its name to another
// file: its directory only takes files (chattr +a) or may not be written to, or the file itself is to
// stay as it is (chattr +i). Of what is not there, or cannot be looked at, it says nothing. Nothing is
// changed: Linux looks whether a file may go from its directory before it refuses to remove as a
// directory what is none. A system that looks at that first tells nothing here.
func Movable(path string) error {
	if info, err := os.Lstat(path); err != nil || info.IsDir() {
		return nil
	}
	err := syscall.Rmdir(path)
	for _, refusal := range []error{syscall.EPERM, syscall.EACCES, syscall.EROFS} {
		if errors.Is(err, refusal) {
			return &fs.PathError{Op: "rename", Path: path, Err: err}
		}
	}
	return nil
}
