//go:build unix

package cmd

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestExportToAPipe writes into it, and does not replace it.
func TestExportToAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		b, _ := os.ReadFile(name)
		read <- string(b)
	}()
	err := writeOut(name, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "lines")
		return err
	})
	if got := <-read; err != nil || got != "lines" {
		t.Errorf("%q, %v", got, err)
	}
}
