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
	unsureGaps   = "gaps"   // the list of gaps does not go back to it
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
	switch span := v.spanOf(from, until); {
	case span != nil && span.Reason == reasonCrash:
		told.Unsure = unsureCrash
	case span != nil:
		told.Unsure = unsurePaused
	case f.Unnoted:
		told.Unsure = unsureGaps
	}
	if v.Latest == nil || v.Behind {
		told.Pending++
	}
	told.Whole = told.Whole && told.Pending == 0 && told.Loading == 0 && told.Unsure == ""
}

// reasonCrash is that of the gap of a recorder that did not come to its end (recovery.GapCrash).
const reasonCrash = "crash"

// spanOf is a time of which not all was recorded, and that has something of another; nil if there is none.
func (v *view) spanOf(from, until time.Time) *pages.Span {
	if p := v.unsure.paused; p != nil && p.Overlaps(from, until) {
		return p
	}
	if v.Latest == nil {
		return nil
	}
	for i := range slices.Backward(v.Spans) {
		if v.Spans[i].Overlaps(from, until) {
			return &v.Spans[i]
		}
	}
	return nil
}
