package cdxapi

import (
	"cmp"
	"errors"

	"warcorder/store"
)

// maxLine is how many bytes of a line, behind its URL key and second, are in a key to go on. Lines that
// agree in them are counted.
const maxLine = 1 << 10

// lineOf returns what the lines of one URL key and second are sorted by; nothing where these have no
// Place of their own.
func lineOf(c *store.Capture) string {
	common := len(store.PlaceOf(c).String())
	if common <= len(c.URLKey) {
		return ""
	}
	line := c.AppendCDXJ(nil)[common:]
	return string(line[:min(len(line), maxLine)])
}

// passes notes how far the answer has come, if it can be gone on with. It is true for a capture that
// an answer before has had.
func (r *run) passes(c *store.Capture) bool {
	if !r.resumable && r.resume == (position{}) {
		return false
	}
	if r.isStale {
		r.next = store.Place{}
	}
	place, line := store.PlaceOf(c), lineOf(c)
	hadIt := false
	if place.String() <= r.resume.place.String() {
		place, hadIt = r.resume.place, r.had(line)
	}
	r.pass(c, place, line)
	return hadIt
}

// had reports whether an answer before has had a capture of the place where it ended.
func (r *run) had(line string) bool {
	if end := r.resume.line; end != "" && line != "" && line != end {
		return line < end
	}
	if r.again >= r.resume.n {
		return false
	}
	r.again++
	return true
}

// pass notes that the answer has come behind a capture.
func (r *run) pass(c *store.Capture, place store.Place, line string) {
	behind, isAlone := store.PlaceBehind(c)
	switch {
	case isAlone:
		r.passed = r.goingOn(behind)
		return
	case r.passed.place != place || r.passed.line != line:
		r.passed = position{place: place, line: line}
	}
	r.passed.n++
}

// goingOn returns the position at a place, behind which captures may still come that an answer before
// has had.
func (r *run) goingOn(at store.Place) position {
	if !r.resume.place.Shares(at) {
		return position{place: at}
	}
	return position{place: at, line: r.resume.line, n: r.resume.n - r.again}
}

// resumeHere adds the key with which another answer begins with the capture that comes next.
func (r *run) resumeHere() {
	at := r.passed
	at.sums = r.sums()
	r.answer.resumeBy(at.String())
}

// stopsAt reports whether an answer that looked at too much can end with a key to go on, and adds it.
func (r *run) stopsAt(err error) bool {
	var much *tooMuch
	if !errors.As(err, &much) || !r.resumable || r.order != forwards || r.skipped > 0 {
		return false
	}
	if r.next.String() > r.passed.place.String() {
		r.passed = r.goingOn(r.next)
	}
	if r.passed.compare(r.resume) <= 0 { // it would never come any farther
		return false
	}
	r.resumeHere()
	return true
}

// compare compares two positions by how far they are.
func (p position) compare(other position) int {
	return cmp.Or(cmp.Compare(p.place.String(), other.place.String()), cmp.Compare(p.line, other.line),
		cmp.Compare(p.n, other.n))
}
