package wacz

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestManyFiles: more files than the old form of zip can count.
func TestManyFiles(t *testing.T) {
	const files = 1<<16 + 10
	wacz, part := write(t, Settings{Created: created}, func(w *Writer) {
		for i := range files {
			put(t, w, fmt.Sprintf("%d.warc.gz", i), fmt.Sprint(i))
		}
	})
	entries := read(t, wacz)
	if len(entries) != files+4 || part.Archives != files || string(entries["archive/65540.warc.gz"]) != "65540" {
		t.Errorf("%d entries, %+v", len(entries), part)
	}
}

// TestLargeFile: a file of more than 4 GiB, and one behind it.
func TestLargeFile(t *testing.T) {
	const size = 1<<32 + 5
	path := filepath.Join(t.TempDir(), "large.wacz")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := New(&sparse{file: out}, Settings{Created: created})
	defer w.Close()
	first, err := w.Archive("large.warc.gz")
	if err == nil {
		_, err = io.CopyN(first, zeros{}, size)
	}
	if err != nil {
		t.Fatal(err)
	}
	put(t, w, "small.warc.gz", "small")
	part, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	in, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	small, err := in.Open("archive/small.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(small); err != nil || string(text) != "small" || part.Bytes < size {
		t.Errorf("%q, %v, %+v", text, err, part)
	}
	large := in.File[0]
	if start, err := large.DataOffset(); err != nil || start != int64(30+len(large.Name)) ||
		large.UncompressedSize64 != size || large.CompressedSize64 != size {
		t.Errorf("%+v begins at %d, %v", large.FileHeader, start, err)
	}
}

// zeros reads zeros, without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// sparse writes a file with holes in the place of zeros.
type sparse struct {
	file *os.File
	at   int64
}

var hole = make([]byte, bufferSize)

func (s *sparse) Write(p []byte) (int, error) {
	at := s.at
	s.at += int64(len(p))
	if bytes.Equal(p, hole[:min(len(p), len(hole))]) {
		return len(p), nil
	}
	return s.file.WriteAt(p, at)
}

// BenchmarkArchive writes a WARC file; BenchmarkSHA256 is what hashing it alone takes.
func BenchmarkArchive(b *testing.B) {
	content := bytes.Repeat([]byte("what a WARC file has"), 1<<20)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		w := New(io.Discard, Settings{})
		out, err := w.Archive("a.warc.gz")
		if err == nil {
			_, err = io.Copy(out, struct{ io.Reader }{bytes.NewReader(content)})
		}
		if _, finished := w.Finish(); err != nil || finished != nil {
			b.Fatal(err, finished)
		}
		w.Close()
	}
}

func BenchmarkSHA256(b *testing.B) {
	content := bytes.Repeat([]byte("what a WARC file has"), 1<<20)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		sha256.Sum256(content)
	}
}
