package cmd

import (
	"strings"

	"warcorder/store"
)

// mostLookedFor bounds how many URLs are looked for after a removal; what is named beyond them counts
// as gone.
const mostLookedFor = 1000

// forget has the live page name no more what a removal has taken: hosts of which nothing is left, and,
// of captures that somebody has asked for, those whose URL is not in the collection, and the lines that
// name such a one. A capture that goes on keeps its URL.
func (s *serving) forget() {
	index := s.rec.Index()
	var hosts []string
	for _, host := range s.rec.Tally().Hosts() {
		if !hasHost(index, host) {
			hosts = append(hosts, host)
		}
	}
	s.rec.Tally().ForgetHosts(hosts)
	left := leftOf{index, map[string]bool{}}
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

// hasAny reports whether there is anything; what cannot be read is nothing.
func hasAny(index *store.Bolt, q store.Query) (found bool) {
	index.Captures(q, func(*store.Capture) bool {
		found = true
		return false
	})
	return found
}

// leftOf remembers of URLs whether anything is left of them.
type leftOf struct {
	index *store.Bolt // nil: nothing more is looked for
	known map[string]bool
}

func (l *leftOf) has(url string) bool {
	url, _, _ = strings.Cut(url, "#")
	left, known := l.known[url]
	if !known && l.index != nil && len(l.known) < mostLookedFor {
		left = hasAny(l.index, store.Query{URL: url, Match: store.Exact})
		l.known[strings.Clone(url)] = left
	}
	return left
}

// names reports whether something is left of each URL that a line names, if it names any.
func (l *leftOf) names(line string) bool {
	left := true
	for word := range strings.FieldsSeq(line) {
		before, _, is := strings.Cut(word, "://")
		if scheme := strings.LastIndexAny(before, ":(\"'<") + 1; is && !l.has(word[scheme:]) {
			left = false
		}
	}
	return left
}
