package extsort

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Lines are the lines of a Sorter in their order, one at a time.
type Lines struct {
	sorter  *Sorter
	sources sources
	long    []byte // all of a line that is longer than a head
}

// source gives the lines of one run, or of those that are in memory.
type source struct {
	line line

	rows []row // of buf, in memory
	buf  []byte

	file *bufio.Reader // of a run
	head []byte
}

// Sorted returns all lines, at the first of them. After it nothing can be added.
func (s *Sorter) Sorted() (*Lines, error) {
	if len(s.runs) > 0 && len(s.rows) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
		s.buf, s.rows = nil, nil // their room is needed elsewhere while all is read
	}
	for len(s.runs) > maxRuns {
		first := s.runs[:maxRuns]
		s.runs = s.runs[maxRuns:]
		if err := s.join(first); err != nil {
			return nil, err
		}
	}
	if err := s.sort(); err != nil {
		return nil, err
	}
	return s.merge(s.runs, s.rows)
}

// join makes one run of several.
func (s *Sorter) join(runs []run) error {
	l, err := s.merge(runs, nil)
	if err != nil {
		return err
	}
	return s.writeRun(func(put func(line) error) error {
		for l.More() {
			if err := put(l.line()); err != nil {
				return err
			}
			if err := l.Next(); err != nil {
				return err
			}
		}
		return nil
	})
}

// merge merges runs and the rows in memory, none of which is empty.
func (s *Sorter) merge(runs []run, rows []row) (*Lines, error) {
	l := &Lines{sorter: s, sources: sources{sorter: s}}
	for _, r := range runs {
		file := bufio.NewReaderSize(io.NewSectionReader(&s.temp, r.offset, r.length), 32<<10)
		l.sources.all = append(l.sources.all, &source{file: file})
	}
	if len(rows) > 0 {
		l.sources.all = append(l.sources.all, &source{buf: s.buf, rows: rows})
	}
	for _, source := range l.sources.all {
		if err := source.next(); err != nil {
			return nil, fmt.Errorf("sort: %w", err)
		}
	}
	heap.Init(&l.sources)
	return l, s.err
}

// More reports whether there is a line.
func (l *Lines) More() bool { return len(l.sources.all) > 0 }

func (l *Lines) line() line { return l.sources.all[0].line }

// Head returns the first 64 KiB of the line, or all of a shorter one. It is good until Next.
func (l *Lines) Head() []byte { return l.line().head }

// Compare compares the line with text, as bytes.Compare does.
func (l *Lines) Compare(text []byte) (int, error) {
	order := l.sorter.compare(l.line(), line{head: text})
	return order, l.sorter.err
}

// Text returns all of the line, however long it is. It is good until Next.
func (l *Lines) Text() ([]byte, error) {
	line := l.line()
	if line.length == 0 {
		return line.head, nil
	}
	l.long = append(l.long[:0], line.head...)
	l.long = slices.Grow(l.long, int(line.length))[:len(line.head)+int(line.length)]
	_, err := io.ReadFull(l.sorter.rest(line), l.long[len(line.head):])
	return l.long, noEOF(err)
}

// Write writes the whole line, and a newline.
func (l *Lines) Write(w *bufio.Writer) error {
	if _, err := w.Write(l.Head()); err != nil {
		return err
	}
	if line := l.line(); line.length > 0 {
		if _, err := io.Copy(w, l.sorter.rest(line)); err != nil {
			return err
		}
	}
	return w.WriteByte('\n')
}

// Next goes on to the next line.
func (l *Lines) Next() error {
	switch err := l.sources.all[0].next(); err {
	case nil:
		heap.Fix(&l.sources, 0)
	case io.EOF:
		heap.Pop(&l.sources)
	default:
		return fmt.Errorf("sort: %w", err)
	}
	return l.sorter.err
}

// next reads the next line, or returns io.EOF.
func (s *source) next() error {
	if s.file != nil {
		return s.read()
	}
	if len(s.rows) == 0 {
		return io.EOF
	}
	s.line, s.rows = lineAt(s.buf, s.rows[0].at), s.rows[1:]
	return nil
}

// read reads the next line of a run.
func (s *source) read() error {
	size, err := binary.ReadUvarint(s.file)
	if err != nil {
		return err // io.EOF behind the last line
	}
	if uint64(cap(s.head)) < size {
		s.head = make([]byte, size)
	}
	s.line = line{head: s.head[:size]}
	if _, err := io.ReadFull(s.file, s.line.head); err != nil {
		return noEOF(err)
	}
	length, err := binary.ReadUvarint(s.file)
	if err != nil {
		return noEOF(err)
	}
	if s.line.length = int64(length); length == 0 {
		return nil
	}
	offset, err := binary.ReadUvarint(s.file)
	s.line.offset = int64(offset)
	return noEOF(err)
}

// noEOF returns err, for where the end is not expected.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// sources is a heap: the first source has the first line.
type sources struct {
	sorter *Sorter // which compares
	all    []*source
}

func (h *sources) Len() int { return len(h.all) }
func (h *sources) Less(i, j int) bool {
	return h.sorter.compare(h.all[i].line, h.all[j].line) < 0
}
func (h *sources) Swap(i, j int) { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *sources) Push(x any)    { h.all = append(h.all, x.(*source)) }
func (h *sources) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}
