package cmd

import (
	"errors"
	"io"
	"os"
	"testing"

	"warcorder/store/collection"
)

// TestExportRemoved: where something is removed while the lines are written, no file with the old ones
// stays.
func TestExportRemoved(t *testing.T) {
	for _, removed := range []bool{false, true} {
		dir := collection.Dir(t.TempDir())
		if err := os.MkdirAll(string(dir)+"/indexes", 0o700); err != nil {
			t.Fatal(err)
		}
		err := writeOut(dir.CDXJ(), collection.DefaultMode, unlessRemoved(dir, func(w io.Writer) error {
			if removed {
				if err := os.WriteFile(dir.Removed(), []byte(`{"id":"1"}`), 0o600); err != nil {
					return err
				}
			}
			_, err := io.WriteString(w, "a line\n")
			return err
		}))
		_, missing := os.Stat(dir.CDXJ())
		if errors.Is(err, errRemoved) != removed || os.IsNotExist(missing) != removed {
			t.Errorf("removed: %v: %v, %v", removed, err, missing)
		}
	}
}
