package cmd

import (
	"slices"
	"testing"
)

// keyRow shows one key of config.example.yaml: that the program, with the key in its file, does what
// the line of the key says, and without it what the line says of the default.
type keyRow struct {
	key   string // nested ones joined by "-"
	shows func(t *testing.T, b *keyBench)

	shownBy string // the test that shows it in place of this row, where shows is nil
}

// keyRows are all rows, by group.
func keyRows() []keyRow {
	return slices.Concat(placeKeys(), logKeys(), readerKeys(), reachKeys(), wayKeys(), changeKeys(),
		completeKeys(), boundKeys(), timeoutKeys(), fileKeys(), commitKeys(), dedupKeys(), pushKeys(), uploadKeys())
}

// TestKeys: every key does what its line in config.example.yaml says.
func TestKeys(t *testing.T) {
	t.Parallel()
	b := newKeyBench(t)
	for _, row := range keyRows() {
		if row.shows == nil { // another test shows it: TestKeysOfExample
			continue
		}
		t.Run(row.key, func(t *testing.T) {
			t.Parallel()
			row.shows(t, b)
		})
	}
}
