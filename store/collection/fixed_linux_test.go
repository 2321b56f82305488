package collection

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMovable: the file is there as it was, whatever may be done to it. Where nobody may change the
// attributes, nothing is said of them.
func TestMovable(t *testing.T) {
	for name, test := range map[string]struct {
		attribute string
		of        func(path string) string
	}{
		"as it is":                      {},
		"the file stays as it is":       {"i", func(path string) string { return path }},
		"the file is only appended to":  {"a", func(path string) string { return path }},
		"its directory only takes more": {"a", filepath.Dir},
		"its directory stays as it is":  {"i", filepath.Dir},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.warc.gz")
			if err := os.WriteFile(path, []byte("as it was"), 0o600); err != nil {
				t.Fatal(err)
			}
			if test.of != nil {
				if exec.Command("chattr", "+"+test.attribute, test.of(path)).Run() != nil {
					t.Skip("nobody may do that here")
				}
				defer exec.Command("chattr", "-"+test.attribute, test.of(path)).Run()
			}
			if err := Movable(path); (err != nil) != (test.of != nil) {
				t.Error(err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != "as it was" {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{filepath.Join(dir, "none"), filepath.Join(file, "none")} {
		if err := Movable(none); err != nil {
			t.Error(err)
		}
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Movable(empty); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(empty); err != nil {
		t.Error("a directory was removed", err)
	}
}
