package warc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"warcorder/store/fault"
)

// syncDir is SyncDir, which a test may let fail at the point before.
func syncDir(dir string, before fault.Point) error {
	if err := fault.At(before); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir makes durable which files dir holds, and under which names.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeDir makes a directory and its parents, and makes them durable. os.MkdirAll does not: after a
// power failure a directory that was not synced is gone, with all files that were synced in it.
func MakeDir(dir string, mode os.FileMode) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := MakeDir(above, mode); err != nil {
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
	return SyncDir(above)
}
