package report

import (
	"net/http"

	"warcorder/store"
)

const reasonUnrecorded = "unrecorded"

// kindsOfGaps are the kinds of the reasons of gaps. A coding is found in the records.
var kindsOfGaps = map[string]Kind{
	"upstream":       Failed,
	"write":          Failed,
	"cut":            Cut,
	"refused":        Refused,
	"blocked":        Refused,
	"tunnelled":      Unrecorded,
	reasonUnrecorded: Unrecorded,
	"coding":         Coding,
	"missing":        Missing,
	"crash":          Crash,
	"paused":         "", // of no URL; the exchanges are counted as unrecorded
}

// addGap adds a gap as a finding, unless what it tells of has come meanwhile, or is found in the
// records.
func (w *work) addGap(page string, g *store.Gap) error {
	f, err := w.gapFound(g)
	if f == nil || err != nil {
		return err
	}
	f.page = page
	return w.addFinding(f)
}

// KindOfGap is the kind that a gap with a reason has.
func KindOfGap(reason string) Kind {
	if kind, ok := kindsOfGaps[reason]; ok {
		return kind
	}
	return Failed
}

// MayCome reports whether what a gap tells of may come all the same, later: then FindsGap asks the index.
func MayCome(g *store.Gap) bool {
	kind := KindOfGap(g.Reason)
	return (kind == Failed || kind == Cut) && store.HashURL(g.URL) != 0
}

// gapFound is a gap as a finding; nil if it is none.
func (r *Reports) gapFound(g *store.Gap) (*finding, error) {
	kind := KindOfGap(g.Reason)
	if kind == Coding || kind == "" {
		return nil, nil
	}
	if kind == Failed || kind == Cut {
		if has, err := r.has(g, kind); has || err != nil {
			return nil, err
		}
	}
	return &finding{url: g.URL, detail: g.Detail, kind: kind, at: g.Time, isGap: true}, nil
}

// mostOfURL is how many captures of a URL are looked at for one that has what a gap tells of.
const mostOfURL = 1000

// has reports whether an answer is there to what a gap tells of: the whole, of what broke off at any
// time, and had an end; any answer, later.
func (r *Reports) has(g *store.Gap, kind Kind) (has bool, err error) {
	query, looked := store.Query{URL: g.URL}, 0
	if kind == Failed {
		query.From = second(g.Time)
	}
	if store.HashURL(g.URL) == 0 || query.Check() != nil {
		return false, nil
	}
	err = r.index.Captures(query, func(c *store.Capture) bool {
		looked++
		if kind == Cut {
			has = isStream(c) || !c.Truncated && (c.Status == http.StatusOK || c.Whole)
		} else {
			has = c.Time.After(g.Time)
		}
		return !has && looked < mostOfURL
	})
	return has, err
}
