package cmd

import (
	"slices"
	"strings"

	"warcorder/canon"
	"warcorder/store"
)

// mostLookedFor bounds how many URLs are looked for after a removal that it has taken something of; what
// is named beyond them counts as gone.
const mostLookedFor = 1000

// forget has the live page name no more what a removal has taken: hosts of which nothing is left, and,
// of captures that somebody has asked for, those whose URL is not in the collection any more, and the lines
// that name such a one. A capture that goes on keeps its URL. What the removal has not taken anything of
// stays, whether it is in the collection or not: what was not captured is what a person looks for.
func (s *serving) forget(took func(url string, cut bool) bool) {
	defer s.rec.Panics().Catch(new(error)) // of whom nobody waits for: the removal is done
	index := s.rec.Index()
	var hosts []string
	for _, host := range s.rec.Tally().Hosts() {
		if took("http://"+host+"/", true) && !hasHost(index, host) {
			hosts = append(hosts, host)
		}
	}
	s.rec.Tally().ForgetHosts(hosts)
	gaps, _ := s.rec.Gaps(0) // those that cannot be read count as gone, as in hasAny
	left := leftOf{took: took, index: index, gaps: gaps.Latest, known: map[string]bool{}}
	for _, j := range s.captures.All() {
		left.has(j.Subject.URL)
		for _, line := range j.Lines {
			left.names(line)
		}
	}
	left.index = nil // no look below, where the queue stands still
	s.captures.Revise(func(w *wanted) {
		if !left.has(w.URL) {
			w.URL = ""
		}
	}, left.names)
}

// hasHost reports whether the collection has anything of a host, at any port.
func hasHost(index *store.Bolt, host string) bool {
	for _, match := range []store.Match{store.Host, store.Ports} {
		if hasAny(index, store.Query{URL: "http://" + host + "/", Match: match}) {
			return true
		}
	}
	return host == "" // that of what has no host names nobody
}

// hasAny reports whether there is anything. What cannot be read is nothing: it is asked of what a removal has
// taken something of, which may be all, and a removal promises that what went is not named. A name too few
// costs less than one too many.
func hasAny(index *store.Bolt, q store.Query) (found bool) {
	index.Captures(q, func(*store.Capture) bool {
		found = true
		return false
	})
	return found
}

// mostBegun bounds how many captures are looked at for one that begins like a URL that is cut. If none of
// them does, it counts as gone, as what cannot be read.
const mostBegun = 1000

// hasBegun reports whether there is anything whose URL begins so. Its key need not begin like the key of
// the beginning, behind which the arguments are in another order: but for the last step of the path.
func hasBegun(index *store.Bolt, begin string) (found bool) {
	path, _, _ := strings.Cut(begin, "?")
	key, _ := canon.SURT(path[:strings.LastIndexByte(path, '/')+1])
	index.Under(key, mostBegun, func(c *store.Capture) bool {
		found = strings.HasPrefix(c.URL, begin)
		return !found
	})
	return found
}

// leftOf remembers of URLs that a removal has taken something of whether anything is left of them.
type leftOf struct {
	took  func(url string, cut bool) bool
	index *store.Bolt // nil: nothing more is looked for
	gaps  []store.Gap // that are left
	known map[string]bool
}

// cutMark stands behind what is cut, a URL or a line.
const cutMark = "…"

// closers may stand behind a URL in a line, and belong to that.
const closers = `)]}>"'.,:;`

// has reports whether a URL may be named, which is as a line has it: perhaps with what closes it behind it,
// perhaps cut.
func (l *leftOf) has(text string) bool {
	url, cut := strings.CutSuffix(strings.TrimRight(text, closers), cutMark)
	if before, _, more := strings.Cut(url, "#"); more {
		url, cut = before, false
	}
	if cut {
		return !l.took(url, true) || l.isLeft(url, true)
	}
	whole, _, _ := strings.Cut(text, "#")
	return !l.took(whole, false) && !l.took(url, false) || l.isLeft(whole, false) || l.isLeft(url, false)
}

// isLeft reports whether anything is left of a URL.
func (l *leftOf) isLeft(url string, cut bool) bool {
	key := url
	if cut {
		key += cutMark
	}
	left, known := l.known[key]
	switch {
	case known:
		return left
	case len(l.known) >= mostLookedFor:
		return false
	case l.index == nil:
		return true // of what runs, and was said since it was looked
	}
	named := func(g store.Gap) bool { return g.URL == url || cut && strings.HasPrefix(g.URL, url) }
	switch {
	case slices.ContainsFunc(l.gaps, named):
		left = true
	case cut:
		left = hasBegun(l.index, url)
	default:
		left = hasAny(l.index, store.Query{URL: url, Match: store.Exact})
	}
	l.known[strings.Clone(key)] = left
	return left
}

// names reports whether each URL may be named that a line names, if it names any.
func (l *leftOf) names(line string) bool {
	left := true
	for word := range strings.FieldsSeq(line) {
		before, _, is := strings.Cut(word, "://")
		if is && !l.has(word[len(strings.TrimRightFunc(before, inScheme)):]) {
			left = false
		}
	}
	return left
}

// inScheme reports whether a character may be one of a scheme.
func inScheme(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+-.", r)
}
