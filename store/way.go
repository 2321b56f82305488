package store

import (
	"bytes"
	"slices"
)

// way is a range of the index that is walked in one direction, some keys at a time: no transaction
// is open between them.
type way struct {
	head []byte // what the keys of the range begin with
	fits fits   // whether a key of the range is one that is looked for
	back bool   // from the end of the range to its beginning
	next []byte // the next key is the first from here on, or with back the last before
	over bool   // there is none

	walker walker // in the transaction that is open, as the others
	key    indexKey
	value  []byte

	distance int64 // of key from a moment, if it is measured
	measured bool
}

// fits reports whether a capture is one that is looked for, by what a range of the index leaves
// open: its keys may be the beginnings of longer texts. One that takes no value is asked with the
// capture alone.
type fits struct {
	value   func(value []byte) bool
	capture func(*Capture) bool
}

// open goes to the next key of the way.
func (w *way) open(c cursor) {
	if w.over {
		return
	}
	c.walker = c.keys.walk()
	w.walker = c.walker
	if w.back {
		w.key, w.value = c.before(w.next)
	} else {
		w.key, w.value = c.seek(w.next)
	}
	w.judge()
}

// advance goes to the key that follows.
func (w *way) advance() {
	if w.back {
		w.key, w.value = w.walker.Prev()
	} else {
		w.key, w.value = w.walker.Next()
	}
	w.judge()
}

// judge notes whether the way is over.
func (w *way) judge() {
	w.over, w.measured = w.key == nil || !bytes.HasPrefix(w.key, w.head), false
}

// close notes where the way goes on, in another transaction.
func (w *way) close() {
	if w.over {
		return
	}
	w.next = append(w.next[:0], w.key...)
	if w.back {
		w.next = append(w.next, 0) // the key itself is before that
	}
}

// The keys that are looked at in one transaction: few at first, since who asks for the nearest
// capture mostly takes the first one.
const (
	firstKeys = 4
	moreKeys  = 8 // times as many, up to sliceKeys
)

// looking reads captures on ways.
type looking struct {
	name     Key
	files    *fileTable
	bodies   bool // what other dialects make of bodies is wanted too
	left     int  // keys that may still be looked at
	batch    int  // of these, in the transaction that is open
	captures []Capture
	bytes    int // of text
	decoder  decoder
}

// begin begins a transaction's captures.
func (l *looking) begin() {
	l.batch = min(max(moreKeys*l.batch, firstKeys), sliceKeys)
	l.captures, l.bytes = slices.Grow(l.captures[:0], min(l.batch, l.left)), 0
}

// full reports whether no other key may be looked at in the transaction, of which so many have been.
func (l *looking) full(looked int) bool {
	return l.left == 0 || looked >= l.batch || l.bytes >= sliceBytes
}

// look reads the capture to which the way's present key leads, if that is one that is looked for.
func (l *looking) look(c cursor, w *way) error {
	l.left--
	if err := w.key.check(); err != nil {
		return err
	}
	if w.fits.value != nil && !w.fits.value(w.value) {
		return nil
	}
	text, key, value, err := c.capture(w.key, w.value)
	if err != nil {
		return err
	}
	capture, err := l.decoder.capture(key, value, c.extras)
	if err != nil {
		return err
	}
	l.bytes += len(l.decoder.text)
	if hasFlag(value, flagQuery) {
		l.bytes += len(capture.URLKey) + len(capture.RequestBody)
	}
	if !l.name.primary() {
		*capture.key(l.name) = string(text)
		l.bytes += len(text)
	}
	if l.bodies && !capture.isGET() {
		if err := l.decoder.extras.read(&capture, key, c.extras.Get(key.location())); err != nil {
			return err
		}
		l.bytes += len(capture.SpecBody) + len(capture.WarcioJSBody)
	}
	if w.fits.capture != nil && !w.fits.capture(&capture) {
		return nil
	}
	file, err := l.files.get(key.file())
	if err != nil {
		return err
	}
	capture.File = file.Name
	l.captures = append(l.captures, capture)
	return nil
}
