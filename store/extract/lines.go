package extract

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net/http"

	"warcorder/store"
	"warcorder/store/extsort"
	"warcorder/store/selection"
)

// lines are the CDXJ lines of the captures, by their new places. As in an export (store.Query.All)
// there is none of a 304, nor of a part whose whole is there: which is known when all have come. So
// parts wait apart, and beside them the URL keys of the wholes.
type lines struct {
	sorter extsort.Sorter // of all lines but those of parts
	parts  extsort.Sorter // of a line, and behind a line break what tells whether it is left out
	wholes extsort.Sorter // of a URL key, and behind a line break what is there as a whole

	hasParts bool // wholes are wanted
	line     []byte
	leftOut  int64
}

// sorterMemory is how much of the lines is sorted in memory, in bytes, of each kind.
const sorterMemory = 8 << 20

func newLines(temp string, hasParts bool) *lines {
	sorter := extsort.Sorter{Dir: temp, Memory: sorterMemory}
	return &lines{sorter: sorter, parts: sorter, wholes: sorter, hasParts: hasParts}
}

// add adds the line of a capture.
func (l *lines) add(c *selection.Chosen, at store.Location) error {
	if c.Status == http.StatusNotModified {
		l.leftOut++
		return nil
	}
	moved := c.Capture
	moved.Location = at
	l.line = moved.AppendCDXJ(l.line[:0])
	if !l.hasParts {
		return l.sorter.Add(l.line)
	}
	var err error
	if is := wholenessOf(&moved); is != 0 {
		end := len(keyOf(l.line))
		whole := append(append([]byte{}, l.line[:end]...), '\n')
		err = l.wholes.Add(append(binary.BigEndian.AppendUint32(whole, moved.Entity), byte(is)))
	}
	if !moved.IsPart() {
		return errors.Join(err, l.sorter.Add(l.line))
	}
	counts := asAnswer | asPart
	if moved.Whole {
		counts = asAnswer
	}
	l.line = binary.BigEndian.AppendUint32(append(l.line, '\n'), moved.Entity)
	return errors.Join(err, l.parts.Add(append(l.line, byte(counts))))
}

// write writes all lines in their order, and returns how many there are.
func (l *lines) write(w io.Writer) (n int64, err error) {
	var m merge
	if m.lines, err = l.sorter.Sorted(); err != nil {
		return 0, err
	}
	if m.parts, err = l.parts.Sorted(); err != nil {
		return 0, err
	}
	if m.wholes, err = l.wholes.Sorted(); err != nil {
		return 0, err
	}
	m.out = bufio.NewWriterSize(w, 1<<20)
	if err := m.all(); err != nil {
		return m.n, err
	}
	l.leftOut += m.leftOut
	return m.n, m.out.Flush()
}

func (l *lines) close() error {
	return errors.Join(l.sorter.Close(), l.parts.Close(), l.wholes.Close())
}
