package store

import (
	"cmp"
	"strings"

	"warcorder/canon"
)

// Pending is a capture, or a record that is none, which is on disk and not in the index yet: those
// who ask the index have to wait for it if they would find it there.
type Pending struct {
	File string // its WARC file

	key     string   // the URL key as it stands in the index; "" of what is no capture
	capture *Capture // nil of what is no capture
}

// PendingOf returns what is known of a capture, which must stay as it is.
func PendingOf(c *Capture) Pending {
	key := c.URLKey
	if key == "" || keyPrefix(key) < len(key) { // few have a key that stands there otherwise
		key = string(appendURLKey(nil, key))
	}
	return Pending{c.File, key, c}
}

// Question reports whether who asks something of the index may find what is pending, once it is there.
// Whoever asks Nothing need not wait for anything. A Question is for one goroutine.
type Question func(*Pending) bool

// Everything may find each capture, and asks how far each file is known.
func Everything(*Pending) bool { return true }

// Nothing finds what is in the index already.
func Nothing(*Pending) bool { return false }

// OfFiles returns the question for what lies in some WARC files, and how far they are known.
func OfFiles(names ...string) Question {
	are := make(map[string]bool, len(names))
	for _, name := range names {
		are[name] = true
	}
	return func(p *Pending) bool { return are[p.File] }
}

// OfPlace returns the question for the capture whose record lies at a place.
func OfPlace(at Location) Question {
	return func(p *Pending) bool {
		return p.capture != nil && p.capture.Offset == at.Offset && p.File == at.File
	}
}

// OfKey returns the question for the captures that Nearest finds.
func OfKey(name Key, text string) Question {
	text = string(appendURLKey(nil, text))
	if name.primary() {
		return func(p *Pending) bool { return p.key == text }
	}
	return func(p *Pending) bool {
		return p.capture != nil && *p.capture.key(name) != "" && standsAs(*p.capture.key(name), text)
	}
}

// standsAs reports whether a key that is not empty stands in the index as text, which appendURLKey has
// made. Who asks holds up the recording, so nothing is copied.
func standsAs(key, text string) bool {
	if len(key) >= len(text) { // %XX is longer than what it stands for
		return key == text
	}
	for ; key != "" && text != ""; key = key[1:] {
		if c := key[0]; '!' <= c && c <= '~' {
			if text[0] != c {
				return false
			}
			text = text[1:]
			continue
		}
		if len(text) < 3 || text[0] != '%' || text[1] != upperHex[key[0]>>4] || text[2] != upperHex[key[0]&15] {
			return false
		}
		text = text[3:]
	}
	return key == "" && text == ""
}

// OfPrefix returns the question for the captures that Under finds.
func OfPrefix(prefix string) Question {
	if prefix != "" {
		prefix = string(appendURLKey(nil, prefix))
	}
	return func(p *Pending) bool { return p.capture != nil && strings.HasPrefix(p.key, prefix) }
}

// And returns the question for what both may find.
func (q Question) And(other Question) Question {
	return func(p *Pending) bool { return q(p) && other(p) }
}

// Or returns the question for what one of both may find.
func (q Question) Or(other Question) Question {
	return func(p *Pending) bool { return q(p) || other(p) }
}

// Question returns the question for what q selects, by URL key and time.
func (q Query) Question() Question {
	s, err := q.span()
	if err != nil || !s.key.primary() || q.NoBodies || cmp.Or(q.Dialect, canon.Pywb) != canon.Pywb {
		return Everything // keys that are not those of the index select, or nothing is asked
	}
	low, high := string(s.low), string(s.high)
	return func(p *Pending) bool {
		if p.capture == nil || isBefore(p.key, low) || s.high != nil && !isBefore(p.key, high) {
			return false
		}
		if s.leaveOut { // a part, by a whole of another time
			return true
		}
		at := appendSeconds(make([]byte, 0, tsSize), FourDigitYear(p.capture.Time))
		return string(at) >= s.from && string(at) <= s.to
	}
}

// isBefore reports whether a key with a space behind it is before a bound.
func isBefore(key, bound string) bool {
	if len(key) >= len(bound) {
		return key < bound
	}
	head := bound[:len(key)]
	return key < head || key == head && " " < bound[len(key):]
}
