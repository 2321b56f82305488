// Package extsort sorts lines that together may be larger than memory, as `LC_ALL=C sort` does: by
// their bytes.
//
// What fills a Sorter's memory becomes a sorted run in a temporary file; Sorted merges the runs. Of
// a long line only the head is ever in memory: the rest goes to the file at once, and is read there
// when heads are equal. The file holds runs, and rests of long lines, one behind another. A run is
// lines:
//
//	uvarint  the length of the head
//	bytes    the head
//	uvarint  the length of the rest
//	uvarint  where in the file the rest begins, if there is one
//
// Invariant: whatever the lines are, no more of them is in memory than Sorter.Memory and, while runs
// are merged, in its place 128 buffers of 32 KiB and as many heads of at most 64 KiB. Nothing is left of the
// file after Close, or when the process ends in whatever way.
package extsort

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Sorter takes lines. Its zero value is ready; it is for one goroutine at a time.
type Sorter struct {
	Dir    string // of the temporary file; "" is os.TempDir
	Memory int    // bytes of lines, and 16 for each line; 0 is 32 MiB

	buf  []byte // lines as in a run
	rows []row
	runs []run
	temp tempFile
	err  error // of a comparison, which cannot return it
}

const (
	defaultMemory = 32 << 20
	maxHead       = 64 << 10
	maxRuns       = 128 // that are merged at once; each takes a buffer, and a head
	perRow        = 16  // bytes
)

// row is a line in memory: where in buf it begins, and the first 8 bytes of it as a number, zeros
// for those that it does not have. Most lines differ there.
type row struct {
	first uint64
	at    int
}

// run is where a run lies in the file.
type run struct{ offset, length int64 }

// line is a line without its newline: the head, and where in the file its rest lies.
type line struct {
	head           []byte
	offset, length int64
}

// Add adds a line. It keeps nothing of text.
func (s *Sorter) Add(text []byte) error {
	l, err := s.split(text)
	if err != nil {
		return err
	}
	limit := cmp.Or(s.Memory, defaultMemory)
	if len(s.rows) > 0 && len(s.buf)+len(l.head)+perRow*len(s.rows) > limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	var first [8]byte
	copy(first[:], l.head)
	s.rows = append(s.rows, row{binary.BigEndian.Uint64(first[:]), len(s.buf)})
	s.buf = l.append(s.buf)
	return nil
}

// split returns text as a line, whose rest has been written.
func (s *Sorter) split(text []byte) (line, error) {
	l := line{head: text[:min(len(text), maxHead)]}
	rest := text[len(l.head):]
	if len(rest) == 0 {
		return l, nil
	}
	offset, err := s.temp.end(s.Dir)
	if err == nil {
		_, err = s.temp.Write(rest)
	}
	l.offset, l.length = offset, int64(len(rest))
	return l, err
}

// append appends l as it stands in a run.
func (l line) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(l.head)))
	dst = binary.AppendUvarint(append(dst, l.head...), uint64(l.length))
	if l.length > 0 {
		dst = binary.AppendUvarint(dst, uint64(l.offset))
	}
	return dst
}

// lineAt returns the line that begins there in buf.
func lineAt(buf []byte, at int) line {
	rest := buf[at:]
	size, n := binary.Uvarint(rest)
	l := line{head: rest[n:][:size]}
	rest = rest[n+int(size):]
	length, n := binary.Uvarint(rest)
	if length > 0 {
		offset, _ := binary.Uvarint(rest[n:])
		l.length, l.offset = int64(length), int64(offset)
	}
	return l
}

// sort sorts the lines that are in memory.
func (s *Sorter) sort() error {
	slices.SortFunc(s.rows, func(a, b row) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return s.compare(lineAt(s.buf, a.at), lineAt(s.buf, b.at))
	})
	return s.err
}

// spill makes a run of the lines that are in memory.
func (s *Sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	err := s.writeRun(func(put func(line) error) error {
		for _, row := range s.rows {
			if err := put(lineAt(s.buf, row.at)); err != nil {
				return err
			}
		}
		return nil
	})
	s.buf, s.rows = s.buf[:0], s.rows[:0]
	return err
}

// writeRun appends a run to the file: what lines puts.
func (s *Sorter) writeRun(lines func(put func(line) error) error) error {
	start, err := s.temp.end(s.Dir)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(&s.temp, 1<<18)
	var buf []byte
	err = lines(func(l line) error {
		buf = l.append(buf[:0])
		_, err := out.Write(buf)
		return err
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	s.runs = append(s.runs, run{start, s.temp.size - start})
	return nil
}

// compare compares two lines. If their rests cannot be read, err says why.
func (s *Sorter) compare(a, b line) int {
	if a.length == 0 && b.length == 0 {
		return bytes.Compare(a.head, b.head)
	}
	n := min(len(a.head), len(b.head))
	if order := bytes.Compare(a.head[:n], b.head[:n]); order != 0 {
		return order
	}
	order, err := compareReaders(s.reader(a, n), s.reader(b, n))
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("sort: %w", err)
	}
	return order
}

// reader reads a line from its n-th byte on, which lies in the head or follows it.
func (s *Sorter) reader(l line, n int) io.Reader {
	return io.MultiReader(bytes.NewReader(l.head[n:]), s.rest(l))
}

func (s *Sorter) rest(l line) io.Reader {
	return io.NewSectionReader(&s.temp, l.offset, l.length)
}

// compareReaders compares what a and b give up to their ends.
func compareReaders(a, b io.Reader) (int, error) {
	const size = 32 << 10
	buf := make([]byte, 2*size)
	for {
		x, err := readPart(a, buf[:size])
		y, err2 := readPart(b, buf[size:])
		if err := errors.Join(err, err2); err != nil {
			return 0, err
		}
		if order := bytes.Compare(x, y); order != 0 || len(x) < size {
			return order, nil
		}
	}
}

// readPart fills buf, but for the last part of r.
func readPart(r io.Reader, buf []byte) ([]byte, error) {
	n, err := io.ReadFull(r, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return buf[:n], err
}

// Close removes the temporary file.
func (s *Sorter) Close() error { return s.temp.close() }
