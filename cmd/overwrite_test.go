package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportKeepsIndex: export does not write over an index, in which alone the gaps are, nor over
// what else a collection cannot do without.
func TestExportKeepsIndex(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"index.bolt", "index.bolt.old", "a.warc.gz", "a.warc.gz.open"} {
		path := filepath.Join(dir, name)
		before := []byte("mine")
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "lines.cdxj")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{path, link} {
			err := writeOut(out, 0o600, nil)
			if err == nil || !strings.Contains(err.Error(), "which would be lost") {
				t.Errorf("%s: %v", out, err)
			}
		}
		if after, err := os.ReadFile(path); !bytes.Equal(after, before) {
			t.Errorf("%s has changed: %v", name, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}
