package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmptyFile: an index of which nothing is left is damaged, and the error says in what way.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := OpenReadOnly(path)
	if !errors.Is(err, ErrDamaged) || !strings.HasSuffix(err.Error(), "it is empty") {
		t.Errorf("%v", err)
	}
}
