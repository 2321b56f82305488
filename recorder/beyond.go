package recorder

import (
	"slices"

	"warcorder/store"
)

// beyond is of what time the gaps are that came when no more could wait, one span for each reason: these
// gaps are only counted, but who looks at a page of that time knows that it may lack something. A span
// is in the list in the place of one of them, so that the counts stay as they are.
type beyond []store.Gap

// beyondDetail is the same however many there are: the counts say that.
const beyondDetail = "so many in a short time that they are only counted"

// add adds a gap, or a span of gaps. Of a coding nothing is missing.
func (b *beyond) add(g *store.Gap) {
	if g.Reason == GapCoding {
		return
	}
	until := g.Time
	if g.Until.After(until) {
		until = g.Until
	}
	i := slices.IndexFunc(*b, func(s store.Gap) bool { return s.Reason == g.Reason })
	if i < 0 {
		*b = append(*b, store.Gap{Time: g.Time, Until: until, Reason: g.Reason, Detail: beyondDetail})
		return
	}
	s := &(*b)[i]
	if g.Time.Before(s.Time) {
		s.Time = g.Time
	}
	if until.After(s.Until) {
		s.Until = until
	}
}

// listed takes the spans out of the counts, since they are listed.
func (b beyond) listed(counts map[string]int64) []store.Gap {
	for i := range b {
		counts[b[i].Reason]--
	}
	return b
}
