package warc

import (
	"errors"
	"os"
	"runtime"
)

// syncDir makes durable which files dir holds, and under which names.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
