package store

import (
	"bytes"
	"hash/maphash"
	"net/http"
)

// A line of an answer that is not modified, of a part, or of what was cut makes pywb show an empty
// page, or a part in the place of the whole. So Export, in the dialect pywb, and Replayable leave
// out, unless the Query says All, captures
//
//	of status 304
//	of status 206, or 200 and truncated, to a GET, if the whole is there: a capture of the same URL
//	key, to a GET, not truncated, of the same entity or one of the two of an unknown one, and of
//	status 200; or of status 206 and Whole, where the part is not
//
// What else a Query selects changes nothing: the whole may be beyond its time.

// isNotModified reports whether the capture says of another that it is still good.
func (c *Capture) isNotModified() bool { return c.Status == http.StatusNotModified }

// isPart reports whether the capture may be a part of something.
func (c *Capture) isPart() bool {
	cut := c.Status == http.StatusOK && c.Truncated
	return (cut || c.Status == http.StatusPartialContent) && c.isGET()
}

// IsPart reports whether the capture may be a part of something: an export has no line of it where
// the whole is there.
func (c *Capture) IsPart() bool { return c.isPart() }

// decide leaves out the parts of what is there whole, as far as it comes in one transaction.
func (s *slice) decide(cursor cursor) error {
	if s.parts == 0 {
		return nil
	}
	budget, captures := lookKeys, cursor.captures.walk()
	for ; s.at < len(s.captures); s.at++ {
		c := &s.captures[s.at]
		if c.isPart() {
			all, err := s.wholes.look(captures, c, &budget)
			if err == nil && !all && s.hasty {
				all, budget = s.wholes.giveUp(), lookKeys
			}
			if err != nil || !all {
				return err
			}
			hidden := s.wholes.hide(c)
			if hidden && !c.void {
				s.leftOut++
			}
			if hidden && c.again { // its line is void if the whole has come since, and else there was none
				c.void = true
				hidden = s.wholes.hide(c)
			}
			if hidden != c.void {
				continue
			}
			if file, _ := s.files.named(c.File); !file.Sealed && !c.void {
				s.open++
			}
		}
		s.captures[s.kept] = *c
		s.kept++
	}
	s.captures, s.parts = s.captures[:s.kept], 0
	return nil
}

// wholes are the wholes that are there, of the URL keys that had a part. All captures of such a key
// are looked at, once; in the order of a secondary key once more if so much else has come meanwhile
// that it is forgotten. The zero value is ready.
//
// Keys are hashed, with a seed that nobody else has.
type wholes struct {
	seed maphash.Seed
	read map[uint64]bool       // beginnings of keys all of whose captures were looked at
	any  map[uint64]wholeness  // of URL keys
	of   map[version]wholeness // of entities; 0 is an unknown one

	since *sinceFilter

	head   []byte // beginning of the keys that are being looked at; empty if there are none
	next   []byte // the one to go on with
	room   int    // how many versions of them may still be kept
	looked int64  // captures that were looked at
}

// version is an entity of a URL key.
type version struct {
	key    uint64
	entity uint32
}

// wholeness is in which ways something is there as a whole.
type wholeness byte

const (
	asAnswer wholeness = 1 << iota // a capture of status 200
	asPart                         // one of status 206

	newer = 2 // bits to the left of these: the same of captures that the Since has
)

// The bounds of memory and of a transaction. Of a URL key with more than maxVersions entities,
// which only a hostile site has, the wholes of the first ones count, and lines of parts of the
// others are not left out.
const (
	maxVersions = 1 << 15         // of one URL key
	maxWholes   = 2 * maxVersions // keys and versions in all; some MB
	lookKeys    = 16 * sliceKeys  // captures that are looked at in one transaction
)

// hide reports whether the whole is there of which c is a part, after look has come to the end of
// its URL key; if c had a line before, whether the whole has come since.
func (w *wholes) hide(c *Capture) bool {
	counts := asAnswer | asPart
	if c.Whole {
		counts = asAnswer
	}
	if c.void {
		counts <<= newer
	}
	key := maphash.String(w.seed, c.URLKey)
	if c.Entity == 0 {
		return w.any[key]&counts != 0
	}
	return (w.of[version{key, 0}]|w.of[version{key, c.Entity}])&counts != 0
}

// look looks at the captures of the URL key of c, at most *budget of them. It reports whether that
// were all.
func (w *wholes) look(captures walker, c *Capture, budget *int) (all bool, err error) {
	if len(w.head) == 0 && !w.begin(c) {
		return true, nil
	}
	k, v := captures.Seek(w.next)
	for bytes.HasPrefix(k, w.head) {
		if *budget <= 0 {
			w.next = append(w.next[:0], k...)
			return false, nil
		}
		*budget--
		if err := w.note(k, v); err != nil {
			return false, err
		}
		k, v = captures.Next()
	}
	w.read[maphash.Bytes(w.seed, w.head)] = true
	w.head = w.head[:0]
	return true, nil
}

// giveUp lets the captures of the URL key that have been looked at be taken for all.
func (w *wholes) giveUp() (all bool) {
	w.read[maphash.Bytes(w.seed, w.head)] = true
	w.head = w.head[:0]
	return true
}

// begin begins to look at the captures of the URL key of c. It is false if they have been already.
func (w *wholes) begin(c *Capture) bool {
	if w.read == nil {
		w.seed, w.read = maphash.MakeSeed(), make(map[uint64]bool)
		w.any, w.of = make(map[uint64]wholeness), make(map[version]wholeness)
	}
	w.next = appendKeyHead(w.next[:0], []byte(c.URLKey))
	if w.read[maphash.Bytes(w.seed, w.next)] {
		return false
	}
	if len(w.read)+len(w.of) > maxWholes-maxVersions {
		clear(w.read)
		clear(w.any)
		clear(w.of)
	}
	w.head, w.room = append(w.head[:0], w.next...), maxVersions
	return true
}

// note notes a capture, by its key and value, if it is a whole.
func (w *wholes) note(k indexKey, value []byte) error {
	w.looked++
	if err := k.check(); err != nil {
		return err
	}
	v := reader{rest: value}
	v.byte()
	flags := v.byte()
	v.uvarint()
	status, entity := v.uvarint(), uint32(v.uvarint()/perEntity)
	var is wholeness
	switch {
	case flags&(flagTruncated|flagOther) != 0:
	case status == http.StatusOK:
		is = asAnswer
	case status == http.StatusPartialContent && flags&flagWhole != 0:
		is = asPart
	}
	if is == 0 || w.since != nil && !w.since.known(k) { // what has come since the Export began hides nothing
		return nil
	}
	if w.since.has(k) {
		is |= is << newer
	}
	urlKey := k.urlKey()
	if k.long() {
		urlKey = longURLKey(value)
	}
	key := maphash.Bytes(w.seed, urlKey)
	of := version{key, entity}
	if w.of[of] == 0 {
		if w.room == 0 {
			return nil
		}
		w.room--
	}
	w.of[of] |= is
	w.any[key] |= is
	return nil
}
