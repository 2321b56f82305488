package warc

import (
	"errors"
	"os"
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
