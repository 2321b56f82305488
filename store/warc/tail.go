package warc

import (
	"fmt"
	"io"
	"os"
)

// Tail is the end of a file during AppendStream.
type Tail struct {
	file       *os.File
	start, end int64 // what this append has written lies from start to end
}

// Offset returns where in the file the next byte will lie.
func (t *Tail) Offset() int64 { return t.end }

// Write appends p.
func (t *Tail) Write(p []byte) (int, error) {
	n, err := t.file.WriteAt(p, t.end)
	t.end += int64(n)
	return n, err
}

// ReadFrom appends all of r; if r is a file, without taking its bytes out of the kernel where that can be.
func (t *Tail) ReadFrom(r io.Reader) (int64, error) {
	if _, err := t.file.Seek(t.end, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := t.file.ReadFrom(r)
	t.end += n
	return n, err
}

// WriteAt overwrites bytes that this append has written. off counts from the start of the file.
func (t *Tail) WriteAt(p []byte, off int64) (int, error) {
	if off < t.start || off+int64(len(p)) > t.end {
		return 0, fmt.Errorf("write %d bytes at %d: outside of this append, %d to %d", len(p), off, t.start, t.end)
	}
	return t.file.WriteAt(p, off)
}
