package pages

import (
	"context"
	"time"

	"warcorder/store"
)

// Unfollowed is a page that no Follower has, as one would have it: it walks for that, from the pause
// before the page until that has ended. gaps are the newest ones, as Bolt.Gaps has them. Of more captures
// than mostPlaces the last ones are in Left.
func (p *Pages) Unfollowed(ctx context.Context, page *Page, gaps []store.Gap) (*Followed, error) {
	f := &Followed{ending: ending{id: page.First, resources: page.Resources}}
	f.moment.Time, f.moment.Location = page.Time, page.Capture.Location
	f.Unnoted = page.Time.Before(knownSince(gaps))
	w := newWalk()
	ended := false
	w.belongs = func(m *store.Moment, to *visited) {
		if to == nil || to.place() != page.place() {
			return
		}
		f.Bytes += m.Length
		f.Last = later(f.Last, m.Time)
		if len(f.Base) < mostPlaces {
			f.Base = append(f.Base, Place{m.File, m.Offset, m.Time})
		} else {
			f.Left++
		}
	}
	w.lost.belong = func(gap *store.Gap, to *visited) {
		if to != nil && to.place() == page.place() {
			f.Lacks = append(f.Lacks, *gap)
		}
	}
	w.lost.gaps = between(gaps, page.Time.Add(-pause), store.FourDigitYear(time.Unix(1<<40, 0)))
	w.ended = func(v *visited) { ended = ended || v.place() == page.place() }
	err := p.walk(ctx, w, page.Time, func() bool { return !ended })
	return f, err
}
