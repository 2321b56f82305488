package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"

	"warcorder/canon"
)

// Walk is a way through the captures that a Query selects, for whoever answers others: it can begin
// and end anywhere, go backwards, and be stopped while it finds nothing. Of parts of what is there as
// a whole, which Replayable leaves out, it leaves out those whose whole is among the first 65,536
// captures of the URL key. More captures of one URL key and second than maxRun are in the order of the
// index, and not in that of their lines.
type Walk struct {
	Context context.Context // ends the walk; nil is one that never ends

	Query Query // its Dialect and NoBodies are not looked at
	Back  bool  // from the last line to the first

	// From and Until are the ends of a part: captures from one Place on, and those before another.
	// The zero Place is no end. From one between captures of a second that has, or had, more than maxRun,
	// as PlaceBehind gives it, the rest of these comes in the order of the index, however few they are.
	From, Until Place

	// Looked is how many captures who walks has looked at before, on other walks of the same answer: so
	// many walks stand back behind whoever writes the index as one does.
	Looked int

	// Look, if it is not nil, is told after each transaction how many captures it has looked at, and
	// where the walk could go on from; the zero Place says that this cannot be said, or that nothing
	// follows. An error ends the walk.
	Look func(looked int, next Place) error
}

// Place is a place between the captures of an index, in the order of their lines. It stays where it
// is while captures come and go. Whoever keeps one for others, who may change it, gives it back by
// PlaceFrom.
type Place struct{ key string }

// PlaceFrom returns the Place of which String has given the text. Of any other text it is a place
// too, but one that may lie between captures whose order is not that of the index.
func PlaceFrom(text string) Place { return Place{text} }

// String returns the Place as a text of any bytes.
func (p Place) String() string { return p.key }

// PlaceOf returns the Place before all captures of the URL key and the second of c. Those whose URL
// keys are longer than 512 bytes, and have these in common, have one Place: it is behind the captures
// of the URL key that has these alone. The Places of captures never go back on the way of a Walk.
func PlaceOf(c *Capture) Place {
	if len(c.URLKey) > maxCutKey {
		return Place{c.URLKey[:maxCutKey] + "!"} // the first byte that may follow; cut keys have 7f there
	}
	return Place{string(appendSeconds(append([]byte(c.URLKey), ' '), FourDigitYear(c.Time)))}
}

// PlaceBehind returns the Place between a capture that a Walk has given and the next one, of a second in
// which captures come in the order of the index. It is false for all others, and where URL keys are
// longer than 512 bytes: several captures may be between two places then.
func PlaceBehind(c *Capture) (p Place, is bool) {
	if c.loose == 0 || len(c.URLKey) > maxCutKey {
		return Place{}, false
	}
	return Place{string(appendKey(nil, []byte(c.URLKey), c.Time, c.loose, c.Offset+1))}, true
}

// Shares reports whether what is at q has, or had, the same PlaceOf as what is at p.
func (p Place) Shares(q Place) bool { return strings.HasPrefix(q.key, p.head()) }

// head returns what the keys of the captures begin with that have one Place, that at p among them.
func (p Place) head() string {
	if end := strings.IndexByte(p.key, ' '); end < 0 || end > maxCutKey {
		return p.key[:min(len(p.key), maxCutKey)]
	}
	if k := indexKey(p.key); len(k) > tailSize && k.check() == nil {
		return string(k.run())
	}
	return p.key
}

// ErrBack says that captures cannot be read backwards: too many are of one URL key and second, or have
// URL keys that are long and begin alike.
var ErrBack = errors.New(
	"too many captures are of one second of a URL, or have long URL keys that begin alike")

// The bounds of what is held in memory of a part that is read backwards.
const (
	maxBack      = 1 << 15 // captures
	maxBackBytes = 64 << 20
)

// Walk calls yield with the captures on w until it returns false, as Replayable does. Backwards they
// are the same, in the opposite order.
func (b *Bolt) Walk(w Walk, yield func(*Capture) bool) error {
	span, err := w.span()
	if err != nil {
		return err
	}
	if w.Back {
		return b.walkBack(&w, span, yield)
	}
	return b.slicesOf(w.reading(), span, func(s *slice) (bool, error) {
		for i := range s.captures {
			if !yield(&s.captures[i]) {
				return false, nil
			}
		}
		return true, nil
	})
}

