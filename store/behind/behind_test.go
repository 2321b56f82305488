package behind

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// create returns a File that is empty, and what it writes to.
func create(t *testing.T) (*File, *os.File) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "long"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return New(file), file
}

// TestFile: what is written is there, also where it was given up by the memory meanwhile.
func TestFile(t *testing.T) {
	f, file := create(t)
	piece, want := make([]byte, 3<<20), sha256.New()
	for i := range 3*each/len(piece) + 1 {
		for j := range piece {
			piece[j] = byte(j*7 + j>>13 + i)
		}
		want.Write(piece)
		if n, err := f.Write(piece); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got := sha256.New()
	if n, err := io.Copy(got, file); n != f.written || err != nil || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Errorf("%d bytes of %d, %v, are others", n, f.written, err)
	}
}

// TestFails: what could not be forced to disk while it was written is an error in the end.
func TestFails(t *testing.T) {
	f, file := create(t)
	if _, err := f.Write(make([]byte, each-1)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	f.to <- each
	err := f.Sync()
	if all, joined := err.(interface{ Unwrap() []error }); !joined || len(all.Unwrap()) != 2 {
		t.Errorf("%v: an error from before wanted, and the last one", err)
	}
}
