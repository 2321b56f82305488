package rules

import (
	"slices"
	"strings"

	"warcorder/store"
)

// likeness is what is left of a request when some rules are followed: what a capture has to have.
type likeness struct {
	rules []*rule
	asked *message

	varies      *rule    // that leaves out the host, if any
	path        []string // segments
	query, body []argument

	// Room for what is left of captures.
	segments []string
	found    []argument
}

func newLikeness(asked *message, rules []*rule) *likeness {
	l := &likeness{rules: rules, asked: asked}
	if at := slices.IndexFunc(rules, func(r *rule) bool { return r.hostVaries }); at >= 0 {
		l.varies = rules[at]
	}
	l.path = leftOfPath(slices.Clone(asked.segments), rules)
	l.query = leftOf(slices.Clone(asked.query), rules, ofQuery)
	l.body = leftOf(slices.Clone(asked.body), rules, ofBody)
	return l
}

// surtHost returns the beginning of a URL key that says the host and the port.
func surtHost(key string) string {
	host, _, _ := strings.Cut(key, ")")
	return host
}

// fits reports whether the same is left of a capture.
func (l *likeness) fits(c *store.Capture) bool {
	if !l.fitsMethod(c.Method) {
		return false
	}
	site, path, query, ok := cutURL(c.URL)
	if !ok || !l.fitsHost(c.URLKey, site) {
		return false
	}
	l.segments = leftOfPath(appendSegments(l.segments[:0], path), l.rules)
	if !slices.Equal(l.segments, l.path) {
		return false
	}
	l.found = leftOf(appendQuery(l.found[:0], query), l.rules, ofQuery)
	if !slices.Equal(l.found, l.query) {
		return false
	}
	if l.asked.method == "GET" {
		return true
	}
	l.found = leftOf(appendBody(l.found[:0], c.SpecBody), l.rules, ofBody)
	return slices.Equal(l.found, l.body)
}

func (l *likeness) fitsMethod(method string) bool {
	return strings.EqualFold(method, l.asked.method) || method == "" && l.asked.method == "GET"
}

func (l *likeness) fitsHost(key, site string) bool {
	return surtHost(key) == l.asked.surtHost || l.varies != nil && l.varies.hasHost(hostOf(site))
}

// ofQuery and ofBody are what leftOf may be asked for.
func ofQuery(r *rule) *terms { return &r.query }
func ofBody(r *rule) *terms  { return &r.body }

// leftOf returns what the rules leave of arguments, sorted, in place.
func leftOf(args []argument, rules []*rule, of func(*rule) *terms) []argument {
	kept := args[:0]
	for _, a := range args {
		if !leaveOut(rules, of, a) {
			kept = append(kept, a)
		}
	}
	if !slices.IsSortedFunc(kept, byName) {
		slices.SortFunc(kept, byName)
	}
	return kept
}

// leaveOut reports whether one of the rules leaves an argument out.
func leaveOut(rules []*rule, of func(*rule) *terms, a argument) bool {
	name := withoutNumber(a.name)
	return slices.ContainsFunc(rules, func(r *rule) bool {
		return of(r).leaveOut(name, a.value) && !r.keeps(name)
	})
}

// withoutNumber returns the name of a leaf that has a number since the name came before: tags.2_.
func withoutNumber(name string) string {
	short, numbered := strings.CutSuffix(name, "_")
	dot := strings.LastIndexByte(short, '.')
	if !numbered || dot < 0 || dot+1 == len(short) || !only(short[dot+1:], isDigit) {
		return name
	}
	return short[:dot]
}

// leftOut stands for a segment that is left out.
const leftOut = "\x00"

// leftOfPath returns what the rules leave of a path, in place.
func leftOfPath(segments []string, rules []*rule) []string {
	for _, r := range rules {
		for i := range segments {
			segments[i] = leftOfSegment(segments[i], &r.matrix)
		}
	}
	for _, r := range rules {
		r.leaveOutOfPath(segments)
	}
	return segments
}

// leftOfSegment returns what is left of the matrix parameters of a segment: name;a=1;b=2.
func leftOfSegment(segment string, t *terms) string {
	if !t.any() || strings.IndexByte(segment, ';') < 0 {
		return segment
	}
	parts := strings.Split(segment, ";")
	kept := parts[:1]
	for _, part := range parts[1:] {
		if name, value, _ := strings.Cut(part, "="); !t.leaveOut(name, value) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ";")
}

// leavesOut returns how many bytes of a request some rules leave out.
func (m *message) leavesOut(rules []*rule) (n int) {
	for _, a := range m.query {
		if leaveOut(rules, ofQuery, a) {
			n += len(a.name) + len(a.value) + 1
		}
	}
	for _, a := range m.body {
		if leaveOut(rules, ofBody, a) {
			n += len(a.name) + len(a.value) + 1
		}
	}
	if slices.ContainsFunc(rules, (*rule).leavesOutOfPath) {
		left := leftOfPath(slices.Clone(m.segments), rules)
		for i, segment := range m.segments {
			if left[i] != segment {
				n += max(len(segment)-len(left[i]), 1)
			}
		}
	}
	if slices.ContainsFunc(rules, func(r *rule) bool { return r.hostVaries }) {
		n += len(m.host)
	}
	return n
}
