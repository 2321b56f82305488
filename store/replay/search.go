package replay

import (
	"cmp"
	"net/http"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
)

// search is what one lookup has come to. It is given one capture after another, the nearest first,
// and opens as few as it can.
type search struct {
	archive *Archive
	asked   *asked
	lookup  *lookup

	looked    int                // captures
	opened    int                // responses
	redirects int                // the same, of redirects
	cut       int                // answers that are cut, and kept
	away      map[string]bool    // files
	orphans   map[string]orphans // revisits whose original is missing, by the digest
	refused   []refused

	best candidate // of those that were opened

	// waiting are wholes whose URL is spelled in another way, by how near that is; parts are the parts
	// with the nearest URL. unfit are answers that say only that something else cannot be had.
	waiting  spellings
	parts    []store.Capture
	partNear int
	unfit    spellings
}

// orphans are so many revisits that show nothing, and why the last one does not.
type orphans struct {
	n   int
	why string
}

// spellings are captures by how near their URLs are.
type spellings [nearnesses][]store.Capture

// candidate is a whole that was opened, and is an answer.
type candidate struct {
	capture  store.Capture
	response *readback.Response
	differs  int // in how much the request that it answered differs: difference
}

// takeWhole is take for one of the earliest captures of a key: what was asked for again and again
// may have come whole once, and then thousands of times as not modified.
func (s *search) takeWhole(c *store.Capture) bool {
	return isNone(c) || isPart(c) || s.take(c)
}

// take looks at the next capture. It is false when nothing better can come.
func (s *search) take(c *store.Capture) bool {
	s.looked++
	if s.looked == maxNear && s.settle() {
		return false
	}
	if l := s.lookup; l.prefix == "" && !l.takes(c) { // under a prefix fitting has asked
		return true
	}
	near := nearnessOf(c.URL, s.asked.url)
	switch {
	case isNone(c):
		s.refuse(c, whyNone(c))
	case isUnfit(c):
		s.unfit[near] = appendFew(s.unfit[near], c)
	case isPart(c):
		s.addPart(c, near)
	case near == sameURL:
		s.try(c)
	default:
		s.waiting[near] = appendFew(s.waiting[near], c)
	}
	return !s.done()
}

// done reports whether no better one than the best will be looked for.
func (s *search) done() bool {
	return s.best.response != nil &&
		(s.best.differs == 0 || s.opened >= maxOpened || s.looked >= maxNear)
}

// settle opens what waits, unless there is something better. It reports whether there is a whole.
func (s *search) settle() bool { return s.open(&s.waiting) }

// last opens what is better than nothing.
func (s *search) last() {
	if !s.settle() && len(s.parts) == 0 {
		s.open(&s.unfit)
	}
}

// open opens captures, the nearest spelling first, until there is an answer, and reports whether
// there is one.
func (s *search) open(all *spellings) bool {
	for near := range all {
		if s.best.response != nil {
			return true
		}
		s.tryEach(all[near])
		all[near] = nil
	}
	return s.best.response != nil
}

func (s *search) tryEach(captures []store.Capture) {
	for i := range captures {
		if s.try(&captures[i]); s.done() {
			return
		}
	}
}

// try opens a whole, and keeps it if it is the best so far.
func (s *search) try(c *store.Capture) {
	switch {
	case s.away[c.File]:
		s.refuse(c, whyMissing)
		return
	case c.MIME == record.RevisitMIME && c.Digest != "" && s.orphans[c.Digest].n >= maxOrphans:
		s.refuse(c, s.orphans[c.Digest].why)
		return
	}
	isRedirect := isRedirect(c.Status)
	opened, most := &s.opened, cmp.Or(s.lookup.opens, maxOpened)
	if isRedirect {
		opened, most = &s.redirects, maxRedirects
	}
	if *opened >= most {
		return
	}
	*opened++
	if same := s.lookup.isSame; same != nil && !same(c) {
		s.refuse(c, whyOtherBody)
		return
	}
	response, err := s.archive.files.Response(c)
	if err != nil {
		s.fail(c, err)
		return
	}
	if c.Status == 0 && response.Status == http.StatusNotModified { // of a foreign file
		response.Close()
		s.refuse(c, whyNotModified)
		return
	}
	if why := s.whyBack(c, head(response.Head)); why != "" {
		response.Close()
		s.refuse(c, why)
		return
	}
	s.compare(candidate{*c, response, s.archive.difference(s.asked, c, response)})
}

