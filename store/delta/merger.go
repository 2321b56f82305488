package delta

import (
	"bufio"
	"bytes"
	"io"

	"warcorder/store/extsort"
)

// merger puts sorted lines between the lines of an export, which come in order and in any pieces.
type merger struct {
	out    *bufio.Writer
	sorted *extsort.Lines
	part   []byte // the beginning of a line whose end has not come
	void   int64  // sorted lines that were written
}

func newMerger(w io.Writer, sorted *extsort.Lines) *merger {
	return &merger{out: bufio.NewWriterSize(w, 64<<10), sorted: sorted}
}

// Write takes lines, or parts of lines.
func (m *merger) Write(p []byte) (int, error) {
	n := len(p)
	for m.sorted.More() {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			m.part = append(m.part, p...)
			return n, nil
		}
		line := p[:end]
		if len(m.part) > 0 {
			m.part = append(m.part, line...)
			line = m.part
		}
		if err := m.pass(line); err != nil {
			return 0, err
		}
		m.part, p = m.part[:0], p[end:]
	}
	_, err := m.out.Write(p)
	return n, err
}

// pass writes a line, and before it the sorted ones that belong there.
func (m *merger) pass(line []byte) error {
	for m.sorted.More() {
		order, err := m.sorted.Compare(line[:len(line)-1])
		if err != nil {
			return err
		}
		if order > 0 {
			break
		}
		if err := m.writeSorted(); err != nil {
			return err
		}
	}
	_, err := m.out.Write(line)
	return err
}

// writeSorted writes the next of the sorted lines.
func (m *merger) writeSorted() error {
	m.void++
	if err := m.sorted.Write(m.out); err != nil {
		return err
	}
	return m.sorted.Next()
}

// end writes the sorted lines that are left.
func (m *merger) end() error {
	for m.sorted.More() {
		if err := m.writeSorted(); err != nil {
			return err
		}
	}
	return m.out.Flush()
}
