package store

import (
	"bytes"
	"context"
	"time"
)

// Nearest calls yield with the captures whose key of that name is text, as a Keyer makes it: those
// first that were made nearest to a moment, to the millisecond, and of two that are as near the
// later one. The zero time gives the latest first. Nearest looks at no more than so many captures,
// and ends when yield returns false. No transaction is open meanwhile: yield may take its time. If a
// Renewal puts another index in the place of this one, the error is ErrReplaced.
func (b *Bolt) Nearest(name Key, text string, at time.Time, most int,
	yield func(*Capture) bool) error {
	if err := name.check(); err != nil {
		return err
	}
	if at.IsZero() {
		at = lastTime
	}
	n := nearest{at: FourDigitYear(at).UnixMilli()}
	n.name, n.files, n.left = name, &b.files, most
	n.ways = waysFrom(name, appendURLKey(nil, text), at)
	var seen *writing
	for n.left > 0 && !n.over() {
		if err := b.standBack(context.Background(), most-n.left); err != nil {
			return err
		}
		if err := b.viewSame(&seen, name, n.read); err != nil {
			return err
		}
		for i := range n.captures {
			if !yield(&n.captures[i]) {
				return nil
			}
		}
	}
	return nil
}

// nearest reads captures outwards from a moment, on ways to both sides of it.
type nearest struct {
	looking
	at   int64 // milliseconds since 1970
	ways []way
}

// waysFrom returns the ways from a moment through the captures whose key of that name is text, as
// appendURLKey gives it. Those with a cut key lie elsewhere than the others.
func waysFrom(name Key, text []byte, at time.Time) []way {
	head, fit := appendKeyHead(nil, text), fits{}
	if len(text) > maxURLKey {
		fit.value = func(value []byte) bool { return bytes.Equal(name.longText(value), text) }
	}
	ways := appendWays(nil, head, at, fit)
	if !name.primary() || len(text) <= maxCutKey {
		return ways
	}
	whole := string(text)
	return appendWays(ways, appendCutHead(nil, text), at,
		fits{capture: func(c *Capture) bool { return c.URLKey == whole }})
}

// appendWays appends the ways from a moment through the keys that begin with head.
func appendWays(ways []way, head []byte, at time.Time, fit fits) []way {
	from := appendKeyTail(bytes.Clone(head), at, 0, 0)
	return append(ways, way{head: head, fits: fit, next: from},
		way{head: head, fits: fit, next: bytes.Clone(from), back: true})
}

// over reports whether there are no other captures.
func (n *nearest) over() bool {
	for i := range n.ways {
		if !n.ways[i].over {
			return false
		}
	}
	return true
}

// read reads the captures that come next.
func (n *nearest) read(c cursor) error {
	n.begin()
	for i := range n.ways {
		n.ways[i].open(c)
	}
	for looked := 0; !n.full(looked); looked++ {
		w, err := n.first()
		if err != nil {
			return err
		}
		if w == nil {
			return nil
		}
		if err := n.look(c, w); err != nil {
			return err
		}
		w.advance()
	}
	for i := range n.ways {
		n.ways[i].close()
	}
	return nil
}

// first returns the way whose next capture is the nearest; nil if there is none. Ways forwards come
// before those back.
func (n *nearest) first() (found *way, err error) {
	for i := range n.ways {
		w := &n.ways[i]
		if w.over {
			continue
		}
		if !w.measured {
			if w.distance, err = n.distance(w.key); err != nil {
				return nil, err
			}
			w.measured = true
		}
		if found == nil || w.distance < found.distance || w.distance == found.distance && !w.back {
			found = w
		}
	}
	return found, nil
}

// distance returns how many milliseconds lie between the moment and the time of a key.
func (n *nearest) distance(k indexKey) (int64, error) {
	if err := k.check(); err != nil {
		return 0, err
	}
	t, err := k.time()
	if err != nil {
		return 0, err
	}
	return max(t.UnixMilli()-n.at, n.at-t.UnixMilli()), nil
}
