package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// The captures are read in slices, each in a transaction of some milliseconds. A long transaction
// would let the file grow, since pages that are replaced meanwhile could not be used again; and it
// would hold up a commit for which the file must be mapped anew. A slice ends when one of the two
// limits is reached.
const (
	sliceKeys  = 4096    // that are looked at
	fewKeys    = 64      // in the first slice of a reading, and moreKeys times as many in the next ones
	sliceBytes = 4 << 20 // of text
)

// slice is one piece of what a query selects, in the order of the CDXJ lines.
type slice struct {
	captures []Capture
	open     int64 // how many of them lie in files that are not sealed
	leftOut  int64 // captures that were selected, and left out: parts.go

	span    span
	since   *sinceFilter
	files   *fileTable
	temp    string // where runs with cut keys are sorted
	memory  int    // for that
	decoder decoder
	file    File // of the last capture
	keys    int  // looked at for this slice
	most    int  // keys to look at for this slice
	bytes   int  // of text in this slice

	wholes wholes
	hasty  bool
	parts  int // captures of which it is to be decided whether they are left out
	at     int // where in captures that goes on
	kept   int // how many of those before are not left out

	next    []byte           // where in the index to go on; nil is its end
	run     []byte           // the beginning of a run of long SURTs
	pending [][tailSize]byte // the ends of its keys that are still to be read, in order of the lines

	loose []byte  // the beginning of a run that is too large to be sorted: it goes on where it was left
	cut   *cutRun // a run that is sorted on the disk, and being read; nil if there is none
	uncut []byte  // the beginning of a run that had none when it was come to
}

// slices calls each with one slice after another of what span selects. No transaction is open
// meanwhile.
func (b *Bolt) slices(span span, each func(*slice) (more bool, err error)) error {
	return b.slicesOf(&reading{ctx: cmp.Or(span.ctx, context.Background())}, span, each)
}

// reading is what several rounds of slices have in common.
type reading struct {
	ctx  context.Context
	seen *writing // of which the first slice was read
	keys int      // that have been looked at

	wholes wholes

	// hasty lets parts be given whose whole is not among the first captures of their URL key, and large
	// runs in the order of the index.
	hasty bool

	// look, if it is not nil, is told after each transaction how many captures have been looked at in
	// it. Its error ends the reading.
	look func(looked int, s *slice) error
}

// slicesOf is slices, which goes on with a reading.
func (b *Bolt) slicesOf(r *reading, span span, each func(*slice) (more bool, err error)) (err error) {
	s := slice{span: span, files: &b.files, next: append([]byte{}, span.start...)}
	s.temp, s.memory = b.TempDir, b.sortMemory
	s.since, s.wholes, s.hasty = span.filter(&b.files), r.wholes, r.hasty
	s.wholes.since = s.since
	if s.hasty {
		s.beginsIn(span.start)
	}
	defer func() {
		r.wholes = s.wholes
		err = errors.Join(err, s.closeCut())
	}()
	for more := true; more && !s.done(); r.keys += s.keys {
		if err := b.standBack(r.ctx, r.keys); err != nil {
			return err
		}
		if err := b.viewSame(&r.seen, span.key, s.read); err != nil {
			return err
		}
		if err := r.tell(&s, s.keys); err != nil {
			return err
		}
		if err := b.decideParts(r, &s); err != nil {
			return err
		}
		if more, err = each(&s); err != nil {
			return err
		}
	}
	return nil
}

// decideParts decides which captures of a slice are left out, as far as that did not come in its
// transaction.
func (b *Bolt) decideParts(r *reading, s *slice) error {
	for s.parts > 0 {
		if err := b.standBack(r.ctx, quickKeys); err != nil {
			return err
		}
		if err := b.viewSame(&r.seen, s.span.key, s.decide); err != nil {
			return err
		}
		if err := r.tell(s, 0); err != nil {
			return err
		}
	}
	return nil
}

// tell tells look of a transaction in which so many keys of the slice were looked at.
func (r *reading) tell(s *slice, keys int) error {
	if r.look == nil {
		return nil
	}
	wholes := s.wholes.looked
	s.wholes.looked = 0
	return r.look(keys+int(wholes), s)
}

// done reports whether there is no other slice.
func (s *slice) done() bool { return s.next == nil && len(s.pending) == 0 && s.cut == nil }

// full reports whether the slice has reached one of its limits.
func (s *slice) full() bool { return s.keys >= s.most || s.bytes >= sliceBytes }

