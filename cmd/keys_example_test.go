package cmd

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostElsewhere is how many rows may leave the work to other tests.
const mostElsewhere = 3

// TestKeysOfExample: each key of the example has one row, and each row a key. A row that leaves the
// work to another test names one that is there, and few do.
func TestKeysOfExample(t *testing.T) {
	left := exampleKeys(t)
	elsewhere := 0
	for _, row := range keyRows() {
		if !left[row.key] {
			t.Errorf("%s has two rows, or is not in the example", row.key)
		}
		delete(left, row.key)
		if row.shows == nil {
			elsewhere++
			checkShownBy(t, row)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("nothing shows that %s does what its line says: give it a row in a keys_*_test.go", key)
	}
	if elsewhere > mostElsewhere {
		t.Errorf("%d rows leave the work to other tests", elsewhere)
	}
}

// checkShownBy looks for the test that a row names, as FILE: TEST.
func checkShownBy(t *testing.T, row keyRow) {
	t.Helper()
	file, test, _ := strings.Cut(row.shownBy, ": ")
	code, err := os.ReadFile(file)
	if err != nil || !regexp.MustCompile(`^Test\w+$`).MatchString(test) ||
		!bytes.Contains(code, []byte("func "+test+"(t *testing.T) {")) {
		t.Errorf("%s is shown by %q, which is no test: %v", row.key, row.shownBy, err)
	}
}
