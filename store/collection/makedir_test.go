package collection

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMakeDir makes a directory with those above it, as a link, too.
func TestMakeDir(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real",
		filepath.Join(dir, "link"))); err != nil {
		withoutLinks(t, err)
	}
	for _, path := range []string{"link/a/b", "link", "real/a/b/c", "."} {
		path = filepath.Join(dir, path)
		if err := MakeDir(path, 0o755); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("%v, %v", info, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir(filepath.Join(dir, "file", "a"), 0o755); err == nil {
		t.Error("made in a file")
	}
	if err := os.Symlink("unmounted", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir(filepath.Join(dir, "dangling"), 0o755); err == nil ||
		!strings.Contains(err.Error(), "a link to unmounted, which is not there") {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

// withoutLinks skips a test where a user may make no links; elsewhere an error is one of the test.
func withoutLinks(t *testing.T, err error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip(err)
	}
	t.Fatal(err)
}
