//go:build unix

package cmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/store"
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

// TestPipeOnce: what is in a pipe cannot be taken back: an error for which the work would begin anew
// is none behind the first byte.
func TestPipeOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, over := range map[string]bool{"": true, "lines": false} {
		go os.ReadFile(name)
		err := writeOut(name, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, store.ErrReplaced)
		})
		if isOver(err) != over || !over && !strings.Contains(err.Error(), "not whole") {
			t.Errorf("%q: %v", text, err)
		}
	}
	err := toStream(io.Discard, func(w io.Writer) error {
		_, err := io.WriteString(w, "lines")
		return errors.Join(err, os.ErrClosed)
	})
	if !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "not whole") {
		t.Error(err)
	}
}
