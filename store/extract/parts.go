package extract

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"net/http"

	"warcorder/store"
	"warcorder/store/extsort"
)

// wholeness is in which ways something is there as a whole.
type wholeness byte

const (
	asAnswer wholeness = 1 << iota // a capture of status 200
	asPart                         // one of status 206
)

// wholenessOf says whether a capture is a whole.
func wholenessOf(c *store.Capture) wholeness {
	switch {
	case c.Truncated || c.Method != "" && c.Method != http.MethodGet:
		return 0
	case c.Status == http.StatusOK:
		return asAnswer
	case c.Status == http.StatusPartialContent && c.Whole:
		return asPart
	}
	return 0
}

// maxVersions is how many entities of one URL key are looked at, as in an export: of others, which
// only a hostile site has, the parts have lines.
const maxVersions = 1 << 15

// merge writes the lines, and among them those of the parts that are not left out.
type merge struct {
	lines, parts, wholes *extsort.Lines
	out                  *bufio.Writer
	n, leftOut           int64

	key []byte               // of the present part
	of  map[uint32]wholeness // what is there of it, by entity
	any wholeness
}

// tailSize is how many bytes stand behind the line break: an entity, and a wholeness.
const tailSize = 4 + 1

var errSorted = errors.New("a line that was sorted has changed meanwhile")

// all writes all lines.
func (m *merge) all() error {
	for m.parts.More() {
		line, err := m.parts.Text()
		if err != nil {
			return err
		}
		at := len(line) - tailSize - 1
		if at < 0 || line[at] != '\n' {
			return errSorted
		}
		if err := m.look(keyOf(line)); err != nil {
			return err
		}
		if m.hides(line[at+1:]) {
			m.leftOut++
		} else if err := m.write(line[:at]); err != nil {
			return err
		}
		if err := m.parts.Next(); err != nil {
			return err
		}
	}
	for m.lines.More() {
		if err := m.next(); err != nil {
			return err
		}
	}
	return nil
}

// hides reports whether a part is left out, by its entity and the wholes that count for it.
func (m *merge) hides(tail []byte) bool {
	entity, counts := binary.BigEndian.Uint32(tail), wholeness(tail[4])
	if entity == 0 {
		return m.any&counts != 0
	}
	return (m.of[0]|m.of[entity])&counts != 0
}

// look looks which wholes there are of a URL key.
func (m *merge) look(key []byte) error {
	if bytes.Equal(key, m.key) {
		return nil
	}
	m.key, m.of, m.any = append(m.key[:0], key...), make(map[uint32]wholeness), 0
	for m.wholes.More() {
		line, err := m.wholes.Text()
		if err != nil {
			return err
		}
		at := len(line) - tailSize - 1
		if at < 0 || line[at] != '\n' {
			return errSorted
		}
		order := bytes.Compare(line[:at], key)
		if order > 0 {
			return nil
		}
		if entity := binary.BigEndian.Uint32(line[at+1:]); order == 0 &&
			(len(m.of) < maxVersions || m.of[entity] != 0) {
			is := wholeness(line[len(line)-1])
			m.of[entity] |= is
			m.any |= is
		}
		if err := m.wholes.Next(); err != nil {
			return err
		}
	}
	return nil
}

// write writes the line of a part, behind those that sort before it.
func (m *merge) write(line []byte) error {
	for m.lines.More() {
		order, err := m.lines.Compare(line)
		if err != nil {
			return err
		}
		if order > 0 {
			break
		}
		if err := m.next(); err != nil {
			return err
		}
	}
	m.n++
	_, err := m.out.Write(append(line, '\n'))
	return err
}

// next writes the next line that is no part's.
func (m *merge) next() error {
	m.n++
	return errors.Join(m.lines.Write(m.out), m.lines.Next())
}

// keyOf returns the key that a line begins with.
func keyOf(line []byte) []byte {
	key, _, _ := bytes.Cut(line, []byte{' '})
	return key
}