// span returns what w selects.
func (w *Walk) span() (span, error) {
	w.Query.Dialect, w.Query.NoBodies = canon.Pywb, false
	s, err := w.Query.span()
	if err != nil {
		return s, err
	}
	w.Query.narrow(&s)
	if from := w.From.key; from > string(s.start) {
		s.start = []byte(from)
	}
	if until := w.Until.key; until != "" && (s.end == nil || until < string(s.end)) {
		s.end = []byte(until)
	}
	return s, nil
}

// narrow lets the range of the index begin and end with the range of time, where all captures have
// one URL key.
func (q Query) narrow(s *span) {
	if cmp.Or(q.Match, Exact) != Exact || q.URL == "" || !s.key.primary() || len(s.low) > maxCutKey {
		return
	}
	s.start = append(bytes.Clone(s.low), s.from...)
	s.end = append(append(bytes.Clone(s.low), s.to...), '9'+1)
}

// reading returns the reading of w.
func (w *Walk) reading() *reading {
	r := reading{ctx: w.context(), keys: w.Looked, hasty: true}
	if w.Look != nil {
		r.look = w.look
	}
	return &r
}

func (w *Walk) context() context.Context {
	if w.Context == nil {
		return context.Background()
	}
	return w.Context
}

// look tells Look of a slice.
func (w *Walk) look(looked int, s *slice) error {
	next := Place{}
	if len(s.pending) == 0 && s.cut == nil && s.parts == 0 && !w.Back {
		next.key = string(s.next)
	}
	return w.Look(looked, next)
}

// walkBack reads the span from its end to its beginning: one part after another, each of them
// forwards into memory.
func (b *Bolt) walkBack(w *Walk, all span, yield func(*Capture) bool) error {
	part, size, reading := all, firstKeys, w.reading()
	for {
		var keys int
		if err := b.standBack(reading.ctx, reading.keys); err != nil {
			return err
		}
		err := b.viewSame(&reading.seen, all.key, func(c cursor) (err error) {
			part.start, keys, err = all.lastPart(c, part.end, size)
			return err
		})
		if err != nil || keys == 0 {
			return err
		}
		captures, err := b.readPart(reading, part)
		if err != nil {
			return err
		}
		for i := len(captures) - 1; i >= 0; i-- {
			if !yield(&captures[i]) {
				return nil
			}
		}
		part.end, size = part.start, min(moreKeys*size, sliceKeys)
	}
}

// lastPart returns where the part of the index begins that ends before end, and has so many keys or
// some more: whole runs.
func (s *span) lastPart(c cursor, end []byte, most int) (start []byte, keys int, err error) {
	k, v := c.last(end)
	for text := 0; k != nil && bytes.Compare(k, s.start) >= 0; k, v = c.walker.Prev() {
		if s.between(k) {
			if k, v = c.before(s.gap); k == nil || bytes.Compare(k, s.start) < 0 {
				break
			}
		}
		if err := k.check(); err != nil {
			return nil, 0, err
		}
		if keys >= most || text >= sliceBytes {
			return later(c.runStart(start), s.start), keys, nil
		}
		keys++
		text += len(k) + len(v)
		start = append(start[:0], k...)
	}
	return append([]byte{}, s.start...), keys, nil // never nil: that would be the end of the index
}

// later returns the one of two places that is behind the other.
func later(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// last returns the last key before end, or of all.
func (c cursor) last(end []byte) (indexKey, []byte) {
	if end == nil {
		return c.walker.Last()
	}
	return c.before(end)
}

// runStart returns what all keys of k's run begin with, or lie behind.
func (c cursor) runStart(k indexKey) []byte {
	if head := k.head(); head != nil && c.name.primary() {
		cut := append(bytes.Clone(head), longMark)
		if found, _ := c.captures.walk().Seek(cut); bytes.HasPrefix(found, cut) {
			return bytes.Clone(head)
		}
	}
	return bytes.Clone(k.run())
}

// readPart reads a part of what is read backwards.
func (b *Bolt) readPart(r *reading, part span) (captures []Capture, err error) {
	text := 0
	err = b.slicesOf(r, part, func(s *slice) (bool, error) {
		for i := range s.captures {
			c := &s.captures[i]
			text += len(c.URL) + len(c.URLKey) + len(c.RequestBody)
		}
		if len(captures)+len(s.captures) > maxBack+sliceKeys || text > maxBackBytes+sliceBytes {
			return false, ErrBack
		}
		captures = append(captures, s.captures...)
		return true, nil
	})
	return captures, err
}
