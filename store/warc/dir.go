package warc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"warcorder/store/fault"
)

// syncDir is SyncDir; before is the point at which that may fail.
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

// MakeDir makes a directory, and those above it, and makes them durable, as os.MkdirAll does not:
// what is synced in a directory that is gone after a power failure is gone with it.
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
