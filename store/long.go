package store

import (
	"bytes"
	"slices"
)

// found is a key and its value, good until the transaction ends.
type found struct {
	key   indexKey
	value []byte
}

// gather makes the run of long SURTs that begins at k and v the pending one. Their texts may be a megabyte each: they are compared where they lie, and
// of each only the end of its key is kept.
func (s *slice) gather(c cursor, k indexKey, v []byte) {
	s.run = append(s.run[:0], k.run()...)
	var all []found
	for ; bytes.HasPrefix(k, s.run); k, v = c.next() {
		all = append(all, found{k, v})
	}
	slices.SortFunc(all, s.compareLong)
	s.pending = s.pending[:0]
	for _, f := range all {
		s.pending = append(s.pending, [tailSize]byte(f.key[len(f.key)-tailSize:]))
	}
	s.next = append(s.next[:0], s.run...)
	s.next[len(s.next)-1]++ // behind the run
}

// compareLong compares two captures of a run as their lines.
func (s *slice) compareLong(a, b found) int {
	if order := bytes.Compare(longURLKey(a.value), longURLKey(b.value)); order != 0 {
		return order
	}
	if order := bytes.Compare(a.key.seconds(), b.key.seconds()); order != 0 {
		return order
	}
	return bytes.Compare(s.line(a), s.line(b))
}

// line returns the line of a capture, or nil if it cannot be read: readPending will say why.
func (s *slice) line(f found) []byte {
	c, _, err := s.decode(f.key, f.value)
	if err != nil {
		return nil
	}
	return c.AppendCDXJ(nil)
}

// readPending reads captures of the pending run.
func (s *slice) readPending(c cursor) error {
	for len(s.pending) > 0 && !s.full() {
		key := append(s.run, s.pending[0][:]...)
		s.pending = s.pending[1:]
		if err := s.add(key, c.get(key)); err != nil {
			return err
		}
	}
	return nil
}
