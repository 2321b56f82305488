package cmd

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
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

// TestForm bounds the length of every line of code, and of every Go file.
func TestForm(t *testing.T) {
	for path, code := range codeOf(t, "..") {
		if n := longestLine(code); n > mostColumns {
			t.Errorf("%s has a line of %d columns, more than %d", path, n, mostColumns)
		}
		if n := bytes.Count(code, []byte("\n")); filepath.Ext(path) == ".go" && n > mostLines {
			t.Errorf("%s has %d lines, more than %d", path, n, mostLines)
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
			if strings.HasPrefix(name, ".") && name != root && name != ".ci" ||
				name == "node_modules" || name == "vendor" {
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
