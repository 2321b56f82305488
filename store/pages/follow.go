package pages

import (
	"cmp"
	"context"
	"slices"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
)

// Place is where a capture lies, and when it was made.
type Place struct {
	File   string
	Offset int64
	Time   time.Time
}

// Kept is what a Follower keeps of a page.
type Kept struct {
	Bytes int64       // of the gzip members of all that belongs to it
	Last  time.Time   // of the last capture that belongs to it
	Lacks []store.Gap // that belong to it, in the order of time

	Unnoted bool // gaps of its time may have been forgotten: the list of gaps does not go back to it

	// Base and then Tail are where its captures lie: of the same Begun, Base only grows. Where there are
	// too many its first ones are not kept: Left is how many.
	Left       int
	Base, Tail []Place
}

// Followed is a page as a Follower has it.
type Followed struct {
	ending
	Kept
}

// ID is that of the first page of the document.
func (f *Followed) ID() string { return f.id }

// Time is when the document was asked for.
func (f *Followed) Time() time.Time { return f.moment.Time }

// Resources are the captures that belong to it, without the document.
func (f *Followed) Resources() int { return f.resources }

// Follower follows the pages of a collection while that is recorded: it says what All says, without
// walking from the last pause on each time.
//
// Captures do not come in the order of time: each is of the moment when it was asked for, and comes
// when it was answered. So the walk is settled up to a minute before now, and what came since, the
// tail, is walked in advance whenever somebody looks, and the walk goes back again (mark.go).
//
//	begun ├──── settled: walked once ────┤──── tail: walked at each look ────┤ now
//
// What comes later than that is missed by nobody: the index counts its captures. The walk begins anew
// then, at the last pause; not at once if that is long, so that it takes a twentieth of one processor.
//
// Invariant: memory is bounded by mostFollowed, mostPlaces, mostLacks, mostTail and store.MaxGaps, beside
// that of one walk. A look that finds nothing new reads nothing, and copies no gap that is settled.
type Follower struct {
	*Pages
	gaps func(limit int) (store.Gaps, error)

	// Now is the time.
	Now func() time.Time

	reading collection.Reading
	walk    *walk
	begun   time.Time // where the timeline is walked from
	last    *store.Moment
	tail    []store.Moment
	trial   bool  // the walk goes back
	before  int64 // moments before begun; negative if that is not known
	settled int64 // moments that the walk has passed for good
	timed   int64 // by the index, at the last look
	noted   int64 // gaps, by all counts
	newest  store.Gap
	since   time.Time   // from when on all gaps are known; zero: of all times
	waiting []store.Gap // that the walk has not come to, store.MaxGaps at most

	late  bool      // something has come before last
	again time.Time // when it may begin anew

	latest Latest
	fresh  []Followed // pages that have ended in this look
	places int        // that are kept of pages
	lacks  int        // gaps of pages that have ended

	Walked int64 // moments, for good or not, and of all looks
}

// The bounds of a Follower.
const (
	settleAfter  = time.Minute
	mostTail     = 1 << 15 // moments, 150 bytes each
	mostFollowed = 20_000  // pages
	mostPlaces   = 1 << 19 // of captures of pages, 48 bytes each, and those of one settle
	mostLacks    = 1 << 16 // gaps of pages that have ended, 150 bytes each, and those of one settle

	// againAfter is how long a Follower waits, by each moment that it has to walk anew, before it does:
	// twenty times as long as that takes.
	againAfter = 20 * time.Microsecond
)

// Follow returns a Follower of pages. gaps returns the newest gaps, as Bolt.Gaps does. It is for one
// goroutine; what it returns is for all.
func (p *Pages) Follow(gaps func(limit int) (store.Gaps, error)) *Follower {
	return &Follower{Pages: p, gaps: gaps, Now: time.Now}
}

// Look returns the pages as they are now. After an error, or a panic, it begins anew.
func (f *Follower) Look(ctx context.Context) (*Latest, error) {
	done := false
	defer func() {
		if !done {
			f.walk = nil // to begin anew
		}
	}()
	err := f.look(ctx)
	if err == nil && f.mayBegin() {
		err = f.look(ctx)
	}
	if err != nil {
		return nil, err
	}
	done = true
	latest := f.latest
	latest.Late = f.late
	return &latest, nil
}

func (f *Follower) look(ctx context.Context) error {
	if f.walk == nil || !f.reading.IsSame() || f.mayBegin() {
		if err := f.begin(ctx); err != nil {
			return err
		}
	}
	timed, err := f.index.Timed()
	if err != nil {
		return err
	}
	noted, err := f.note()
	if err != nil || timed == f.timed && !noted {
		return err
	}
	if err := f.read(ctx); err != nil {
		return err
	}
	after, err := f.index.Timed()
	if err != nil {
		return err
	}
	f.compare(timed, after)
	if err := f.settle(ctx, len(f.tail)-mostTail, f.Now().Add(-settleAfter)); err != nil {
		return err
	}
	if err := f.advance(ctx); err != nil {
		return err
	}
	f.timed = timed
	return nil
}

// mayBegin reports whether it must begin anew, and may by now.
func (f *Follower) mayBegin() bool { return f.late && !f.Now().Before(f.again) }

