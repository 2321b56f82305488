package store

import "bytes"

// The captures of one URL key and second are sorted in memory, since their lines are in another order
// than their keys. An import that knows one date alone may have any number of them: of more than these
// a reading that is hasty gives them in the order of the index, that is as they lie in the files, and
// another one sorts them on the disk.
const (
	maxRun      = sliceKeys // captures
	maxRunBytes = sliceBytes
)

// readRun reads the run that goes on at k and v, as much of it as the slice has room for if it is large,
// and returns what follows.
func (s *slice) readRun(c cursor, k indexKey, v []byte) (indexKey, []byte, error) {
	run, before := k.run(), s.mark()
	isLoose := bytes.Equal(run, s.loose)
	defer func() { s.markLoose(before.captures, isLoose) }()
	for ; bytes.HasPrefix(k, run); k, v = c.next() {
		isLarge := s.keys-before.keys >= maxRun || s.bytes-before.bytes >= maxRunBytes
		switch {
		case !isLoose && isLarge && !s.hasty:
			s.goBack(before)
			s.sortSecond(bytes.Clone(run))
			return nil, nil, nil
		case !isLoose && isLarge:
			s.loose, isLoose = bytes.Clone(run), true
		}
		if isLoose && s.full() {
			return k, v, nil
		}
		n := len(s.captures)
		if err := s.add(c, k, v); err != nil {
			return nil, nil, err
		}
		if len(s.captures) > n {
			s.captures[n].loose = k.file()
		}
	}
	if !isLoose {
		sortLines(s.captures[before.captures:], s.span.key)
	}
	return k, v, nil
}

// markLoose lets the captures from one on alone be loose that are of a loose run.
func (s *slice) markLoose(first int, isLoose bool) {
	for i := first; !isLoose && i < len(s.captures); i++ {
		s.captures[i].loose = 0
	}
}

// beginsIn lets a reading that begins behind the first captures of a run, as they lie in the index, go on
// in their order, however few are left.
func (s *slice) beginsIn(start indexKey) {
	if len(start) > tailSize && start.check() == nil && !start.long() {
		s.loose = bytes.Clone(start.run())
	}
}

// stopAt lets the reading go on at k: it may be in the middle of a loose run alone.
func (s *slice) stopAt(k indexKey) {
	if run := k.run(); !bytes.Equal(run, s.loose) {
		k = run
	}
	s.next = append(s.next[:0], k...)
}

// mark is how far a slice has come.
type mark struct {
	captures, keys, bytes, parts int
	open, leftOut                int64
}

func (s *slice) mark() mark {
	return mark{len(s.captures), s.keys, s.bytes, s.parts, s.open, s.leftOut}
}

// goBack leaves out what has been read since m.
func (s *slice) goBack(m mark) {
	s.captures, s.bytes, s.parts = s.captures[:m.captures], m.bytes, m.parts
	s.open, s.leftOut = m.open, m.leftOut
}
