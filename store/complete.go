package store

import "warcorder/canon"

// WithBodies is Captures whose captures have what every dialect makes of the request's body. That of
// one capture may be some MiB, which are read for it.
func (b *Bolt) WithBodies(q Query, yield func(*Capture) bool) error {
	q.Dialect, q.NoBodies, q.All = canon.Pywb, false, true
	span, err := q.span()
	if err != nil {
		return err
	}
	span.extras = true
	return b.slices(span, func(s *slice) (bool, error) {
		for i := range s.captures {
			if !yield(&s.captures[i]) {
				return false, nil
			}
		}
		return true, nil
	})
}

// Complete fills what a capture lacks that the index has given without its extras: it is then as
// WithBodies gives it.
func (b *Bolt) Complete(c *Capture) error {
	if c.isGET() {
		return nil
	}
	return b.AddKeys(c)
}

// AddKeys is Complete, and fills the secondary keys of a GET too.
func (b *Bolt) AddKeys(c *Capture) error {
	file, known := b.files.named(c.File)
	if !known {
		return nil
	}
	urlKey := appendURLKey(nil, c.URLKey)
	head := appendKeyHead
	if c.isCut(urlKey) {
		head = appendCutHead
	}
	key := indexKey(appendKeyTail(head(nil, urlKey), c.Time, file.ID, c.Offset))
	return b.view(URLKey, func(cursor cursor) error {
		return new(extrasReader).read(c, key, cursor.extras.Get(key.location()))
	})
}

// Selects returns what reports whether q selects a capture that the index has given.
func (q Query) Selects() (func(*Capture) bool, error) {
	s, err := q.span()
	if err != nil {
		return nil, err
	}
	s.long = true // the range of the index is not looked at: all is to be decided by the key
	return func(c *Capture) bool {
		ts := string(appendSeconds(nil, FourDigitYear(c.Time)))
		return ts >= s.from && ts <= s.to && s.has(c) &&
			(s.methods == allMethods || c.isGET() == (s.methods == onlyGET))
	}, nil
}
