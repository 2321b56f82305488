// Package summing reads a file in whatever order its reader goes, and sums it up on the way: each byte
// is summed once, in the order of the file, whether the reader came to it or not.
//
// Invariant: the sums are those of the bytes that the reader has got. A byte that it has not asked for
// is read for the sums alone.
package summing

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"warcorder/store"
)

// File is a file that is summed up while it is read. It is for one goroutine.
type File struct {
	in       io.ReaderAt
	size     int64
	partSize int64 // 0: the parts have no sums of their own

	at    int64 // bytes that are summed up
	whole hash.Hash
	part  hash.Hash
	parts []store.Sum
	buf   []byte
}

// Sums are what a file comes to.
type Sums struct {
	Whole store.Sum   // the SHA-256 of all
	Parts []store.Sum // that of each part; nil if none were asked for
}

// New returns a file of that size, whose parts are of partSize bytes; 0 for no parts.
func New(in io.ReaderAt, size, partSize int64) *File {
	return &File{in: in, size: size, partSize: partSize, whole: sha256.New(), part: sha256.New()}
}

// ReadAt reads, as io.ReaderAt does.
func (f *File) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset > f.at { // the reader has passed something over
		if err := f.catchUp(offset); err != nil {
			return 0, err
		}
	}
	n, err = f.in.ReadAt(p, offset)
	if end := offset + int64(n); end > f.at && f.at >= offset {
		f.add(p[f.at-offset : n])
	}
	return n, err
}

// Sums reads what is left of the file, and returns what it comes to.
func (f *File) Sums() (s Sums, err error) {
	if err := f.catchUp(f.size); err != nil {
		return s, err
	}
	f.whole.Sum(s.Whole[:0])
	if f.partSize > 0 && f.size > 0 && f.size%f.partSize != 0 {
		f.endPart()
	}
	s.Parts = f.parts
	return s, nil
}

// catchUp sums up to an offset, or to the end.
func (f *File) catchUp(offset int64) error {
	if f.buf == nil {
		f.buf = make([]byte, 256<<10)
	}
	for offset = min(offset, f.size); f.at < offset; {
		n, err := f.in.ReadAt(f.buf[:min(int64(len(f.buf)), offset-f.at)], f.at)
		f.add(f.buf[:n])
		switch {
		case err == nil || n > 0 && errors.Is(err, io.EOF):
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
	return nil
}

// add sums up what follows.
func (f *File) add(p []byte) {
	p = p[:min(int64(len(p)), max(0, f.size-f.at))]
	f.whole.Write(p)
	for f.partSize > 0 && len(p) > 0 {
		n := min(int64(len(p)), f.partSize-f.at%f.partSize)
		f.part.Write(p[:n])
		if f.at += n; f.at%f.partSize == 0 {
			f.endPart()
		}
		p = p[n:]
	}
	f.at += int64(len(p))
}

// endPart takes down the sum of the part.
func (f *File) endPart() {
	f.parts = append(f.parts, store.Sum(f.part.Sum(nil)))
	f.part.Reset()
}
