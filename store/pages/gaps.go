package pages

import (
	"maps"
	"slices"
	"time"

	"warcorder/store"
)

// Span is a time of which nothing, or not all, could be recorded: no page is named that lacks
// something of it.
type Span struct {
	From, Until time.Time
	Reason      string // of the gap
}

// Overlaps reports whether a span has something of a time.
func (s *Span) Overlaps(from, until time.Time) bool {
	return !s.From.After(until) && !s.Until.Before(from)
}

// mostSpans are kept one by one. Older ones are one.
const mostSpans = 1000

// note takes the gaps that have come, and reports whether any has. What is only counted, as each exchange
// that passes while the recorder is paused, is none.
func (f *Follower) note() (bool, error) {
	some, err := f.gaps(1)
	if err != nil {
		return false, err
	}
	noted := int64(0)
	for n := range maps.Values(some.Counts) {
		noted += n
	}
	if noted == f.noted {
		return false, nil
	}
	limit := store.MaxGaps
	if f.noted >= 0 {
		limit = int(min(max(noted-f.noted, 1), store.MaxGaps))
	}
	all, err := f.gaps(limit)
	if err != nil {
		return false, err
	}
	came := f.take(all.Latest)
	f.noted = noted
	return came, nil
}

// take takes the newest gaps, up to those that it has, and reports whether there are any. Those of no URL
// are of no page, but of all of their time.
func (f *Follower) take(newest []store.Gap) bool {
	since := knownSince(newest)
	for i := range newest {
		g := &newest[i]
		if f.noted >= 0 && isSameGap(g, &f.newest) {
			newest, since = newest[:i], f.since
			break
		}
		if g.Time.Before(f.begun) || g.URL == "" {
			continue
		}
		f.waiting = append(f.waiting, *g)
		if f.last != nil && !g.Time.After(f.last.Time) {
			f.isLate()
		}
	}
	f.since = later(f.since, since)
	f.latest.Spans = withSpans(f.latest.Spans, newest)
	if len(newest) > 0 {
		f.newest = newest[0]
	}
	slices.SortStableFunc(f.waiting, compareGaps)
	if n := len(f.waiting) - store.MaxGaps; n > 0 { // no capture has come behind them
		f.since = later(f.since, f.waiting[n-1].Time)
		f.waiting = slices.Delete(f.waiting, 0, n)
	}
	return len(newest) > 0
}

// knownSince is from when on all gaps are known, where the newest are: no more are kept.
func knownSince(newest []store.Gap) (since time.Time) {
	if len(newest) < store.MaxGaps {
		return since
	}
	return newest[len(newest)-1].Time
}

// withSpans adds those of the newest gaps.
func withSpans(spans []Span, newest []store.Gap) []Span {
	var more []Span
	for _, g := range slices.Backward(newest) {
		if g.URL == "" && !g.Until.IsZero() {
			more = append(more, Span{g.Time, g.Until, g.Reason})
		}
	}
	if len(more) == 0 {
		return spans // others may read them
	}
	spans = slices.Concat(spans, more)
	slices.SortStableFunc(spans, func(a, b Span) int { return a.From.Compare(b.From) })
	for len(spans) > mostSpans {
		spans[1].From, spans[1].Until = spans[0].From, later(spans[0].Until, spans[1].Until)
		spans = spans[1:]
	}
	return spans
}

func compareGaps(a, b store.Gap) int { return a.Time.Compare(b.Time) }

func isSameGap(a, b *store.Gap) bool {
	return a.Reason == b.Reason && a.URL == b.URL && a.Detail == b.Detail &&
		a.Time.Truncate(time.Microsecond).Equal(b.Time.Truncate(time.Microsecond))
}

// between are the gaps of a time, in its order, of the newest ones.
func between(newest []store.Gap, from, until time.Time) (gaps []store.Gap) {
	for _, g := range slices.Backward(newest) {
		if !g.Time.Before(from) && g.Time.Before(until) {
			gaps = append(gaps, g)
		}
	}
	slices.SortStableFunc(gaps, compareGaps)
	return gaps
}

// forgetGaps keeps the bound of the gaps of pages that have ended: the oldest pages forget theirs.
func (f *Follower) forgetGaps() {
	if f.lacks <= mostLacks {
		return
	}
	kept := 0
	for _, pages := range [][]Followed{f.latest.ended, f.latest.past} {
		for i := range slices.Backward(pages) {
			k := &pages[i].Kept
			if kept += len(k.Lacks); kept > mostLacks/2 && len(k.Lacks) > 0 {
				kept -= len(k.Lacks)
				k.Lacks, k.Unnoted = nil, true
			}
		}
	}
	f.lacks = kept
}