// isLate notes that something has come before last.
func (f *Follower) isLate() {
	if !f.late {
		f.late = true
		f.again = f.Now().Add(againAfter * time.Duration(max(0, f.settled-mostTail)))
	}
}

// begin begins at the last pause. What is said to be of the future comes behind that.
func (f *Follower) begin(ctx context.Context) error {
	gone := f.latest.Gone
	if f.latest.Begun > 0 && !f.reading.IsSame() {
		gone++
	}
	f.reading = f.files.Dir().Reading()
	from := f.Now().Add(settleAfter)
	last, found, err := f.index.LastBefore(from)
	if err != nil {
		return err
	}
	if found {
		from = last
	}
	if from, err = f.index.QuietBefore(ctx, from, pause); err != nil {
		return err
	}
	f.walk, f.begun, f.trial = f.follow(), from, false
	f.last, f.tail, f.settled, f.before, f.timed = nil, nil, 0, -1, -1
	if _, found, err = f.index.LastBefore(from); err != nil {
		return err
	} else if !found {
		f.before = 0
	}
	f.noted, f.newest, f.since, f.waiting, f.late = -1, store.Gap{}, time.Time{}, nil, false
	f.latest = Latest{Begun: f.latest.Begun + 1, Number: f.latest.Number + 1, Gone: gone}
	f.fresh, f.places, f.lacks = nil, 0, 0
	return nil
}

// follow makes a walk that keeps what a Follower is asked for.
func (f *Follower) follow() *walk {
	w := newWalk()
	w.belongs = func(m *store.Moment, to *visited) {
		if to == nil {
			return
		}
		k := &to.kept
		k.Bytes += m.Length
		k.Last = later(k.Last, m.Time)
		at := Place{m.File, m.Offset, m.Time}
		if f.trial {
			k.Tail = append(k.Tail, at)
		} else {
			k.Base = append(k.Base, at)
			f.places++
		}
	}
	w.lost.belong = func(gap *store.Gap, to *visited) {
		if to != nil && len(to.kept.Lacks) < store.MaxGaps {
			to.kept.Lacks = append(to.kept.Lacks, *gap) // a trial's go elsewhere (mark.go)
		}
	}
	w.ended = func(v *visited) {
		page := Followed{ending{v.moment, v.id(), v.resources, v.listed, nil}, v.kept}
		page.Unnoted = page.Unnoted || v.moment.Time.Before(f.since)
		page.Base, page.Tail = slices.Clip(page.Base), slices.Clip(page.Tail)
		if f.fresh = append(f.fresh, page); !f.trial && len(f.fresh) > 2*mostFollowed {
			f.fresh = slices.Clone(f.fresh[mostFollowed:])
		}
	}
	return w
}

// read reads what is not settled.
func (f *Follower) read(ctx context.Context) error {
	from := f.begun
	if f.last != nil {
		from = f.last.Time
	}
	f.tail = f.tail[:0]
	for m, err := range f.index.Timeline(ctx, from) {
		if err != nil {
			return err
		}
		if f.last != nil && compareMoments(&m, f.last) <= 0 {
			continue
		}
		if f.tail = append(f.tail, m); len(f.tail) >= 2*mostTail {
			if err := f.settle(ctx, mostTail, time.Time{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareMoments compares by the order of the timeline.
func compareMoments(a, b *store.Moment) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
}

// compare sees by the counts of the index before and after a reading whether all was read.
func (f *Follower) compare(timed, after int64) {
	read := f.settled + int64(len(f.tail))
	switch {
	case f.before < 0 && timed == after: // else it is not known what lies before
		f.before = timed - read
	case f.before >= 0 && (f.before+read < timed || f.before+read > after):
		f.isLate()
	}
}

// settle lets the walk go on for good: by n moments, or more if they are older than that.
func (f *Follower) settle(ctx context.Context, n int, older time.Time) error {
	for n = max(n, 0); n < len(f.tail) && f.tail[n].Time.Before(older); n++ {
	}
	if n == 0 {
		return nil
	}
	f.walk.lost.gaps = f.waiting
	if err := f.add(ctx, f.tail[:n]); err != nil {
		return err
	}
	f.waiting = f.walk.lost.gaps
	last := f.tail[n-1]
	f.last = &last
	f.settled += int64(n)
	f.tail = slices.Delete(f.tail, 0, n)
	f.end()
	return nil
}

// add lets the walk pass moments.
func (f *Follower) add(ctx context.Context, moments []store.Moment) error {
	if len(moments) == 0 {
		return nil
	}
	lists, err := f.listedFrom(moments[0].Time)
	defer lists.stop()
	if err != nil {
		return err
	}
	for i := range moments {
		named, err := lists.at(&moments[i])
		if err == nil && i%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		f.Walked++
		f.walk.add(&moments[i], named)
	}
	return nil
}

// advance finds the pages that are not settled.
func (f *Follower) advance(ctx context.Context) error {
	f.fresh = nil
	f.walk.lost.gaps = f.waiting
	m := f.walk.mark()
	f.trial = true
	err := f.add(ctx, f.tail)
	if err == nil {
		f.walk.until(f.walk.now.Add(pause))
		f.walk.end()
	}
	f.walk.back(m)
	f.trial = false
	f.latest.open, f.fresh = f.fresh, nil
	f.latest.Number++
	return err
}
