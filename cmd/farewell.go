package cmd

import (
	"fmt"
	"io"

	"warcorder/store/collection"
)

// farewell says what was recorded between two states of one recorder.
func farewell(w io.Writer, dir collection.Dir, before, after status) {
	fmt.Fprintf(w, "%s in %s\n", count(int(after.Exchanges-before.Exchanges), "capture"), dir.Archive())
}
