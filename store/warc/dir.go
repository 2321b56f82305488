package warc

import (
	"errors"
	"os"
	"runtime"

	"warcorder/store/fault"
)

// syncDir makes durable which files dir holds, and under which names. before is the point at which that may fail.
func syncDir(dir string, before fault.Point) error {
	if err := fault.At(before); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
