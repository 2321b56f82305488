package lately

import (
	"context"
	"encoding/binary"
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
// is remembered with it, what is not in verdicts. Gaps, and parts, are asked about again: asked.go.
type judging struct {
	*Lately
	mu       sync.Mutex
	seed     maphash.Seed
	verdicts *simplelru.LRU[pages.Place, verdict]
	judged   *simplelru.LRU[string, *judged] // by ID
	asks     questions
	view     int64 // for which budget is
	budget   int   // of the view
	share    int   // of the page that is looked at
	spent    int   // of all budgets: how much was looked at
}

// The bounds of what is remembered, and of what is looked at for one view.
const (
	mostVerdicts = 1 << 16 // twice as many as are not settled (pages.Follower)
	mostJudged   = 2048    // pages
	mostFound    = 1 << 13 // of one page; more count as often as they come
	mostParts    = 256     // of one page that are looked at again; others are told as they were

	mostLooked = 2048
	busyLooked = 8  // times fewer while there is something to record
	leastShare = 16 // of a page; else it is half of what is left, so that no page waits for another
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
	looked    int    // captures
	places    uint64 // the hash of where these lie
	found     map[mark]bool
	more      int // that found has no room for
	parts     []pages.Place
	thumbnail *At

	said         *state // the last one in which nothing was pending; nil: there is none
	view, number int64  // of the look, and of what was seen then, that last is of; number 0: of nothing
	came         int    // of what was asked again by then
	last         state
}

func newJudging(l *Lately) *judging {
	return &judging{Lately: l, seed: maphash.MakeSeed(), asks: newQuestions(),
		verdicts: newLRU[pages.Place, verdict](mostVerdicts), judged: newLRU[string, *judged](mostJudged)}
}

// forget forgets all: other captures may lie where what was looked at lay.
func (j *judging) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.verdicts.Purge()
	j.judged.Purge()
	j.asks.forget()
}

// state returns what is known of a page. As long as something is pending it does not say less than what
// was known when nothing was.
func (j *judging) state(ctx context.Context, v view, page *pages.Followed) (state, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.view != v.number {
		if err := j.begin(v); err != nil {
			return state{}, err
		}
	}
	known := j.known(v, page)
	isOfNow := known.number == v.Number && known.number > 0 && known.came == j.asks.came
	if known.last.Pending == 0 && isOfNow || known.view == v.number && j.budget <= 0 {
		return known.last, nil
	}
	j.share = max(j.budget/2, leastShare)
	known.view, known.number, known.came = v.number, v.Number, j.asks.came
	err := j.settled(ctx, known, page)
	if err == nil {
		known.last, err = j.all(ctx, known, page)
	}
	if err != nil {
		known.number = 0 // no state is of it
		return known.last, err
	}
	switch now := known.last; {
	case now.Pending == 0:
		known.said = &now
	case known.said != nil:
		known.last.Lacks = max(now.Lacks, known.said.Lacks)
	}
	return known.last, nil
}

// begin begins a view: some of what may have come since is asked for again.
func (j *judging) begin(v view) error {
	j.view, j.budget = v.number, j.mostLooked
	if j.Index.Busy != nil && j.Index.Busy() {
		j.budget /= busyLooked
	}
	return j.askAgain(v)
}

// known is what is known of a page. The follower may have begun anew: what it says then is looked at
// again, unless the captures are the same up to where it was looked at.
func (j *judging) known(v view, page *pages.Followed) *judged {
	known, found := j.judged.Get(page.ID())
	switch {
	case !found:
		known = &judged{begun: v.Begun, found: make(map[mark]bool), view: -1, last: state{Pending: 1}}
	case known.begun == v.Begun:
		return known
	case j.isSame(known, page):
		known.begun, known.number = v.Begun, 0
	default:
		known = &judged{begun: v.Begun, found: make(map[mark]bool), view: -1, said: known.said, last: known.last}
		if known.said != nil {
			known.last.Lacks, known.last.Whole = known.said.Lacks, false
		}
		known.last.Pending = max(1, known.last.Pending)
	}
	j.judged.Add(page.ID(), known)
	return known
}

// isSame reports whether what is known of a page is of the same captures.
func (j *judging) isSame(known *judged, page *pages.Followed) bool {
	if page.Left > 0 || len(page.Base) < known.looked {
		return known.looked == 0
	}
	places := uint64(0)
	for i := range page.Base[:known.looked] {
		places = j.hash(places, &page.Base[i])
	}
	return places == known.places
}

// hash is the hash of places, and then another one.
func (j *judging) hash(places uint64, at *pages.Place) uint64 {
	var numbers [24]byte
	binary.LittleEndian.PutUint64(numbers[:], places)
	binary.LittleEndian.PutUint64(numbers[8:], uint64(at.Offset))
	binary.LittleEndian.PutUint64(numbers[16:], maphash.String(j.seed, at.File))
	return maphash.Bytes(j.seed, numbers[:])
}

// spend reports whether something else may be looked at.
func (j *judging) spend() bool {
	if j.budget <= 0 || j.share <= 0 {
		return false
	}
	j.budget--
	j.share--
	j.spent++
	return true
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
		known.places = j.hash(known.places, &at)
		known.add(at, &v)
	}
	return nil
}

// add adds what is wrong with a settled capture.
func (k *judged) add(at pages.Place, v *verdict) {
	if v.thumbnail {
		k.thumbnail = &At{at.File, at.Offset}
	}
	if v.isPart && len(k.parts) < mostParts {
		k.parts = append(k.parts, at)
		return
	}
	for _, m := range v.found {
		if len(k.found) < mostFound {
			k.found[m] = true
		} else if !k.found[m] {
			k.more++
		}
	}
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
	if found && err == nil {
		v, err = j.judge(&c)
	}
	if err != nil {
		return v, false, err
	}
	j.verdicts.Add(at, v)
	return v, true, nil
}

// judge judges a capture; a part as if the whole were not there.
func (j *judging) judge(c *store.Capture) (v verdict, err error) {
	v.thumbnail, v.isPart = strings.HasPrefix(c.URL, thumbnailOf), c.IsPart()
	if !v.isPart {
		hidden, err := j.reports.IsHidden(new(report.Parts), c)
		if hidden || err != nil {
			return v, err
		}
	}
	found, err := j.reports.Finds(c)
	v.found = j.marks(found)
	return v, err
}

// marks are those of findings, but for what is outside: that is where the operator wants it to be.
func (j *judging) marks(found []report.Found) (marks []mark) {
	for i := range found {
		if found[i].Kind != report.Outside {
			marks = append(marks, j.mark(found[i].Kind, found[i].URL))
		}
	}
	return marks
}

func (j *judging) mark(kind report.Kind, url string) mark {
	return mark{kind, maphash.String(j.seed, url)}
}
