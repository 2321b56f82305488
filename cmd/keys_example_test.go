package cmd

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// mostElsewhere is how many rows may leave the work to other tests.
const mostElsewhere = 3

// TestKeysOfExample: each key of the example has one row, and each row a key. A row that leaves the
// work to another test names one that is there, and few do.
func TestKeysOfExample(t *testing.T) {
	example, err := os.ReadFile("../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(example, &doc); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	exampleKeys("", doc.Content[0], left)
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

// exampleKeys notes the keys below a mapping, nested ones joined by "-".
func exampleKeys(prefix string, node *yaml.Node, keys map[string]bool) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := prefix+node.Content[i].Value, node.Content[i+1]
		if value.Kind == yaml.MappingNode {
			exampleKeys(name+"-", value, keys)
			continue
		}
		keys[name] = true
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
