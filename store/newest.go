package store

import (
	"bytes"
	"time"
)

// Newest returns the captures with a URL's key that fit, the latest first, at most so many. It
// looks at no more than the newest 1000 captures with that key, and at none if the key is longer
// than the index holds.
func (b *Bolt) Newest(url string, most int, fits func(*Capture) bool) ([]Capture, error) {
	s, err := Query{URL: url}.span()
	if err != nil || len(s.low) > maxURLKey {
		return nil, err
	}
	return b.newestOf(s.low, s.high, most, fits)
}

// At returns a capture of a URL at that time, to the millisecond, that fits. It has the limits of
// Newest.
func (b *Bolt) At(url string, t time.Time,
	fits func(*Capture) bool) (capture Capture, found bool, err error) {
	s, err := Query{URL: url}.span()
	if err != nil || len(s.low) > maxURLKey {
		return Capture{}, false, err
	}
	surt := s.low[:len(s.low)-1]
	one, err := b.newestOf(appendKey(nil, surt, t, 0, 0),
		appendKey(nil, surt, t.Add(time.Millisecond), 0, 0), 1, fits)
	if err != nil || len(one) == 0 {
		return Capture{}, false, err
	}
	return one[0], true, nil
}

// newestOf returns the last captures that fit and whose keys are at or behind start and before end.
func (b *Bolt) newestOf(start, end []byte, most int,
	fits func(*Capture) bool) (newest []Capture, err error) {
	var d decoder
	err = b.view(URLKey, func(c cursor) error {
		key, value := c.before(end)
		for n := 0; n < maxNewest && key != nil && bytes.Compare(key, start) >= 0; n++ {
			capture, err := d.capture(key, value, c.extras)
			if err != nil {
				return err
			}
			if fits(&capture) {
				file, err := b.files.get(key.file())
				if err != nil {
					return err
				}
				capture.File = file.Name
				if newest = append(newest, capture); len(newest) == most {
					return nil
				}
			}
			key, value = c.walker.Prev()
		}
		return nil
	})
	return newest, err
}

// maxNewest is how far Newest looks.
const maxNewest = 1000
