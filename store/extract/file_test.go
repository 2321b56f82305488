package extract

import (
	"fmt"
	"os"
	"testing"

	"warcorder/store/collection"
)

// TestManyFiles: however many files are written, few of them are open; one that cannot be forced to
// disk ends the extract before many more are written.
func TestManyFiles(t *testing.T) {
	const number = 5 * mostOpen
	for _, broken := range []int{-1, 3} {
		w := &writer{dir: t.TempDir(), options: Options{Mode: collection.DefaultMode}}
		if err := w.begin(); err != nil {
			t.Fatal(err)
		}
		opened := 0
		for ; opened < number; opened++ {
			out, err := w.open(fmt.Sprint(opened), 0)
			if err != nil {
				break
			}
			if opened == broken {
				out.(*file).out.Close()
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			if len(w.files) > mostOpen {
				t.Fatalf("%d files are open", len(w.files))
			}
		}
		if broken < 0 && opened != number || broken >= 0 && opened != broken+mostOpen {
			t.Errorf("%d files were opened, of which %d is broken", opened, broken)
		}
		if err := w.synced(); err != nil {
			t.Error(err)
		}
		if written, err := os.ReadDir(w.folder.Path); err != nil || len(written) != opened {
			t.Error(len(written), err)
		}
		if err := w.end(); err != nil {
			t.Error(err)
		}
	}
}
