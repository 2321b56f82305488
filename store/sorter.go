package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// sorter sorts lines that together may be larger than memory, as `LC_ALL=C sort` does. What fills
// its memory becomes a sorted run in a temporary file; in the end the runs are merged (merge.go).
// Of a long line only the head is ever in memory: the rest goes to the file at once, and is looked
// at there when heads are equal.
//
// The file holds runs, and rests of long lines, one behind another. A run is lines:
//
//	text     the head: a uvarint of its length, and the bytes
//	uvarint  the length of the rest
//	uvarint  where in the file the rest begins, if there is one
type sorter struct {
	dir    string // of the temporary file; "" is os.TempDir
	memory int    // how many bytes of lines are kept

	buf  []byte // lines as in a run
	rows []int  // where each begins
	runs []run
	temp tempFile
	err  error // of a comparison, which cannot return it
}

const (
	sortMemory = 32 << 20
	maxHead    = 64 << 10
	maxRuns    = 128 // that are merged at once; each takes a buffer, and a head
)

// run is where a run lies in the file.
type run struct{ offset, length int64 }

// sortedLine is a line without its newline: the head, and where in the file its rest lies.
type sortedLine struct {
	head           []byte
	offset, length int64
}

// add adds a line, without newline. It keeps nothing of it.
func (s *sorter) add(text []byte) error {
	line := sortedLine{head: text[:min(len(text), maxHead)]}
	if rest := text[len(line.head):]; len(rest) > 0 {
		var err error
		if line.offset, err = s.temp.end(s.dir); err == nil {
			_, err = s.temp.Write(rest)
		}
		if err != nil {
			return err
		}
		line.length = int64(len(rest))
	}
	const perRow = 8
	if len(s.rows) > 0 && len(s.buf)+len(line.head)+perRow*len(s.rows) > s.memory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.rows = append(s.rows, len(s.buf))
	s.buf = line.append(s.buf)
	return nil
}

// append appends l as it stands in a run.
func (l sortedLine) append(dst []byte) []byte {
	dst = binary.AppendUvarint(appendText(dst, l.head), uint64(l.length))
	if l.length > 0 {
		dst = binary.AppendUvarint(dst, uint64(l.offset))
	}
	return dst
}

// at returns the line that begins there in buf.
func (s *sorter) at(row int) sortedLine {
	r := reader{rest: s.buf[row:]}
	l := sortedLine{head: r.text()}
	if l.length = int64(r.uvarint()); l.length > 0 {
		l.offset = int64(r.uvarint())
	}
	return l
}

// sort sorts the lines that are in memory.
func (s *sorter) sort() error {
	slices.SortFunc(s.rows, func(a, b int) int { return s.compare(s.at(a), s.at(b)) })
	return s.err
}

// spill makes a run of the lines that are in memory.
func (s *sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	err := s.writeRun(func(put func(sortedLine) error) error {
		for _, row := range s.rows {
			if err := put(s.at(row)); err != nil {
				return err
			}
		}
		return nil
	})
	s.buf, s.rows = s.buf[:0], s.rows[:0]
	return err
}

// writeRun appends a run to the file: what lines puts.
func (s *sorter) writeRun(lines func(put func(sortedLine) error) error) error {
	start, err := s.temp.end(s.dir)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(&s.temp, 1<<18)
	var buf []byte
	err = lines(func(l sortedLine) error {
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

// compare compares two lines. If that fails, err says so.
func (s *sorter) compare(a, b sortedLine) int {
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

// reader reads a line from its n-th byte on, which lies in the head.
func (s *sorter) reader(l sortedLine, n int) io.Reader {
	return io.MultiReader(bytes.NewReader(l.head[n:]), s.rest(l))
}

func (s *sorter) rest(l sortedLine) io.Reader {
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

// writeLine writes a line, and a newline.
func (s *sorter) writeLine(w *bufio.Writer, l sortedLine) error {
	if _, err := w.Write(l.head); err != nil {
		return err
	}
	if l.length > 0 {
		if _, err := io.Copy(w, s.rest(l)); err != nil {
			return err
		}
	}
	return w.WriteByte('\n')
}

// close removes the temporary file.
func (s *sorter) close() error { return s.temp.close() }
