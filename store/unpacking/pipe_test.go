//go:build unix

package unpacking

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe: a pipe is refused: nobody may ever write into it.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.wacz")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"form":    func() error { _, err := FormOf(path); return err },
		"zip":     func() error { _, err := openZip(path); return err },
		"package": func() error { _, err := readSmall(path); return err },
		"part":    func() error { return checkPart(path, &resource{}) },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
