package lately

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/report"
)

// details are the reports of pages that were asked for lately, and the pages that no follower has. What
// is made is made to its end, also where who has asked is gone: the next one finds it done.
type details struct {
	places chan struct{} // of those that are being made

	mu      *sync.Mutex
	reports *simplelru.LRU[string, *made[*report.Report]] // by ID
	found   *simplelru.LRU[string, *made[*unfollowed]]
}

// made is what was made of a view.
type made[T any] struct {
	what   T
	number int64
	at     time.Time
	took   time.Duration
}

// unfollowed is a page that no follower has.
type unfollowed struct {
	followed *pages.Followed
	page     *pages.Page
}

const (
	mostAtOnce   = 2
	mostReports  = 64
	mostFoundIDs = 8
	mostReported = 20_000 // captures that are looked at for a report; the others are pending

	// What took longer to make than quick is good for restAfter times as long, whatever comes.
	quick     = 250 * time.Millisecond
	restAfter = 10
)

func newDetails() details {
	return details{make(chan struct{}, mostAtOnce), new(sync.Mutex),
		newLRU[string, *made[*report.Report]](mostReports),
		newLRU[string, *made[*unfollowed]](mostFoundIDs)}
}

func (d *details) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reports.Purge()
	d.found.Purge()
}

// once returns what was made by a name, if it is good enough, or makes it. ctx is of who asks, and waits
// no longer for a place than that.
func once[T any](ctx context.Context, d *details, by *simplelru.LRU[string, *made[T]], name string,
	v view, anew func() (T, error)) (*made[T], error) {
	good := func() *made[T] {
		d.mu.Lock()
		defer d.mu.Unlock()
		known, found := by.Get(name)
		if found && (known.number == v.Number ||
			known.took > quick && time.Since(known.at) < restAfter*known.took) {
			return known
		}
		return nil
	}
	if known := good(); known != nil {
		return known, nil
	}
	select {
	case d.places <- struct{}{}:
		defer func() { <-d.places }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if known := good(); known != nil { // somebody has made it meanwhile
		return known, nil
	}
	began := time.Now()
	what, err := anew()
	if err != nil {
		return nil, err
	}
	one := &made[T]{what, v.Number, began, time.Since(began)}
	d.mu.Lock()
	defer d.mu.Unlock()
	by.Add(name, one)
	return one, nil
}

// find finds a page by its ID: of those that are followed, or else of all.
func (l *Lately) find(ctx context.Context, v view, id string) (*pages.Followed, *pages.Page, error) {
	if followed := v.Find(id); followed != nil {
		named, err := l.pages.PagesOf(followed)
		for i := range named {
			if named[i].ID == id {
				return followed, &named[i], nil
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	found, err := once(ctx, &l.details, l.details.found, id, v, func() (*unfollowed, error) {
		return l.walk(v, id)
	})
	if err != nil {
		return nil, nil, err
	}
	return found.what.followed, found.what.page, nil
}

// walk finds a page that no follower has, with its gaps.
func (l *Lately) walk(v view, id string) (*unfollowed, error) {
	found, err := l.pages.Find(l.context, id)
	if err != nil {
		return nil, err
	}
	for i := range found {
		page := &found[i]
		if page.ID != id {
			continue
		}
		if followed := v.Find(page.First); followed != nil {
			return &unfollowed{followed, page}, nil
		}
		gaps, err := l.Gaps(0)
		if err != nil {
			return nil, err
		}
		followed, err := l.pages.Unfollowed(l.context, page, gaps.Latest)
		return &unfollowed{followed, page}, err
	}
	return nil, ErrNoPage
}

// lacks adds what the report of the page finds. A report that is older than the view adds what it found,
// and says nothing of how much there is.
func (l *Lately) lacks(ctx context.Context, v view, answer *detail, f *pages.Followed, page *pages.Page,
	places []pages.Place) error {
	looked := places[:min(len(places), mostReported)]
	made, err := once(ctx, &l.details, l.details.reports, page.First, v, func() (*report.Report, error) {
		return l.report(f, page, looked)
	})
	if err != nil {
		return err
	}
	r := made.what
	reasons := reasonsOf(f.Lacks)
	for _, finding := range r.Findings {
		answer.Lacks = append(answer.Lacks, Lack{finding, wordsOf(&finding, reasons)})
	}
	all, lacks := 0, 0
	for kind, n := range r.Counts {
		if all += n; kind != report.Outside {
			lacks += n
		}
	}
	answer.MoreLacks = max(0, all-len(r.Findings))
	if made.number != v.Number || len(looked) < len(places) || f.Left > 0 {
		return nil
	}
	answer.Page.Pending, answer.Page.Lacks, answer.Page.Whole = 0, lacks, r.Whole
	v.doubt(&answer.Page, f)
	return nil
}

// report makes the report of a page.
func (l *Lately) report(f *pages.Followed, page *pages.Page, places []pages.Place) (*report.Report, error) {
	return l.reports.Of(l.context, *page, func(yield func(store.Capture, error) bool) {
		for c, err := range l.captures(l.context, places) {
			switch {
			case err != nil:
				yield(store.Capture{}, err)
				return
			case c != nil && !yield(*c, nil):
				return
			}
		}
	}, f.Lacks)
}
