package store

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"time"
)

// Outwards calls yield with the captures on w in the order of their distance, in seconds, from a
// moment, until it returns false; those that are as far away come in the order of their lines. The
// Query selects one URL, exactly. However many captures that has, no more are looked at, or kept,
// than lie between the moment and the last one that yield took, or some more; but up to maxRun
// captures of one second are kept, to be sorted. If that has more, these come as they are found.
//
// From and Until of w are not looked at, and Look is told of no Place.
func (b *Bolt) Outwards(w Walk, at time.Time, yield func(*Capture) bool) error {
	s, err := w.span()
	if err != nil {
		return err
	}
	if cmp.Or(w.Query.Match, Exact) != Exact || w.Query.URL == "" || !s.key.primary() {
		return errors.New("captures are found outwards from a moment for the URL key of one URL")
	}
	o := outwards{at: FourDigitYear(at).Unix(), span: s, parts: lookKeys}
	o.name, o.files, o.left = URLKey, &b.files, math.MaxInt
	o.ways = o.waysOf(s.low[:len(s.low)-1], appendSeconds(nil, FourDigitYear(at)))
	var seen *writing
	for !o.over() {
		if err := b.standBack(w.context(), math.MaxInt-o.left); err != nil {
			return err
		}
		left := o.left + o.parts
		if err := b.viewSame(&seen, URLKey, o.read); err != nil {
			return err
		}
		if w.Look != nil {
			if err := w.Look(left-o.left-o.parts, Place{}); err != nil {
				return err
			}
		}
		if !o.give(yield) {
			return nil
		}
	}
	return nil
}

// outwards reads the captures of one URL key outwards from a second.
type outwards struct {
	looking
	at   int64 // seconds since 1970
	span span  // of time, and what is left out
	ways []way

	group  []Capture // of one second, in no order
	text   int       // bytes of these
	second int64     // that one, since 1970
	loose  bool      // it has more than can be sorted
	wholes wholes
	parts  int // captures that may still be looked at to decide what is left out
}

// waysOf returns the ways from a second through the captures of a URL key, as appendURLKey gives it.
func (o *outwards) waysOf(text, second []byte) []way {
	ways := waysFrom(URLKey, text, time.Unix(o.at, 0).UTC())
	for i := range ways {
		w, at := &ways[i], second
		if w.back {
			if end := append([]byte(o.span.to), '9'+1); bytes.Compare(end, at) < 0 {
				at = end
			}
		} else {
			at = later(at, []byte(o.span.from))
		}
		w.next = append(bytes.Clone(w.head), at...)
	}
	return ways
}

// over reports whether there are no other captures.
func (o *outwards) over() bool {
	for i := range o.ways {
		if !o.ways[i].over {
			return false
		}
	}
	return true
}

// read reads the captures that come next.
func (o *outwards) read(c cursor) error {
	o.begin()
	for i := range o.ways {
		o.ways[i].open(c)
	}
	for looked := 0; !o.full(looked); looked++ {
		w, err := o.first()
		if err != nil || w == nil {
			return err
		}
		if err := o.take(c, w); err != nil {
			return err
		}
		w.advance()
	}
	for i := range o.ways {
		o.ways[i].close()
	}
	return nil
}

// take reads the capture of a way's present key, and leaves it out if that is to be.
func (o *outwards) take(c cursor, w *way) error {
	had := len(o.captures)
	if err := o.look(c, w); err != nil || len(o.captures) == had || !o.span.leaveOut {
		return err
	}
	capture := &o.captures[had]
	hidden := capture.isNotModified()
	if capture.isPart() {
		if _, err := o.wholes.look(c.captures.walk(), capture, &o.parts); err != nil {
			return err
		}
		hidden = o.wholes.hide(capture)
	}
	if hidden {
		o.captures = o.captures[:had]
	}
	return nil
}

// first returns the way whose next capture is the nearest; nil if there is none. Of two that are as
// near the earlier one comes first.
func (o *outwards) first() (found *way, err error) {
	for i := range o.ways {
		w := &o.ways[i]
		if w.over {
			continue
		}
		if !w.measured {
			if err := o.measure(w); err != nil {
				return nil, err
			}
			if w.over {
				continue
			}
		}
		if found == nil || w.distance < found.distance || w.distance == found.distance && w.back {
			found = w
		}
	}
	return found, nil
}

// measure measures how far the next capture of a way is, and ends the way at the end of the time.
func (o *outwards) measure(w *way) error {
	if err := w.key.check(); err != nil {
		return err
	}
	if second := string(w.key.seconds()); w.back && second < o.span.from || !w.back && second > o.span.to {
		w.over = true
		return nil
	}
	t, err := w.key.time()
	if err != nil {
		return err
	}
	w.distance, w.measured = max(t.Unix()-o.at, o.at-t.Unix()), true
	return nil
}

// give gives the captures that have been read, but for those of the last second, which may not be
// all. It reports whether there is to be more.
func (o *outwards) give(yield func(*Capture) bool) bool {
	for i := range o.captures {
		c := &o.captures[i]
		if isNext := o.second != c.Time.Unix(); isNext || len(o.group) >= maxRun || o.text >= maxRunBytes {
			o.loose = o.loose || !isNext
			if !o.giveGroup(yield) {
				return false
			}
			o.loose, o.second = o.loose && !isNext, c.Time.Unix()
		}
		o.group = append(o.group, *c)
		o.text += len(c.URLKey) + len(c.URL) + len(c.RequestBody)
	}
	return !o.over() || o.giveGroup(yield)
}

// giveGroup gives captures of one second.
func (o *outwards) giveGroup(yield func(*Capture) bool) bool {
	if !o.loose {
		sortLines(o.group, URLKey)
	}
	for i := range o.group {
		if !yield(&o.group[i]) {
			return false
		}
	}
	o.group, o.text = o.group[:0], 0
	return true
}