// whyBack returns why who gets a redirect comes back for it; "" if nobody does.
func (s *search) whyBack(c *store.Capture, response head) string {
	switch {
	case !isRedirect(c.Status):
		return ""
	case s.asked.redirectsToItself(c, response):
		return whyItself
	case s.archive.comesBack(s.asked, response):
		return whyRound
	}
	return ""
}

// compare keeps the better one of the best and a candidate; of two that are as good the best, which
// is nearer.
func (s *search) compare(c candidate) {
	if s.best.response != nil && s.best.differs <= c.differs {
		c.response.Close()
		return
	}
	s.close()
	s.best = c
}

// close closes what is open.
func (s *search) close() {
	if s.best.response != nil {
		s.best.response.Close()
	}
	s.best = candidate{}
}

// fail notes a capture that cannot be read.
func (s *search) fail(c *store.Capture, err error) {
	why := s.archive.whyOf(c, err)
	switch {
	case why == whyMissing && s.away == nil:
		s.away = map[string]bool{c.File: true}
	case why == whyMissing:
		s.away[c.File] = true
	case (why == whyNoOriginal || why == whyOutside) && s.orphans == nil:
		s.orphans = map[string]orphans{c.Digest: {1, why}}
	case why == whyNoOriginal || why == whyOutside:
		s.orphans[c.Digest] = orphans{s.orphans[c.Digest].n + 1, why}
	}
	s.refuse(c, why)
}

// refuse notes a capture that is no answer.
func (s *search) refuse(c *store.Capture, why string) {
	if len(s.refused) < maxRefused {
		s.refused = append(s.refused, refused{*c, why})
	}
}

// choice is what the search has found.
func (s *search) choice() choice {
	c := choice{rule: s.lookup.rule, refused: s.refused, lookup: s.lookup,
		more: s.lookup.prefix == "" && s.looked >= maxLooked}
	found := &s.best.capture
	if s.best.response != nil {
		c.whole, c.response, c.differs = found, s.best.response, s.best.differs
	} else if c.parts = s.byEntity(); len(c.parts) > 0 {
		found = &c.parts[0]
	}
	if c.rule == rulePywb && s.asked.isExactly(found) {
		c.rule = ruleExact
	}
	return c
}

// isExactly reports whether a capture with the URL key of the request is of the same URL, and
// neither has a body.
func (r *asked) isExactly(c *store.Capture) bool {
	return r.keys.QueryKey == "" && c.RequestBody == "" && nearnessOf(c.URL, r.url) == sameURL
}

// appendFew appends a capture, unless that are more than may be opened.
func appendFew(all []store.Capture, c *store.Capture) []store.Capture {
	if len(all) >= maxOpened {
		return all
	}
	return append(all, *c)
}

// isNone reports whether a capture answers nothing: it says that another is still good, or begins
// what is no HTTP.
func isNone(c *store.Capture) bool {
	return c.Status == http.StatusNotModified || c.Status == http.StatusSwitchingProtocols
}

// isUnfit reports whether a capture says that its own request asked for what cannot be had, which
// says nothing about other requests for the URL.
func isUnfit(c *store.Capture) bool {
	return c.Status == http.StatusRequestedRangeNotSatisfiable ||
		c.Status == http.StatusPreconditionFailed
}

// isPart reports whether a capture is not there to its end, or a part by itself.
func isPart(c *store.Capture) bool {
	return c.Truncated && !isRedirect(c.Status) || c.Status == http.StatusPartialContent
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
