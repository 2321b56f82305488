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
	return warc.SyncDir(above)
}
