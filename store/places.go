package store

import "bytes"

// Places calls yield with places that divide what w goes through into parts of so many captures each,
// the last one of fewer: those of the first one on, without the ends of w. They lie where the order of
// the lines is that of the index, so a part may have more captures. What is counted is captures of the
// range of URL keys, whatever their time is, and whether they have a line. It returns how many there
// are. If yield returns false, the counting ends.
//
// Keys alone are read, in short transactions; Look is told of each.
func (b *Bolt) Places(w Walk, each int, yield func(Place) bool) (total int, err error) {
	s, err := w.span()
	if err != nil {
		return 0, err
	}
	p := placing{span: s, each: each, next: append([]byte{}, s.start...)}
	var seen *writing
	for p.next != nil {
		if err := b.standBack(w.context(), p.total); err != nil {
			return p.total, err
		}
		before := p.total
		if err := b.viewSame(&seen, s.key, p.read); err != nil {
			return p.total, err
		}
		if w.Look != nil {
			if err := w.Look(p.total-before, Place{string(p.next)}); err != nil {
				return p.total, err
			}
		}
		for _, place := range p.places {
			if !yield(place) {
				return p.total, nil
			}
		}
	}
	return p.total, nil
}

// placing counts the keys of a span.
type placing struct {
	span   span
	each   int
	total  int
	count  int    // since the last place
	next   []byte // where to go on; nil is the end
	last   []byte // the key before that; empty at the beginning
	places []Place
}

// read counts the keys that come next.
func (p *placing) read(c cursor) error {
	p.places = p.places[:0]
	last := indexKey(p.last)
	k, _ := c.seek(p.next)
	for n := 0; ; n++ {
		if p.span.between(k) {
			k, _ = c.seek(p.span.cut)
		}
		if k == nil || p.span.past(k) {
			p.next = nil
			return nil
		}
		if err := k.check(); err != nil {
			return err
		}
		if n >= placeKeys {
			break
		}
		if p.count >= p.each && apart(last, k) {
			p.places, p.count = append(p.places, Place{string(k.run())}), 0
		}
		p.count++
		p.total++
		last = k
		k, _ = c.next()
	}
	p.next, p.last = append(p.next[:0], k...), append(p.last[:0], last...)
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
