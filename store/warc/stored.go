package warc

import (
	"encoding/binary"
	"io"
)

// Stored is a body that lies in stored blocks, at the end of a member as a Compressor makes it. Any
// part of it can be read without what is before.
type Stored struct {
	f      io.ReaderAt
	size   int64
	blocks []storedRun
}

// storedRun is a part of a body in blocks of maxStored bytes, but for the last one.
type storedRun struct {
	first int64 // offset in the body
	size  int64
	at    int64 // of the length in the header of its first block, in the file
}

// lengths is the size of what a stored block has behind the byte that begins its header: its length
// and the complement of that.
const lengths = 4

// StoredBody returns the body of size bytes that the member at offset ends with, if that lies in
// stored blocks, as the member's last blocks tell; else nil. It reads a few bytes, wherever the
// body's end is.
func StoredBody(f io.ReaderAt, offset, length, size int64) *Stored {
	const end = int64(len(RecordEnd))
	for _, sizes := range [][]int64{
		{size, end}, // Stream
		{size + end},
		{maxInspected, size - maxInspected, end}, // Stream, of the first exchange of a file
	} {
		if s := storedIn(f, offset, length, sizes); s != nil {
			s.size = size
			return s
		}
	}
	return nil
}

// storedIn returns the runs of those sizes at the end of a member; nil if they are not there.
func storedIn(f io.ReaderAt, offset, length int64, sizes []int64) *Stored {
	s := &Stored{f: f}
	first, taken := int64(0), int64(-1) // without the byte that begins the first header
	for _, size := range sizes {
		if size <= 0 || size > length {
			return nil
		}
		s.blocks = append(s.blocks, storedRun{first: first, size: size, at: taken + 1})
		first += size
		taken += size + storedHeader*((size+maxStored-1)/maxStored)
	}
	start := offset + length - memberTrailer - taken
	for i := range s.blocks {
		s.blocks[i].at += start
	}
	if start < offset+int64(len(bareHeader)) || !s.isThere() {
		return nil
	}
	return s
}

// isThere reports whether each run begins and ends with a block of the right length.
func (s *Stored) isThere() bool {
	for _, r := range s.blocks {
		if !r.checks(s.f, 0) || !r.checks(s.f, (r.size-1)/maxStored) {
			return false
		}
	}
	return true
}

// checks reports whether the header of a block has the right length.
func (r *storedRun) checks(f io.ReaderAt, block int64) bool {
	var b [lengths]byte
	if _, err := f.ReadAt(b[:], r.at+block*(storedHeader+maxStored)); err != nil {
		return false
	}
	n := binary.LittleEndian.Uint16(b[:])
	return int64(n) == min(r.size-block*maxStored, maxStored) &&
		n == ^binary.LittleEndian.Uint16(b[2:])
}

// ReadAt reads from an offset in the body on. The error is ErrCorrupt if a block that it comes to
// is none.
func (s *Stored) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		if offset >= s.size {
			return n, io.EOF
		}
		m, err := s.readBlock(p[n:], offset)
		n, offset = n+m, offset+int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readBlock is ReadAt, up to the end of the block at most.
func (s *Stored) readBlock(p []byte, offset int64) (n int, err error) {
	r := s.blocks[0]
	for _, next := range s.blocks[1:] {
		if next.first <= offset {
			r = next
		}
	}
	block, within := (offset-r.first)/maxStored, (offset-r.first)%maxStored
	if !r.checks(s.f, block) {
		return 0, ErrCorrupt
	}
	left := min(maxStored-within, r.size-block*maxStored-within, s.size-offset)
	n, err = s.f.ReadAt(p[:min(int64(len(p)), left)],
		r.at+block*(storedHeader+maxStored)+lengths+within)
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}
