package store

import (
	"bytes"
	"time"
)

// Newest returns the latest capture of a URL that fits. It looks at no more than the newest 1000
// captures with the URL's key, and at none if that key is longer than the index holds.
func (b *Bolt) Newest(url string,
	fits func(*Capture) bool) (newest Capture, found bool, err error) {
	s, err := Query{URL: url}.span()
	if err != nil || s.long {
		return Capture{}, false, err
	}
	return b.newestOf(s.start, s.end, fits)
}

// At returns a capture of a URL at that time, to the millisecond, that fits. It has the limits of
// Newest.
func (b *Bolt) At(url string, t time.Time,
	fits func(*Capture) bool) (capture Capture, found bool, err error) {
	s, err := Query{URL: url}.span()
	if err != nil || s.long {
		return Capture{}, false, err
	}
	surt := s.start[:len(s.start)-1]
	return b.newestOf(appendKey(nil, surt, t, 0, 0),
		appendKey(nil, surt, t.Add(time.Millisecond), 0, 0), fits)
}

// newestOf returns the last capture that fits and whose key is at or behind start and before end.
func (b *Bolt) newestOf(start, end []byte,
	fits func(*Capture) bool) (newest Capture, found bool, err error) {
	var d decoder
	err = b.view(URLKey, func(c cursor) error {
		key, value := c.before(end)
		for n := 0; n < maxNewest && key != nil && bytes.Compare(key, start) >= 0; n++ {
			capture, err := d.decode(key, value)
			if err != nil {
				return err
			}
			if fits(&capture) {
				file, err := b.files.get(key.file())
				capture.File = file.Name
				newest, found = capture, err == nil
				return err
			}
			key, value = c.walker.Prev()
		}
		return nil
	})
	return newest, found, err
}

// maxNewest is how far Newest looks.
const maxNewest = 1000
