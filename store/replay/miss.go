package replay

import (
	"io"
	"strings"

	"warcorder/store"
)

// miss answers a request that is not in the archive, or leaves it to the origin: why says why, and
// c is what was found instead.
func (a *Archive) miss(r *asked, m *missing) ([]byte, io.ReadCloser, error) {
	listed, err := a.list(r, m)
	if err != nil {
		return nil, nil, err
	}
	if a.cfg.Fallback {
		a.tally.fellBack.Add(1)
		return nil, nil, m
	}
	page := []byte{}
	if r.isDocument() {
		page = missPage(&listed, r.at)
	}
	head := missHead(len(page), listed.Why, a.cfg.Explain)
	if r.method == "HEAD" {
		page = nil
	}
	return head, io.NopCloser(strings.NewReader(string(page))), nil
}

// list counts a miss, and lists it unless its host is one of those that browsers ask by themselves.
func (a *Archive) list(r *asked, m *missing) (Miss, error) {
	of := request{shortened(r.method), shortened(r.url)}
	if a.cfg.Quiet != nil && a.cfg.Quiet(hostOf(r.url)) {
		a.tally.quiet.Add(1)
		return Miss{Method: of.method, URL: of.url, Count: 1, Why: m.why}, nil
	}
	a.tally.missed.Add(1)
	miss, err := a.misses.add(r.referrer(), of, func() (Miss, error) {
		why, nearest := m.why, m.nearest
		if nearest == nil {
			var err error
			if why, nearest, err = a.nearest(r, why); err != nil {
				return Miss{}, err
			}
		}
		return Miss{Method: of.method, URL: of.url, Why: why, Nearest: nearestOf(nearest)}, nil
	})
	if err == nil && a.cfg.Missed != nil {
		a.cfg.Missed(miss)
	}
	return miss, err
}

// missing says why a choice has nothing to answer r with.
func (c *choice) missing(r *asked) *missing {
	switch {
	case len(c.refused) == 0 && r.beyond:
		return &missing{why: whyBeyond}
	case len(c.refused) == 0:
		return &missing{why: whyNotCaptured}
	}
	return &missing{why: c.refused[0].why, nearest: &c.refused[0].capture}
}

// maxSimilar is how many captures are looked at to find one that is similar to what was missed.
const maxSimilar = 256

// nearest returns the capture that is nearest to what is missed, and was found by none of its keys:
// one of the same method and URL with another body; else one of the path with another query, the
// one whose key is the most like that of the request. It is nil if there is none.
func (a *Archive) nearest(r *asked, why string) (string, *store.Capture, error) {
	var nearest *store.Capture
	if !r.isGET() && why == whyNotCaptured {
		err := a.anyBody(r.method, r, func(c *store.Capture) bool {
			found := *c
			nearest = &found
			return false
		})
		if err != nil || nearest != nil {
			return whyOtherBody, nearest, err
		}
	}
	path, _, _ := strings.Cut(r.keys.URLKey, "?")
	most := -1
	look := func(c *store.Capture) bool {
		if like := alike(c.URLKey, r.keys.URLKey); like > most {
			found := *c
			nearest, most = &found, like
		}
		return true
	}
	if err := r.index.nearest(store.URLKey, path, r.at, 1, look); err != nil {
		return why, nil, err
	}
	_, err := r.index.under(path+"?", maxSimilar, false, look)
	return why, nearest, err
}

// alike tells how much two keys have in common at their beginnings and ends, in bytes.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	end := 0
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return n + end
}

// hostOf returns the host of a URL, without its port.
func hostOf(url string) string {
	_, authority, _ := split(url)
	if end := strings.LastIndexByte(authority, ':'); end > strings.LastIndexByte(authority, ']') {
		authority = authority[:end]
	}
	return strings.Trim(authority, "[]")
}

// isDocument reports whether somebody is going to read the answer as a page: the browser says so,
// or asks for HTML before all else and does not say.
func (r *asked) isDocument() bool {
	switch dest := r.head.first("Sec-Fetch-Dest"); dest {
	case "document", "iframe", "frame":
		return true
	case "":
		return r.head.firstAccepted() == "text/html"
	}
	return false
}

// firstAccepted returns the first media type of an Accept, in lower case.
func (h head) firstAccepted() string {
	first, _, _ := strings.Cut(h.get("Accept"), ",")
	mime, _, _ := strings.Cut(first, ";")
	return strings.ToLower(strings.TrimSpace(mime))
}
