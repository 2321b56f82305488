package store

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"io"
)

// merge gives the lines of a sorter in their order. Its head is the next.
type merge struct {
	sorter  *sorter
	sources []*source // a heap: the first has the first line
}

// source gives the lines of one run, or of those that are in memory.
type source struct {
	line sortedLine

	rows []int // in memory

	file *bufio.Reader // of a run
	head []byte
}

// merged returns a merge of all lines. After it nothing can be added.
func (s *sorter) merged() (*merge, error) {
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
func (s *sorter) join(runs []run) error {
	m, err := s.merge(runs, nil)
	if err != nil {
		return err
	}
	return s.writeRun(func(put func(sortedLine) error) error {
		for m.more() {
			if err := put(m.head()); err != nil {
				return err
			}
			if err := m.next(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *sorter) merge(runs []run, rows []int) (*merge, error) {
	m := &merge{sorter: s}
	for _, r := range runs {
		file := bufio.NewReaderSize(io.NewSectionReader(&s.temp, r.offset, r.length), 32<<10)
		m.sources = append(m.sources, &source{file: file})
	}
	if len(rows) > 0 {
		m.sources = append(m.sources, &source{rows: rows})
	}
	for _, source := range m.sources {
		if err := source.next(s); err != nil { // none is empty
			return nil, err
		}
	}
	heap.Init(m)
	return m, s.err
}

// more reports whether there is a head.
func (m *merge) more() bool { return len(m.sources) > 0 }

// head returns the next line, which is good until next is called.
func (m *merge) head() sortedLine { return m.sources[0].line }

// next goes on to the line after head.
func (m *merge) next() error {
	switch err := m.sources[0].next(m.sorter); err {
	case nil:
		heap.Fix(m, 0)
	case io.EOF:
		heap.Pop(m)
	default:
		return err
	}
	return m.sorter.err
}

// next reads the next line, or returns io.EOF.
func (s *source) next(sorter *sorter) error {
	if s.file != nil {
		return s.read()
	}
	if len(s.rows) == 0 {
		return io.EOF
	}
	s.line, s.rows = sorter.at(s.rows[0]), s.rows[1:]
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
	s.line = sortedLine{head: s.head[:size]}
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

// Len, Less, Swap, Push and Pop are for container/heap.
func (m *merge) Len() int { return len(m.sources) }
func (m *merge) Less(i, j int) bool {
	return m.sorter.compare(m.sources[i].line, m.sources[j].line) < 0
}
func (m *merge) Swap(i, j int) { m.sources[i], m.sources[j] = m.sources[j], m.sources[i] }
func (m *merge) Push(x any)    { m.sources = append(m.sources, x.(*source)) }
func (m *merge) Pop() any {
	last := m.sources[len(m.sources)-1]
	m.sources = m.sources[:len(m.sources)-1]
	return last
}
