package store

import (
	"fmt"
	"testing"
)

// TestNewestFiles: the newest come, the newest first, and how many there are.
func TestNewestFiles(t *testing.T) {
	b := newIndex(t)
	for i := range 5 {
		addFile(t, b, fmt.Sprint(i))
	}
	for most, want := range map[int]string{0: "", 2: "43", 5: "43210", 9: "43210"} {
		files, all := b.NewestFiles(most)
		got := ""
		for _, f := range files {
			got += f.Name
		}
		if got != want || all != 5 {
			t.Errorf("%d: %q of %d", most, got, all)
		}
	}
}