// read reads the next slice.
func (s *slice) read(c cursor) error {
	s.captures, s.open, s.leftOut, s.keys, s.bytes = s.captures[:0], 0, 0, 0, 0
	s.file, s.at, s.kept = File{}, 0, 0
	s.most = min(max(moreKeys*s.most, fewKeys), sliceKeys)
	for !s.full() && !s.done() {
		if err := errors.Join(s.readPending(c), s.readCut(c)); err != nil {
			return err
		}
		if err := s.readRuns(c); err != nil {
			return err
		}
	}
	return s.decide(c)
}

// readRuns reads on from next, in whole runs. A capture that is committed to one of these runs
// later on is missing, as its line might belong before lines that have been given. readRuns stops
// at a run of long SURTs, and at one that is to be sorted on the disk.
func (s *slice) readRuns(c cursor) error {
	if s.next == nil || len(s.pending) > 0 || s.cut != nil {
		return nil
	}
	k, v := c.seek(s.next)
	for {
		if s.span.between(k) {
			k, v = c.seek(s.span.cut)
		}
		if k == nil || s.span.past(k) {
			s.next = nil
			return nil
		}
		if err := k.check(); err != nil {
			return err
		}
		if s.begins(c, k) {
			return nil
		}
		if k.cut() && c.name.primary() { // it has come since the run was begun without it
			k, v = c.next()
			continue
		}
		if k.long() {
			s.gather(c, k, v)
			return nil
		}
		if s.full() {
			s.stopAt(k)
			return nil
		}
		var err error
		if k, v, err = s.readRun(c, k, v); err != nil || s.cut != nil {
			return err
		}
	}
}

// add adds the capture to which a key and its value lead, if the query selects it.
func (s *slice) add(cursor cursor, k indexKey, v []byte) error {
	s.keys++
	is, before := s.since.selects(k, v)
	if !is || !s.span.hasTime(k) {
		return nil
	}
	key, capture, value, err := cursor.capture(k, v)
	if err != nil || !s.span.hasMethod(value) {
		return err
	}
	c, sealed, err := s.decode(cursor, capture, value)
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
	if !s.span.has(&c) {
		return nil
	}
	c.void, c.again = before == toldPart, before == toldAgain
	switch {
	case s.span.leaveOut && c.isNotModified():
		s.leftOut++
		return nil
	case s.span.leaveOut && c.isPart():
		s.parts++
	case !sealed:
		s.open++
	}
	s.bytes += len(s.decoder.text)
	s.captures = append(s.captures, c)
	return nil
}

// addExtras fills the extras of c.
func (s *slice) addExtras(cursor cursor, c *Capture, key indexKey) error {
	if err := s.decoder.extras.read(c, key, cursor.extras.Get(key.location())); err != nil {
		return err
	}
	s.bytes += len(c.SpecBody) + len(c.WarcioJSBody)
	return nil
}

// decode returns the capture, and whether its file is sealed.
func (s *slice) decode(cursor cursor, k indexKey, v []byte) (c Capture, sealed bool, err error) {
	if c, err = s.decoder.capture(k, v, cursor.extras); err != nil {
		return c, false, err
	}
	if hasFlag(v, flagQuery) {
		s.bytes += len(c.URLKey) + len(c.RequestBody)
	}
	if id := k.file(); id != s.file.ID {
		if s.file, err = s.files.get(id); err != nil {
			return c, false, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	c.File = s.file.Name
	return c, s.file.Sealed, nil
}

// sortLines sorts the captures of one run by their lines, which begin with the key of that name.
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

// found is a key and its value, good until the transaction ends.
type found struct {
	key   indexKey
	value []byte
}

// gather makes the run of long SURTs that begins at k and v the pending one. A SURT may have a
// megabyte: they are compared where they lie, and only the ends of their keys are kept.
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
	key := s.span.key
	if order := bytes.Compare(key.longText(a.value), key.longText(b.value)); order != 0 {
		return order
	}
	if order := bytes.Compare(a.key.seconds(), b.key.seconds()); order != 0 {
		return order
	}
	return bytes.Compare(s.line(c, a), s.line(c, b))
}

// line returns what follows the key in the line of a capture, or nil if the capture cannot be read:
// readPending comes to it again, and says why.
func (s *slice) line(cursor cursor, f found) []byte {
	_, key, value, err := cursor.capture(f.key, f.value)
	if err != nil {
		return nil
	}
	c, _, err := s.decode(cursor, key, value)
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
