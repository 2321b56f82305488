package replay

import (
	"time"

	"warcorder/store"
	"warcorder/store/readback"
)

// choice is what was captured of a request. The zero choice has nothing.
type choice struct {
	rule string // "exact", "query", "pywb", "form", "parts", or the names of rules

	// whole is an answer as a whole: neither a part nor cut, but for redirects, of which the head is
	// all; nil if there is none. response is what was opened of it: who takes the choice closes it.
	whole    *store.Capture
	response *readback.Response
	differs  int // in how much what it answered differs from what is asked: difference

	// parts are, without a whole, the parts of entities and what was cut of them: those of one entity
	// before all others, and of each the nearest first.
	parts []store.Capture

	// refused are captures with the keys of the request that do not answer it, the nearest first; some
	// of them if they are many.
	refused []refused

	lookup *lookup // that has found it
	more   bool    // it may find others
}

// found reports whether there is anything to answer with.
func (c *choice) found() bool { return c.whole != nil || len(c.parts) > 0 }

// close closes what is open.
func (c *choice) close() {
	if c.response != nil {
		c.response.Close()
	}
}

// refused is a capture that was found, and is no answer.
type refused struct {
	capture store.Capture
	why     string
}

// The bounds of what is looked at for one request.
const (
	maxLooked    = 1024     // captures of one key
	maxEarliest  = 256      // beside them, the earliest captures of the key
	maxNear      = 256      // captures, before one is taken whose URL is spelled in another way
	maxUnder     = 4096     // captures under one prefix
	maxWalked    = 8192     // captures under all prefixes that rules name
	maxWeighed   = 64 << 20 // bytes of what was sent with these
	maxOpened    = 16       // responses of one key, and as many requests
	maxRedirects = 16       // beside them, responses that are redirects
	maxOrphans   = 2        // revisits without original, before others of their payload count so
	maxCut       = 64       // answers that are cut, of one key
	maxRefused   = 8        // captures of which it is kept why they are no answer
)

// choose chooses what answers a request. The error is one of the index: what cannot be read of a
// capture is a reason to take another.
func (a *Archive) choose(r *asked) (chosen choice, err error) {
	var all []refused
	a.lookups(r, func(l *lookup) bool {
		chosen, err = a.look(r, l)
		all = append(all, chosen.refused...)
		return err == nil && !chosen.found()
	})
	chosen.refused = all[:min(len(all), maxRefused)]
	return chosen, err
}

// look chooses among the captures that one lookup finds.
func (a *Archive) look(r *asked, l *lookup) (choice, error) {
	s, err := a.search(r, l)
	if err != nil {
		return choice{}, err
	}
	return s.choice(), nil
}

// search looks at the captures that one lookup finds.
func (a *Archive) search(r *asked, l *lookup) (*search, error) {
	s := &search{archive: a, asked: r, lookup: l}
	err := a.each(r, l, s.take)
	if err == nil && !s.settle() && l.prefix == "" && s.looked >= maxLooked {
		err = r.index.nearest(l.key, l.text, earliest, maxEarliest, s.takeWhole)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.last()
	return s, nil
}

// earliest is before all captures.
var earliest = time.Unix(0, 0)

// each calls yield with the captures that a lookup finds, the nearest first, until yield returns
// false.
func (a *Archive) each(r *asked, l *lookup, yield func(*store.Capture) bool) error {
	if l.prefix == "" {
		return r.index.nearest(l.key, l.text, r.at, maxLooked, yield)
	}
	fitting, err := a.fitting(r, l)
	if err != nil {
		return err
	}
	sortNearest(fitting, r.at)
	for i := range fitting {
		if !yield(&fitting[i]) {
			break
		}
	}
	return nil
}

// fitting returns the captures under a prefix that fit, of those that may still be looked at,
// without the queries of their bodies, which have served: each may be a MiB.
func (a *Archive) fitting(r *asked, l *lookup) (all []store.Capture, err error) {
	most := min(maxUnder, maxWalked-r.walked)
	more, err := r.index.under(l.prefix, most, l.bodies, func(c *store.Capture) bool {
		r.walked, r.weighed = r.walked+1, r.weighed+len(c.SpecBody)+len(c.WarcioJSBody)
		if l.takes(c) {
			c.SpecBody, c.WarcioJSBody = "", ""
			all = append(all, *c)
		}
		return r.weighed < maxWeighed
	})
	r.beyond = r.beyond || more
	return all, err
}
