package pages

import (
	"time"

	"warcorder/store"
)

// lost are gaps that wait for the walk to come to their times.
type lost struct {
	gaps   []store.Gap                       // in the order of time
	belong func(gap *store.Gap, to *visited) // is called with each; nil is no page
}

// until lets gaps up to a time belong to pages.
func (w *walk) until(t time.Time) {
	for len(w.lost.gaps) > 0 && !w.lost.gaps[0].Time.After(t) {
		gap := &w.lost.gaps[0]
		w.lost.gaps = w.lost.gaps[1:]
		w.lost.belong(gap, w.pageOfGap(gap))
	}
}

// reasonCut is the reason of a gap that tells of what is there in part (recorder.GapCut): it comes
// when the whole has not come, which may be long after its page.
const reasonCut = "cut"

// pageOfGap returns the page that lacks what a gap tells of; nil if there is none. What somebody
// wanted to see and did not get is no part of the page before it. What is there in part belongs where
// that does.
func (w *walk) pageOfGap(gap *store.Gap) *visited {
	m := store.Moment{Visit: gap.Visit, Time: gap.Time, URL: store.HashURL(gap.URL)}
	if m.URL == 0 {
		return nil
	}
	isPage := m.Dest == store.DestDocument && m.Traits&store.Navigates != 0
	isCut := gap.Reason == reasonCut
	if k := w.byURL.get(m.URL); k != nil && m.Time.Sub(k.at) < pause &&
		(isPage || m.Referer == 0 || isCut && k.document) {
		return k.page
	}
	if isPage {
		return nil
	}
	k, isExact := w.refers(&m)
	if page := w.before(&m); page != nil && isCut && !isExact {
		return page
	}
	if k != nil {
		return k.page
	}
	return w.alone(&m)
}
