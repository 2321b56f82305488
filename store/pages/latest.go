package pages

import (
	"context"
	"slices"
	"sort"
	"time"

	"warcorder/store"
)

// Latest are pages in the order of time, as they were when somebody looked.
type Latest struct {
	past, ended, open []Followed

	Begun  int   // how often the Follower has begun anew
	Number int64 // is another one if anything has come, or gone
	Gone   int   // how often something was removed: what lies at a place may be another capture since
	Behind bool  // it has not come to the end of the timeline yet
	Late   bool  // captures of before have come, of which nobody knows yet where they belong

	Spans []Span // in the order of time
}

// Len is how many pages there are.
func (l *Latest) Len() int { return len(l.past) + len(l.ended) + len(l.open) }

// At is the i-th of them.
func (l *Latest) At(i int) *Followed {
	if i < len(l.past) {
		return &l.past[i]
	}
	if i -= len(l.past); i < len(l.ended) {
		return &l.ended[i]
	}
	return &l.open[i-len(l.ended)]
}

// Search returns the number of the last page that is not behind a time; -1 if there is none.
func (l *Latest) Search(t time.Time) int {
	return sort.Search(l.Len(), func(i int) bool { return l.At(i).Time().After(t) }) - 1
}

// end takes what has ended for good, and keeps the bounds.
func (f *Follower) end() {
	l := &f.latest
	l.ended = append(l.ended, f.fresh...)
	for i := range f.fresh {
		f.lacks += len(f.fresh[i].Lacks)
	}
	f.fresh = nil
	if len(l.ended) > 2*mostFollowed {
		l.ended = slices.Clone(l.ended[len(l.ended)-mostFollowed:])
		l.past = nil // which would not lie before them
	}
	if f.places <= mostPlaces && f.lacks <= mostLacks {
		return
	}
	l.ended, l.past = slices.Clone(l.ended), slices.Clone(l.past)
	f.forgetGaps()
	if f.places <= mostPlaces {
		return
	}
	kept := 0
	forget := func(k *Kept) {
		if kept += len(k.Base); kept > mostPlaces/2 {
			kept -= len(k.Base)
			k.Left, k.Base = k.Left+len(k.Base), nil
		}
	}
	for _, page := range slices.Backward(f.walk.open) {
		forget(&page.kept)
	}
	for _, pages := range [][]Followed{l.ended, l.past} {
		for i := range slices.Backward(pages) {
			forget(&pages[i].Kept)
		}
	}
	f.places = kept
}

// Earlier adds the pages between the two pauses before those that there are, and reports whether there
// may be others before them. Look must have been called.
func (f *Follower) Earlier(ctx context.Context) (more bool, err error) {
	if f.walk == nil || f.latest.Len() >= mostFollowed {
		return false, nil
	}
	end := f.begun
	last, found, err := f.index.LastBefore(end)
	if !found || err != nil {
		return false, err
	}
	start, err := f.index.QuietBefore(ctx, last, pause)
	if err != nil {
		return false, err
	}
	w, fresh, err := f.session(ctx, start, end)
	if err != nil {
		return false, err
	}
	if f.before >= 0 {
		f.before -= w
	}
	f.settled += w
	f.begun = start
	f.latest.Number++
	fresh = fresh[max(0, len(fresh)-mostFollowed):]
	for i := range fresh {
		f.lacks += len(fresh[i].Lacks)
	}
	f.latest.past = append(slices.Clip(fresh), f.latest.past...)
	f.end()
	return true, nil
}

// session walks what lies between two pauses.
func (f *Follower) session(ctx context.Context, start, end time.Time) (n int64, pages []Followed,
	err error) {
	current, fresh := f.walk, f.fresh
	f.walk, f.fresh = f.follow(), nil
	defer func() { f.walk, f.fresh = current, fresh }()
	gaps, err := f.gaps(0)
	if err != nil {
		return 0, nil, err
	}
	f.walk.lost.gaps = between(gaps.Latest, start, end)
	since := f.since
	f.since = knownSince(gaps.Latest)
	defer func() { f.since = since }()
	var some []store.Moment
	for m, err := range f.index.Timeline(ctx, start) {
		if err != nil {
			return 0, nil, err
		}
		if !m.Time.Before(end) {
			break
		}
		if some = append(some, m); len(some) == mostTail {
			if err := f.add(ctx, some); err != nil {
				return 0, nil, err
			}
			n, some = n+int64(len(some)), some[:0]
		}
	}
	if err := f.add(ctx, some); err != nil {
		return 0, nil, err
	}
	n += int64(len(some))
	f.walk.until(f.walk.now.Add(pause))
	f.walk.end()
	return n, f.fresh, nil
}

// Find returns the page with an ID, or one of whose document is named so; nil if there is none.
func (l *Latest) Find(id string) *Followed {
	for i := l.Len() - 1; i >= 0; i-- {
		if page := l.At(i); page.id == id || page.listed != nil && page.isNamed(id) {
			return page
		}
	}
	return nil
}

func (f *Followed) isNamed(id string) bool {
	return slices.ContainsFunc(f.listed.names, func(n name) bool { return n.id == id })
}

// PagesOf returns the pages of one document, as All gives them; none if its capture is not in the index
// any more.
func (p *Pages) PagesOf(f *Followed) ([]Page, error) {
	c, found, err := p.captureOf(&f.moment)
	if !found || err != nil {
		return nil, err
	}
	return f.pages(&c), nil
}

// CaptureAt returns the capture that lies at a place, as Captures gives it. It is false if there is
// none.
func (p *Pages) CaptureAt(at Place) (c store.Capture, found bool, err error) {
	m, found, err := p.index.MomentAt(at.Time, at.File, at.Offset)
	if !found || err != nil {
		return c, false, err
	}
	return p.captureOf(&m)
}
