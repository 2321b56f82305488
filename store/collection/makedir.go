package collection

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/warc"
)

// MakeDir makes a directory and its parents, and makes them durable. os.MkdirAll does not: after a
// power failure a directory that was not synced is gone, with all files that were synced in it.
func MakeDir(dir string, mode fs.FileMode) error {
	return makeDir(dir, mode, func(string) error { return nil })
}

// MakeDir makes a directory and its parents, durably and with that mode. Directories that exist
// keep theirs.
func (m Mode) MakeDir(dir string) error { return makeDir(dir, 0o700, m.Set) }

// makeDir makes a directory and its parents, and calls made with each that did not exist.
func makeDir(dir string, mode fs.FileMode, made func(path string) error) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := makeDir(above, mode, made); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, mode); err != nil { // no error if someone else has just made it
		if to, no := os.Readlink(dir); no == nil {
			err = fmt.Errorf("%s is a link to %s, which is not there: bring that back, or remove the link",
				dir, to)
		}
		return err
	}
	if err := warc.SyncDir(above); err != nil {
		return err
	}
	return made(dir)
}
