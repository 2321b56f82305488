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

// gather makes the run of long SURTs that begins at k and v the pending one. Their texts may be a
// megabyte each: they are compared where they lie, and of each only the end of its key is kept.
func (s *slice) gather(c cursor, k indexKey, v []byte) {
	s.run = append(s.run[:0], k.run()...)
	var all []found
	for ; bytes.HasPrefix(k, s.run); k, v = c.next() {
		all = append(all, found{k, v})
	}
	slices.SortFunc(all, func(a, b found) int { return s.compareLong(c, a, b) })
	s.pending = s.pending[:0]
	for _, f := range all {
		s.pending = append(s.pending, [tailSize]byte(f.key[len(f.key)-tailSize:]))
	}
	s.next = append(s.next[:0], s.run...)
	s.next[len(s.next)-1]++ // behind the run
}

// compareLong compares two captures of a run as their lines.
func (s *slice) compareLong(c cursor, a, b found) int {
	if order := bytes.Compare(s.longKey(a), s.longKey(b)); order != 0 {
		return order
	}
	if order := bytes.Compare(a.key.seconds(), b.key.seconds()); order != 0 {
		return order
	}
	return bytes.Compare(s.line(c, a), s.line(c, b))
}

// longKey returns the whole of a long key.
func (s *slice) longKey(f found) []byte {
	if s.span.key.primary() {
		return longURLKey(f.value)
	}
	return longSecondary(f.value)
}

// line returns what follows the key in the line of a capture, or nil if it cannot be read:
// readPending will say why.
func (s *slice) line(cursor cursor, f found) []byte {
	_, key, value, err := cursor.capture(f.key, f.value)
	if err != nil {
		return nil
	}
	c, _, err := s.decode(key, value)
	if err != nil {
		return nil
	}
	c.URLKey = "" // the keys are equal
	return c.AppendCDXJ(nil)
}

// readPending reads captures of the pending run.
func (s *slice) readPending(c cursor) error {
	for len(s.pending) > 0 && !s.full() {
		key := append(s.run, s.pending[0][:]...)
		s.pending = s.pending[1:]
		if err := s.add(c, key, c.get(key)); err != nil {
			return err
		}
	}
	return nil
}
