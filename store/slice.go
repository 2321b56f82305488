package store

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// The captures are read in slices, each in a transaction of some milliseconds: a long transaction
// would keep the pages that are replaced meanwhile from being used again, so that the file grows,
// and would hold up a commit for which the file must be mapped anew.
const (
	sliceKeys  = 4096    // as many keys are looked at
	sliceBytes = 4 << 20 // or as many bytes of text found
)

// slice is one piece of what a query selects, in the order of the CDXJ lines.
type slice struct {
	captures []Capture
	open     int64 // how many of them lie in files that are not sealed

	span    span
	files   *fileTable
	decoder decoder
	file    File // that of the last capture
	keys    int  // looked at for this slice
	bytes   int  // of text in it

	next    []byte           // where in the index to go on; nil: at its end
	run     []byte           // of long SURTs
	pending [][tailSize]byte // what follows run in the keys of its captures, in the order of the lines
}

// slices calls each with one slice after another of what span selects, outside of the transaction
// that it was read in.
func (b *Bolt) slices(span span, each func(*slice) (more bool, err error)) (err error) {
	s := slice{span: span, files: &b.files, next: append([]byte{}, span.start...)}
	for more := true; more && !s.done(); {
		if err := b.view(span.key, s.read); err != nil {
			return err
		}
		if more, err = each(&s); err != nil {
			return err
		}
	}
	return nil
}

func (s *slice) done() bool { return s.next == nil && len(s.pending) == 0 }

func (s *slice) full() bool { return s.keys >= sliceKeys || s.bytes >= sliceBytes }

// read reads the next slice.
func (s *slice) read(c cursor) error {
	s.captures, s.open, s.keys, s.bytes, s.file = s.captures[:0], 0, 0, 0, File{}
	for !s.full() && !s.done() {
		if err := s.readPending(c); err != nil {
			return err
		}
		if err := s.readRuns(c); err != nil {
			return err
		}
	}
	return nil
}

// readRuns reads on from next, in whole runs: captures that are committed to a run later on are not
// looked for, as their lines might belong before those that have been given. It stops at a run of
// long SURTs.
func (s *slice) readRuns(c cursor) error {
	if s.next == nil || len(s.pending) > 0 {
		return nil
	}
	k, v := c.seek(s.next)
	for {
		if k == nil || s.span.past(k) {
			s.next = nil
			return nil
		}
		if err := k.check(); err != nil {
			return err
		}
		if k.long() {
			s.gather(c, k, v)
			return nil
		}
		if s.full() {
			s.next = append(s.next[:0], k...)
			return nil
		}
		run, first := k.run(), len(s.captures)
		for ; bytes.HasPrefix(k, run); k, v = c.next() {
			if err := s.add(c, k, v); err != nil {
				return err
			}
		}
		sortLines(s.captures[first:], s.span.key)
	}
}

// add adds a capture, if the query selects it.
func (s *slice) add(cursor cursor, k indexKey, v []byte) error {
	s.keys++
	if !s.span.hasTime(k) {
		return nil
	}
	key, capture, value, err := cursor.capture(k, v)
	if err != nil || !s.span.hasMethod(value) {
		return err
	}
	c, sealed, err := s.decode(capture, value)
	if err == nil && s.span.extras && !c.isGET() {
		err = s.addExtras(cursor, &c, capture)
	}
	if err != nil {
		return err
	}
	if !s.span.key.primary() {
		*c.key(s.span.key) = string(key)
		s.bytes += len(key)
	}
	if s.span.long && !s.span.hasKey(*c.key(s.span.key)) {
		return nil
	}
	if !sealed {
		s.open++
	}
	s.bytes += len(s.decoder.text)
	s.captures = append(s.captures, c)
	return nil
}

// addExtras fills the extras of c.
func (s *slice) addExtras(cursor cursor, c *Capture, key indexKey) error {
	if err := decodeExtras(c, cursor.extras.Get(key.location())); err != nil {
		return err
	}
	s.bytes += len(c.SpecBody) + len(c.WarcioJSBody)
	return nil
}

// decode returns the capture, and whether its file is sealed.
func (s *slice) decode(k indexKey, v []byte) (c Capture, sealed bool, err error) {
	if c, err = s.decoder.decode(k, v); err != nil {
		return c, false, err
	}
	if id := k.file(); id != s.file.ID {
		if s.file, err = s.files.get(id); err != nil {
			return c, false, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	c.File = s.file.Name
	return c, s.file.Sealed, nil
}

// sortLines sorts the captures of one run by their lines, which have the key of that name.
func sortLines(run []Capture, name Key) {
	if len(run) < 2 {
		return
	}
	type lined struct {
		line    string
		capture Capture
	}
	all := make([]lined, len(run))
	for i := range run {
		all[i] = lined{string(run[i].appendPywb(nil, name)), run[i]}
	}
	slices.SortFunc(all, func(a, b lined) int { return cmp.Compare(a.line, b.line) })
	for i := range all {
		run[i] = all[i].capture
	}
}
