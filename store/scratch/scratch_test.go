package scratch

import (
	"os"
	"testing"
)

// TestNothingIsLeft: a file can be written and read, and nothing is left of it when it is closed.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	file, err := Create(dir, "test-*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	var got [4]byte
	if _, err := file.ReadAt(got[:], 0); err != nil || string(got[:]) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNoDirectory(t *testing.T) {
	if file, err := Create(t.TempDir()+"/none", "test-*"); err == nil {
		file.Close()
		t.Error("made in no directory")
	}
}
