package lately

import (
	"context"
	"strings"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/report"
)

// questions are those whether what a gap tells of, or the whole of a part, has come meanwhile. What
// has come stays: it is not asked for again. Of what has not, some is asked for at each view in which
// anything has come, what was asked for longest ago first; until then it counts as it did.
type questions struct {
	come   *simplelru.LRU[question, struct{}]
	waits  *simplelru.LRU[question, *waiting] // the one that was asked for longest ago is the oldest
	number int64                              // of what was seen when it was last asked
	left   int                                // of waits that are to be asked for again since then
	came   int                                // how much has come that was waited for
}

// question is what is asked for.
type question struct {
	gap   mark  // of a gap: two of one page that are equal are one
	time  int64 // of the gap, where only what is later counts; microseconds
	place pages.Place
}

// waiting is what has not come.
type waiting struct {
	gap  *store.Gap // nil: the whole of the part at that place
	view int64      // the last one for which somebody wanted to know
}

// The bounds of what is asked for again.
const (
	mostWaiting = 1 << 15
	againOf     = 4 // of what may be looked at for a view this part is asked for again
	unwanted    = 8 // views later nobody wants to know any more
)

func newQuestions() questions {
	return questions{come: newLRU[question, struct{}](mostWaiting), waits: newLRU[question, *waiting](mostWaiting)}
}

func (a *questions) forget() {
	a.come.Purge()
	a.waits.Purge()
}

// askAgain asks again for what has not come.
func (j *judging) askAgain(v view) error {
	a := &j.asks
	if a.number != v.Number {
		a.number, a.left = v.Number, a.waits.Len()
	}
	for n := min(max(j.budget/againOf, 1), a.left, a.waits.Len()); n > 0; n-- {
		a.left--
		q, w, _ := a.waits.GetOldest()
		if v.number-w.view > unwanted {
			a.waits.Remove(q)
			continue
		}
		j.budget--
		j.spent++
		has, err := j.hasCome(q, w)
		if err != nil {
			return err
		}
		if a.waits.Remove(q); !has {
			a.waits.Add(q, w)
			continue
		}
		a.come.Add(q, struct{}{})
		a.came++
	}
	return nil
}

// hasCome asks the index.
func (j *judging) hasCome(q question, w *waiting) (bool, error) {
	if w.gap != nil {
		found, err := j.reports.FindsGap(w.gap)
		return len(found) == 0, err
	}
	c, is, err := j.pages.CaptureAt(q.place)
	if !is || err != nil {
		return !is, err
	}
	return j.reports.IsHidden(new(report.Parts), &c)
}

// ask says whether something has come, as it was when that was last asked for. known is false if it never
// was, and may not be now.
func (j *judging) ask(q question, gap *store.Gap) (has, known bool, err error) {
	if _, has := j.asks.come.Get(q); has {
		return true, true, nil
	}
	if w, known := j.asks.waits.Peek(q); known {
		w.view = j.view
		return false, true, nil
	}
	if !j.spend() {
		return false, false, nil
	}
	w := &waiting{gap, j.view}
	if has, err = j.hasCome(q, w); err != nil {
		return false, false, err
	}
	if has {
		j.asks.come.Add(q, struct{}{})
	} else {
		j.asks.waits.Add(q, w)
	}
	return has, true, nil
}

// counting counts what is wrong with what is not settled of a page.
type counting struct {
	*judging
	known  *judged
	others map[mark]bool
	state
}

func (c *counting) add(found ...mark) {
	for _, m := range found {
		if !c.known.found[m] {
			c.others[m] = true
		}
	}
}

// all is the state of a page, with what is not settled of it.
func (j *judging) all(ctx context.Context, known *judged, page *pages.Followed) (state, error) {
	c := counting{judging: j, known: known, others: make(map[mark]bool)}
	c.Thumbnail = known.thumbnail
	c.Pending = max(0, page.Left+len(page.Base)-known.looked)
	if err := c.gaps(page.Lacks); err != nil {
		return c.state, err
	}
	for _, at := range page.Tail {
		if err := c.capture(ctx, at); err != nil {
			return c.state, err
		}
	}
	for _, at := range known.parts {
		if err := c.capture(ctx, at); err != nil {
			return c.state, err
		}
	}
	c.Lacks = len(known.found) + known.more + len(c.others)
	c.Whole = c.Lacks == 0 && c.Pending == 0
	return c.state, nil
}

// capture counts a capture.
func (c *counting) capture(ctx context.Context, at pages.Place) error {
	v, looked, err := c.verdict(ctx, at)
	if err != nil {
		return err
	}
	if v.thumbnail {
		c.Thumbnail = &At{at.File, at.Offset}
	}
	if v.isPart && looked {
		var whole bool
		if whole, looked, err = c.ask(question{place: at}, nil); err != nil {
			return err
		}
		if whole || !looked {
			v.found = nil
		}
	}
	if !looked {
		c.Pending++
	}
	c.add(v.found...)
	return nil
}

// gaps counts those of a page, which are in the order of time. Of those of one URL the last one decides:
// an answer that is later than that is later than all.
func (c *counting) gaps(gaps []store.Gap) error {
	last, markOf := make(map[mark]*store.Gap), func(g *store.Gap) mark {
		return c.mark(report.KindOfGap(g.Reason), strings.ToValidUTF8(g.URL, "\uFFFD"))
	}
	for i := range gaps {
		g := &gaps[i]
		if !report.MayCome(g) {
			found, err := c.reports.FindsGap(g)
			if err != nil {
				return err
			}
			c.add(c.marks(found)...)
			continue
		}
		last[markOf(g)] = g
	}
	for i := range gaps {
		g := &gaps[i]
		m := markOf(g)
		if last[m] != g {
			continue
		}
		q := question{gap: m}
		if m.kind == report.Failed {
			q.time = g.Time.UnixMicro()
		}
		has, known, err := c.ask(q, g)
		switch {
		case err != nil:
			return err
		case !known:
			c.Pending++
		case !has:
			c.add(m)
		}
	}
	return nil
}
