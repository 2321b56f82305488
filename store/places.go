package store

import (
	"bytes"
	"context"
)

// Division divides what a Query selects into parts of so many captures each, the last one of fewer. It
// is made bit by bit, and keeps nothing of the index in between: what comes to a part that is behind it
// changes nothing. The parts lie between places where the order of the lines is that of the index, so a
// part may have more captures. What is counted is captures of the range of URL keys, whatever their time
// is, and whether they have a line.
type Division struct {
	span  span
	each  int
	total int
	count int    // since the last place
	next  []byte // where to go on; nil is the end
	last  []byte // the key before that; empty at the beginning

	places []Place
}

// Divide returns the Division of what q selects, in which nothing has been counted.
func (q Query) Divide(each int) (*Division, error) {
	w := Walk{Query: q}
	s, err := w.span()
	if err != nil {
		return nil, err
	}
	return &Division{span: s, each: each, next: append([]byte{}, s.start...)}, nil
}

// IsOver reports whether all captures have been counted.
func (d *Division) IsOver() bool { return d.next == nil }

// Total returns how many captures have been counted.
func (d *Division) Total() int { return d.total }

// Most returns how many parts there can be at most, of which so many ends are known, in an index that
// has so many captures in all.
func (d *Division) Most(known, all int) int {
	left := max(all-d.total, 0) + d.count
	return known + max((left+d.each-1)/d.each, 1)
}

// Divide goes on with d, by at most so many captures and at most those of one short transaction, in which
// keys alone are read. It returns the ends of parts that it has come to, and how many captures it has
// counted. before is how many have been counted for the same client just now: beyond the first ones it
// stands back for who writes. After an error d is as before.
func (b *Bolt) Divide(ctx context.Context, d *Division, most, before int) (ends []Place, n int, err error) {
	if d.IsOver() {
		return nil, 0, nil
	}
	if err := b.standBack(ctx, before); err != nil {
		return nil, 0, err
	}
	total, count := d.total, d.count
	err = b.view(d.span.key, func(c cursor) error { return d.read(c, min(most, placeKeys)) })
	if err != nil {
		d.total, d.count = total, count
		return nil, 0, err
	}
	return d.places, d.total - total, nil
}

// read counts the keys that come next.
func (d *Division) read(c cursor, most int) error {
	d.places = nil
	last := indexKey(d.last)
	k, _ := c.seek(d.next)
	for n := 0; ; n++ {
		if d.span.between(k) {
			k, _ = c.seek(d.span.cut)
		}
		if k == nil || d.span.past(k) {
			d.next = nil
			return nil
		}
		if err := k.check(); err != nil {
			return err
		}
		if n >= most {
			break
		}
		if d.count >= d.each && apart(last, k) {
			d.places, d.count = append(d.places, Place{string(k.run())}), 0
		}
		d.count++
		d.total++
		last = k
		k, _ = c.next()
	}
	d.next, d.last = append(d.next[:0], k...), append(d.last[:0], last...)
	return nil
}

// placeKeys is how many keys a transaction counts: some milliseconds.
const placeKeys = 8 * sliceKeys

// apart reports whether two keys that follow one another are of different runs, whatever cut keys
// there may be.
func apart(a, b indexKey) bool {
	if head := a.head(); head != nil && bytes.HasPrefix(b, head) {
		return false
	}
	return !bytes.HasPrefix(b, a.run())
}
