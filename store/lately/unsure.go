package lately

import (
	"slices"
	"time"

	"warcorder/store/pages"
)

// unsure is why a page of which nothing is known to lack need not be whole: what goes on may be its, and
// of what passed while recording was paused, or was lost in a crash, nobody knows.
type unsure struct {
	going     []time.Time // when the exchanges began that go on, in the order of time
	loose     []time.Time // and those that have ended, and whose pages are not known yet
	paused    *pages.Span
	unsettled bool // not all that has come is in the index
}

// What a page may lack, where nothing is found.
const (
	unsurePaused = "paused" // recording was paused meanwhile
	unsureCrash  = "crash"  // the recorder did not come to its end meanwhile
	unsureGaps   = "gaps"   // the list of gaps does not go back to it, or only counts those of its time
)

// mostLoose are remembered.
const mostLoose = 1000

func (l *Lately) unsureNow() (u unsure) {
	if l.GoingOn != nil {
		u.going = l.GoingOn()
		slices.SortFunc(u.going, time.Time.Compare)
	}
	if l.Paused != nil {
		u.paused = l.Paused()
	}
	return u
}

// loosen takes what went on before, and does no more: as long as the follower does not know where what
// came late belongs, it may belong to any page of its time.
func (u *unsure) loosen(before *unsure, latest *pages.Latest) {
	if !latest.Late {
		return
	}
	u.loose = slices.Clone(before.loose)
	for _, began := range before.going {
		if _, goesOn := slices.BinarySearchFunc(u.going, began, time.Time.Compare); !goesOn {
			u.loose = append(u.loose, began)
		}
	}
	slices.SortFunc(u.loose, time.Time.Compare)
	u.loose = slices.Compact(u.loose)
	u.loose = u.loose[max(0, len(u.loose)-mostLoose):]
}

// within is how many times lie within two others, inclusively. They are in order, of whole seconds.
func within(times []time.Time, from, until time.Time) int {
	first, _ := slices.BinarySearchFunc(times, from.Truncate(time.Second), time.Time.Compare)
	last, _ := slices.BinarySearchFunc(times, until.Add(time.Nanosecond), time.Time.Compare)
	return max(0, last-first)
}

// doubt lets a page be no more whole than is known. What began while it was open may be its.
func (v *view) doubt(told *Page, f *pages.Followed) {
	from, until := f.Time(), f.Last.Add(openFor)
	told.Loading = within(v.unsure.going, from, until)
	told.Open = told.Loading > 0 || time.Since(f.Last) < openFor
	if n := within(v.unsure.loose, from, until); n > 0 || v.unsure.unsettled && told.Open {
		told.Pending += max(n, 1)
	}
	switch span := v.spanOf(from, f.Last); {
	case span != nil && span.Reason == reasonCrash:
		told.Unsure = unsureCrash
	case span != nil && span.Reason == reasonPaused:
		told.Unsure = unsurePaused
	case span != nil || f.Unnoted:
		told.Unsure = unsureGaps
	}
	if v.Latest == nil || v.Behind {
		told.Pending++
	}
	told.Whole = told.Whole && told.Pending == 0 && told.Loading == 0 && told.Unsure == ""
}

// The reasons of spans: of a recorder that did not come to its end (recovery.GapCrash), and of a pause
// (recorder.GapPaused). Any other is that of gaps that are only counted.
const (
	reasonCrash  = "crash"
	reasonPaused = "paused"
)

// askedFor is how long after its last capture a page may have asked for something else that passed in a
// pause: what was on its way when that began is recorded to its end, so it has come by then. Of what was
// on its way in a crash nothing need be left.
const askedFor = 5 * time.Second

// spanOf is a time of which not all was recorded, and that has something of a page's; nil if there is none.
func (v *view) spanOf(from, last time.Time) *pages.Span {
	overlaps := func(s *pages.Span) bool {
		until := last.Add(openFor)
		if s.Reason == reasonPaused {
			until = last.Add(askedFor)
		}
		return s.Overlaps(from, until)
	}
	if p := v.unsure.paused; p != nil && overlaps(p) {
		return p
	}
	if v.Latest == nil {
		return nil
	}
	for i := range slices.Backward(v.Spans) {
		if overlaps(&v.Spans[i]) {
			return &v.Spans[i]
		}
	}
	return nil
}
