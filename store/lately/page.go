package lately

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/report"
)

// detail is the answer to Page.
type detail struct {
	Page      Page       `json:"page"`
	Exchanges []Exchange `json:"exchanges"` // in the order of time
	Gaps      []Gap      `json:"gaps"`
	Lacks     []Lack     `json:"lacks"` // no more than report.MostFindings
	Notes     []Note     `json:"notes"`
	More      int        `json:"more"` // exchanges behind these
}

// Exchange is a capture of a page, as the events of a recorder tell of it.
type Exchange struct {
	Kind      string `json:"kind"`
	Time      string `json:"ts"`
	URL       string `json:"url"`
	Host      string `json:"host"`
	Method    string `json:"method"`
	Status    int    `json:"status"`
	MIME      string `json:"mime"`
	Size      *int64 `json:"size"`   // of the body in its record; nil if that cannot be read
	Length    int64  `json:"length"` // of the gzip member
	Took      *int64 `json:"ms"`     // nil: not known any more
	Stored    string `json:"stored"` // response, revisit, resource, metadata
	Truncated bool   `json:"truncated"`
	At
}

// Gap is what a page lacks since no record was made.
type Gap struct {
	Kind   string `json:"kind"`
	Time   string `json:"ts"`
	URL    string `json:"url"`
	Host   string `json:"host"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// Lack is a finding of a report, with why it is one.
type Lack struct {
	report.Finding
	Words string `json:"words"`
}

// The bounds of an answer.
const (
	mostExchanges = 2000
	mostTold      = 1000   // gaps
	mostReported  = 20_000 // captures that are looked at for what a page lacks; the others are pending
)

// details are the reports of pages that were asked for lately.
type details struct {
	mu    *sync.Mutex // is held while a report is made: one at a time
	known *simplelru.LRU[string, *reported]
}

// reported is a report with what it was made of.
type reported struct {
	number int64
	report *report.Report
	at     time.Time
	took   time.Duration
}

const (
	mostReports = 64

	// A report that took longer than quick is good for restAfter times as long, whatever comes.
	quick     = 250 * time.Millisecond
	restAfter = 10
)

func newDetails() details { return details{new(sync.Mutex), newLRU[string, *reported](mostReports)} }

// Page answers with one page.
func (l *Lately) Page() http.Handler {
	return handler(func(ctx context.Context, r *http.Request) (any, error) {
		form := r.URL.Query()
		id, offset := form.Get("id"), 0
		if id == "" {
			return nil, refused("id is missing: the ID of a page, as the list of pages has it")
		}
		if text := form.Get("offset"); text != "" {
			var err error
			if offset, err = strconv.Atoi(text); err != nil || offset < 0 {
				return nil, refused("offset is how many exchanges are passed over")
			}
		}
		return l.detail(ctx, id, offset)
	})
}

// detail makes an answer.
func (l *Lately) detail(ctx context.Context, id string, offset int) (*detail, error) {
	v, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	followed, page, err := l.find(ctx, v, id)
	if err != nil {
		return nil, err
	}
	told, err := l.told(ctx, v, followed, page)
	if err == nil {
		told.Title, err = l.title(ctx, *page)
	}
	if err != nil {
		return nil, err
	}
	answer := &detail{Page: told, Exchanges: []Exchange{}, Gaps: []Gap{}, Lacks: []Lack{}, Notes: []Note{}}
	if answer.Notes, err = l.notes(ctx, page); err != nil {
		return nil, err
	}
	places := placesOf(followed)
	if answer.More, err = l.exchanges(ctx, answer, places, offset); err != nil {
		return nil, err
	}
	for i := range followed.Lacks[:min(len(followed.Lacks), mostTold)] {
		g := &followed.Lacks[i]
		answer.Gaps = append(answer.Gaps, Gap{"gap", stamp(g.Time), g.URL, hostOf(g.URL), g.Reason, g.Detail})
	}
	return answer, l.lacks(ctx, v, answer, followed, page, places)
}

// find finds a page by its ID: of those that are followed, or else of all.
func (l *Lately) find(ctx context.Context, v view, id string) (*pages.Followed, *pages.Page, error) {
	if followed := v.Find(id); followed != nil {
		made, err := l.pages.PagesOf(followed)
		for i := range made {
			if made[i].ID == id {
				return followed, &made[i], nil
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	found, err := l.pages.Find(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	for i := range found {
		if found[i].ID != id {
			continue
		}
		if followed := v.Find(found[i].First); followed != nil {
			return followed, &found[i], nil
		}
		followed, err := l.pages.Unfollowed(ctx, &found[i], mostReported)
		return followed, &found[i], err
	}
	return nil, nil, ErrNoPage
}

// placesOf are where the captures of a page lie, in the order of time.
func placesOf(f *pages.Followed) []pages.Place {
	places := slices.Concat(f.Base, f.Tail)
	slices.SortStableFunc(places, func(a, b pages.Place) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	return places
}

// exchanges adds those from an offset on, and returns how many there are behind them.
func (l *Lately) exchanges(ctx context.Context, answer *detail, places []pages.Place,
	offset int) (more int, err error) {
	places = places[min(offset, len(places)):]
	bytes, done := 0, 0
	for c, err := range l.captures(ctx, places[:min(len(places), l.mostExchanges)]) {
		if err != nil {
			return 0, err
		}
		if done++; c != nil {
			answer.Exchanges = append(answer.Exchanges, l.exchange(c))
			bytes += len(c.URL)
		}
		if bytes >= mostBytes {
			break
		}
	}
	return len(places) - done, nil
}

// captures gives the captures at places; nil where there is none any more.
func (l *Lately) captures(ctx context.Context, places []pages.Place) iter.Seq2[*store.Capture, error] {
	return func(yield func(*store.Capture, error) bool) {
		for _, at := range places {
			c, found, err := l.pages.CaptureAt(at)
			if err == nil {
				err = ctx.Err()
			}
			one := &c
			if !found {
				one = nil
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// exchange tells of a capture.
func (l *Lately) exchange(c *store.Capture) Exchange {
	x := Exchange{Kind: "capture", Time: stamp(c.Time), URL: strings.ToValidUTF8(c.URL, "\uFFFD"),
		Host: hostOf(c.URL), Method: cmp.Or(c.Method, http.MethodGet), Status: c.Status, MIME: c.MIME,
		Length: c.Length, Stored: "response", Truncated: c.Truncated, At: At{c.File, c.Offset}}
	x.Size = l.sizes.of(l.files, c)
	switch {
	case c.IsRevisit():
		x.Stored = "revisit"
	case strings.HasPrefix(c.URL, record.NoteURN):
		x.Stored = record.Metadata
	case store.HashURL(c.URL) == 0:
		x.Stored = "resource"
	}
	if l.Took != nil {
		if ms, known := l.Took(c.File, c.Offset); known {
			x.Took = &ms
		}
	}
	return x
}

// hostOf is the host of a URL; "" if that cannot be read.
func hostOf(text string) string {
	if len(text) > 64<<10 {
		text = text[:64<<10]
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(u.Host, "\uFFFD")
}

// lacks adds what the report of the page finds.
func (l *Lately) lacks(ctx context.Context, v view, answer *detail, f *pages.Followed, page *pages.Page,
	places []pages.Place) error {
	looked := places[:min(len(places), mostReported)]
	r, err := l.report(ctx, v, f, page, looked)
	if err != nil {
		return err
	}
	for _, finding := range r.Findings {
		answer.Lacks = append(answer.Lacks, Lack{finding, words[finding.Kind]})
	}
	if len(looked) == len(places) && f.Left == 0 { // it has looked at more than a list does
		answer.Page.Pending, answer.Page.Lacks, answer.Page.Whole = 0, 0, r.Whole
		for kind, n := range r.Counts {
			if kind != report.Outside {
				answer.Page.Lacks += n
			}
		}
	}
	return nil
}

// report is the report of a page, of now or of not long ago.
func (l *Lately) report(ctx context.Context, v view, f *pages.Followed, page *pages.Page,
	places []pages.Place) (*report.Report, error) {
	l.details.mu.Lock()
	defer l.details.mu.Unlock()
	known, found := l.details.known.Get(page.First)
	if found && (known.number == v.Number ||
		known.took > quick && time.Since(known.at) < restAfter*known.took) {
		return known.report, nil
	}
	began := time.Now()
	made, err := l.reports.Of(ctx, *page, func(yield func(store.Capture, error) bool) {
		for c, err := range l.captures(ctx, places) {
			switch {
			case err != nil:
				yield(store.Capture{}, err)
				return
			case c != nil && !yield(*c, nil):
				return
			}
		}
	}, f.Lacks)
	if err != nil {
		return nil, err
	}
	l.details.known.Add(page.First, &reported{v.Number, made, began, time.Since(began)})
	return made, nil
}
