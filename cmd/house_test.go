package cmd

import (
	"bufio"
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The form of the code: how many columns a line may have, a tab counting as one, and how many lines
// a Go file.
const (
	mostColumns = 120
	mostLines   = 400
)

// tooLong are the Go files that have more lines, with their number. The table may only shrink: an
// exception that is larger than it need be fails.
var tooLong = map[string]int{
	"proxy/clients_test.go":        507,
	"proxy/exchange_test.go":       1028,
	"proxy/hardening_test.go":      587,
	"proxy/hostile_test.go":        672,
	"recorder/dedup_test.go":       970,
	"recorder/extra_test.go":       545,
	"recorder/failure_test.go":     403,
	"recorder/links_test.go":       468,
	"recorder/rebuild_test.go":     430,
	"recorder/recorder_test.go":    493,
	"recorder/recover_test.go":     603,
	"recorder/recovery/recover.go": 452,
	"recorder/recovery/scan.go":    447,
	"recorder/salvage_test.go":     476,
	"store/dialect_test.go":        491,
}

// TestForm bounds the length of every line of code, and of every Go file.
func TestForm(t *testing.T) {
	columns, lines := make(map[string]int), make(map[string]int)
	for path, code := range codeOf(t, "..") {
		if n := longestLine(code); n > mostColumns {
			columns[path] = n
		}
		if n := bytes.Count(code, []byte("\n")); n > mostLines && filepath.Ext(path) == ".go" {
			lines[path] = n
		}
	}
	compareForm(t, "columns in a line", mostColumns, columns, nil)
	compareForm(t, "lines", mostLines, lines, tooLong)
}

// compareForm compares the files that break a rule with those that may.
func compareForm(t *testing.T, unit string, most int, broken, excepted map[string]int) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(broken)) {
		if n := broken[path]; n > excepted[path] {
			t.Errorf("%s has %d %s, more than %d", path, n, unit, max(most, excepted[path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(excepted)) {
		if broken[path] < excepted[path] {
			t.Errorf("%s has no %d %s any more: the exception is too large", path, excepted[path], unit)
		}
	}
}

// codeOf returns the files of code below a directory: Go, and the programs of CI.
func codeOf(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if strings.HasPrefix(name, ".") && name != root && name != ".ci" || name == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".py", ".sh", ".mjs", ".js", ".java":
		default:
			if name != "run" {
				return nil
			}
		}
		short, err := filepath.Rel(root, path)
		if err == nil {
			files[filepath.ToSlash(short)], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 300 {
		t.Fatalf("only %d files of code: they are looked for in the wrong place", len(files))
	}
	return files
}

// longestLine returns the columns of the longest line.
func longestLine(code []byte) (columns int) {
	lines := bufio.NewScanner(bytes.NewReader(code))
	lines.Buffer(nil, len(code)+1)
	for lines.Scan() {
		columns = max(columns, utf8.RuneCount(lines.Bytes()))
	}
	return columns
}
