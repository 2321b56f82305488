package lately

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/report"
)

// thumbnailOf is how the URI of a picture begins (cmd/visiting).
const thumbnailOf = "urn:thumbnail:"

// state is what is known of a page.
type state struct {
	Lacks     int  // what its report finds, but for what is outside
	Pending   int  // captures and gaps that were not looked at yet
	Thumbnail *At  // nil: there is none
	Whole     bool // nothing is lacking, and nothing pending
}

// At is where a capture lies.
type At struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
}

// judging counts what pages lack. Each capture is looked at once, as a rule: what is settled of a page
// is remembered with it, what is not in verdicts.
type judging struct {
	*Lately
	mu       *sync.Mutex
	seed     maphash.Seed
	verdicts *simplelru.LRU[pages.Place, verdict]
	judged   *simplelru.LRU[string, *judged] // by ID
	budget   *int
	of       *int64 // the view for which budget is
}

// The bounds of what is remembered, and of what is looked at for one view.
const (
	mostVerdicts = 1 << 15
	mostJudged   = 2048    // pages
	mostFound    = 1 << 13 // of one page; more count as often as they come
	mostParts    = 256     // of one page that are looked at again; others are told as they were

	mostLooked = 2048
	busyLooked = 8 // times fewer while there is something to record
)

// verdict is what is wrong with a capture.
type verdict struct {
	found     []mark
	isPart    bool // it counts only as long as the whole is not there
	thumbnail bool
}

// mark stands for a finding: two that are equal count once.
type mark struct {
	kind report.Kind
	url  uint64
}

// judged is what is known of what is settled of a page.
type judged struct {
	begun     int
	looked    int // captures
	found     map[mark]bool
	more      int // that found has no room for
	parts     []pages.Place
	thumbnail *At

	view, number int64 // of the look, and of what was seen then, that last is of
	last         state
}

func newJudging(l *Lately) judging {
	return judging{l, new(sync.Mutex), maphash.MakeSeed(), newLRU[pages.Place, verdict](mostVerdicts),
		newLRU[string, *judged](mostJudged), new(int), new(int64)}
}

// state returns what is known of a page.
func (j *judging) state(ctx context.Context, v view, page *pages.Followed) (state, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	known, found := j.judged.Get(page.ID())
	if !found || known.begun != v.Begun {
		known = &judged{begun: v.Begun, found: make(map[mark]bool)}
		j.judged.Add(page.ID(), known)
	}
	if *j.of != v.number {
		*j.of, *j.budget = v.number, j.mostLooked
		if j.Index.Busy != nil && j.Index.Busy() {
			*j.budget /= busyLooked
		}
	}
	if known.last.Pending == 0 && known.number == v.Number || known.view == v.number && *j.budget <= 0 {
		return known.last, nil
	}
	known.view, known.number = v.number, v.Number
	err := j.settled(ctx, known, page)
	if err == nil {
		known.last, err = j.all(ctx, known, page)
	}
	return known.last, err
}

// spend reports whether something else may be looked at.
func (j *judging) spend() bool {
	*j.budget--
	return *j.budget >= 0
}

// settled looks at what is settled of a page.
func (j *judging) settled(ctx context.Context, known *judged, page *pages.Followed) error {
	if known.looked < page.Left {
		return nil // where they lie is not known any more
	}
	for _, at := range page.Base[min(known.looked-page.Left, len(page.Base)):] {
		v, looked, err := j.verdict(ctx, at)
		if !looked || err != nil {
			return err
		}
		known.looked++
		if v.thumbnail {
			known.thumbnail = &At{at.File, at.Offset}
		}
		if v.isPart {
			if len(known.parts) < mostParts {
				known.parts = append(known.parts, at)
				continue
			}
		}
		for _, m := range v.found {
			if len(known.found) < mostFound {
				known.found[m] = true
			} else if !known.found[m] {
				known.more++
			}
		}
	}
	return nil
}

// all is the state of a page, with what is not settled of it.
func (j *judging) all(ctx context.Context, known *judged, page *pages.Followed) (s state, err error) {
	s.Thumbnail = known.thumbnail
	s.Pending = max(0, page.Left+len(page.Base)-known.looked)
	var parts report.Parts
	others := make(map[mark]bool)
	add := func(found []mark) {
		for _, m := range found {
			if !known.found[m] {
				others[m] = true
			}
		}
	}
	for i := range page.Lacks {
		found, looked, err := j.gap(&page.Lacks[i])
		if err != nil {
			return s, err
		}
		if !looked {
			s.Pending++
		}
		add(found)
	}
	look := func(at pages.Place) error {
		v, looked, err := j.verdict(ctx, at)
		if err != nil {
			return err
		}
		if v.isPart {
			if v.found, looked, err = j.part(at, &parts); err != nil {
				return err
			}
		}
		if !looked {
			s.Pending++
		}
		if v.thumbnail {
			s.Thumbnail = &At{at.File, at.Offset}
		}
		add(v.found)
		return nil
	}
	for _, at := range page.Tail {
		if err := look(at); err != nil {
			return s, err
		}
	}
	for _, at := range known.parts {
		if err := look(at); err != nil {
			return s, err
		}
	}
	s.Lacks = len(known.found) + known.more + len(others)
	s.Whole = s.Lacks == 0 && s.Pending == 0
	return s, nil
}

// verdict is what is wrong with the capture at a place; it is not looked at if too much was.
func (j *judging) verdict(ctx context.Context, at pages.Place) (v verdict, looked bool, err error) {
	if v, found := j.verdicts.Get(at); found {
		return v, true, nil
	}
	if !j.spend() {
		return v, false, nil
	}
	if err := ctx.Err(); err != nil {
		return v, false, err
	}
	c, found, err := j.pages.CaptureAt(at)
	if err != nil {
		return v, false, err
	}
	if found {
		v.thumbnail = strings.HasPrefix(c.URL, thumbnailOf)
		v.isPart = c.IsPart()
		var parts report.Parts
		hidden := false
		if !v.isPart {
			hidden, err = j.reports.IsHidden(&parts, &c)
		}
		if err == nil && !hidden {
			v.found, err = j.finds(&c)
		}
	}
	if err != nil {
		return v, false, err
	}
	j.verdicts.Add(at, v)
	return v, true, nil
}

// part is what is wrong with a part as long as the whole is not there.
func (j *judging) part(at pages.Place, parts *report.Parts) (found []mark, looked bool, err error) {
	if !j.spend() {
		return nil, false, nil
	}
	c, is, err := j.pages.CaptureAt(at)
	if !is || err != nil {
		return nil, true, err
	}
	if hidden, err := j.reports.IsHidden(parts, &c); hidden || err != nil {
		return nil, true, err
	}
	found, err = j.finds(&c)
	return found, true, err
}

func (j *judging) finds(c *store.Capture) ([]mark, error) {
	found, err := j.reports.Finds(c)
	return j.marks(found), err
}

func (j *judging) gap(g *store.Gap) (found []mark, looked bool, err error) {
	if !j.spend() {
		return nil, false, nil
	}
	all, err := j.reports.FindsGap(g)
	return j.marks(all), true, err
}

// marks are those of findings, but for what is outside: that is where the operator wants it to be.
func (j *judging) marks(found []report.Found) (marks []mark) {
	for i := range found {
		if found[i].Kind != report.Outside {
			marks = append(marks, mark{found[i].Kind, maphash.String(j.seed, found[i].URL)})
		}
	}
	return marks
}
