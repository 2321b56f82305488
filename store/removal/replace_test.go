package removal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReplaceable: a file that only may not be written can be replaced.
func TestReplaceable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	if err := os.WriteFile(path, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceable(path); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "as it was" {
		t.Errorf("%q, %v", b, err)
	}
	if err := replaceable(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for name, test := range map[string]struct {
		err    error
		system string
		want   bool
	}{
		"nothing":            {nil, "linux", false},
		"immutable":          {&os.PathError{Op: "open", Path: path, Err: syscall.EPERM}, "linux", true},
		"its mode":           {&os.PathError{Op: "open", Path: path, Err: syscall.EACCES}, "linux", false},
		"its mode, Windows":  {&os.PathError{Op: "open", Path: path, Err: syscall.EACCES}, "windows", true},
		"nothing on Windows": {nil, "windows", false},
	} {
		if got := isFixed(test.err, test.system); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
