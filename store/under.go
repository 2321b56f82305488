package store

import (
	"bytes"
	"context"
	"strings"
)

// Under calls yield with the captures whose URL key begins with prefix, in the order of the index:
// that of their lines, but for very long keys. It looks at no more than so many captures, and says
// by more that others follow; it ends when yield returns false. No transaction is open meanwhile:
// yield may take its time. If a Renewal puts another index in the place of this one, the error is
// ErrReplaced.
func (b *Bolt) Under(prefix string, most int, yield func(*Capture) bool) (more bool, err error) {
	return b.under(prefix, most, false, yield)
}

// UnderWithBodies is Under whose captures, of what is no GET, have the SpecBody too: the one that is
// not cut. Each may be a MiB, which is read for it.
func (b *Bolt) UnderWithBodies(prefix string, most int, yield func(*Capture) bool) (more bool,
	err error) {
	return b.under(prefix, most, true, yield)
}

func (b *Bolt) under(prefix string, most int, bodies bool, yield func(*Capture) bool) (more bool,
	err error) {
	u := under{ways: waysUnder(prefix)}
	u.name, u.files, u.left, u.bodies = URLKey, &b.files, most, bodies
	var seen *writing
	for u.left > 0 && len(u.ways) > 0 {
		if err := b.standBack(context.Background(), most-u.left); err != nil {
			return false, err
		}
		if err := b.viewSame(&seen, URLKey, u.read); err != nil {
			return false, err
		}
		for i := range u.captures {
			if !yield(&u.captures[i]) {
				return len(u.ways) > 0 || i+1 < len(u.captures), nil
			}
		}
	}
	return len(u.ways) > 0, nil
}

// under reads the captures on ways, one way after another.
type under struct {
	looking
	ways []way // that have not been gone to their ends
}

// waysUnder returns the ways through the captures whose URL key begins with prefix.
func waysUnder(prefix string) []way {
	if prefix == "" {
		return []way{{next: []byte{}}}
	}
	text := appendURLKey(nil, prefix)
	first := way{head: text}
	if len(text) > maxURLKey {
		first.head = appendKeyHead(nil, text)
		first.fits.value = func(value []byte) bool {
			return bytes.HasPrefix(longURLKey(value), text)
		}
	}
	first.next = bytes.Clone(first.head)
	if len(text) <= maxCutKey {
		return []way{first}
	}
	whole, cut := string(text), appendCutHead(nil, text)
	return []way{first, {
		head: cut,
		next: bytes.Clone(cut),
		fits: fits{capture: func(c *Capture) bool { return strings.HasPrefix(c.URLKey, whole) }},
	}}
}

// read reads the captures that come next.
func (u *under) read(c cursor) error {
	u.begin()
	for looked := 0; len(u.ways) > 0; u.ways = u.ways[1:] {
		w := &u.ways[0]
		for w.open(c); !w.over; w.advance() {
			if u.full(looked) {
				w.close()
				return nil
			}
			if err := u.look(c, w); err != nil {
				return err
			}
			looked++
		}
	}
	return nil
}
