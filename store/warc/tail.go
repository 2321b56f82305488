package warc

import (
	"errors"
	"fmt"
	"io"
	"os"

	"warcorder/store/fault"
)

// Tail is the end of a file during AppendStream.
type Tail struct {
	file       *os.File
	start, end int64 // bounds of what this append has written
}

// Offset returns the offset in the file of the next byte that Write will write.
func (t *Tail) Offset() int64 { return t.end }

// Write appends p.
func (t *Tail) Write(p []byte) (int, error) {
	n, err := writeAt(t.file, p, t.end)
	t.end += int64(n)
	return n, err
}

// ReadFrom appends all of r. If r is a file, its bytes stay in the kernel where the system can copy
// them.
func (t *Tail) ReadFrom(r io.Reader) (int64, error) {
	if _, err := t.file.Seek(t.end, io.SeekStart); err != nil {
		return 0, err
	}
	if full := fault.At(fault.WARCWrite); full != nil {
		n, err := io.CopyN(t.file, r, 1000)
		t.end += n
		return n, errors.Join(full, err)
	}
	n, err := t.file.ReadFrom(r)
	t.end += n
	return n, err
}

// WriteAt overwrites bytes that this append has written. off counts from the start of the file.
func (t *Tail) WriteAt(p []byte, off int64) (int, error) {
	if off < t.start || off+int64(len(p)) > t.end {
		return 0, fmt.Errorf("write %d bytes at %d: outside of this append, %d to %d", len(p), off,
			t.start, t.end)
	}
	return writeAt(t.file, p, off)
}

func writeAt(file *os.File, p []byte, off int64) (int, error) {
	if full := fault.At(fault.WARCWrite); full != nil {
		n, err := file.WriteAt(p[:len(p)/2], off) // a disk takes what fits
		return n, errors.Join(full, err)
	}
	return file.WriteAt(p, off)
}
