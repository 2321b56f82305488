package lately

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"warcorder/recorder/feed"
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
	Lacks     []Lack     `json:"lacks"`     // no more than report.MostFindings
	MoreLacks int        `json:"moreLacks"` // beside these
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
	Size      *int64 `json:"size"`   // of the body as it came; nil if that cannot be read
	Length    int64  `json:"length"` // of the gzip member
	Took      *int64 `json:"ms"`     // nil: not known any more
	Stored    string `json:"stored"` // response, revisit, resource, metadata
	Truncated bool   `json:"truncated"`

	// Completion says why the recorder asked for it itself: part or cut.
	Completion string `json:"completion,omitempty"`

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
	mostTold      = 1000 // gaps
)

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
		answer.Gaps = append(answer.Gaps, Gap{"gap", stamp(g.Time), g.URL, feed.HostOf(g.URL), g.Reason, g.Detail})
	}
	return answer, l.lacks(ctx, v, answer, followed, page, places)
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
	bytes, done, asides := 0, 0, l.ours.asides()
	for c, err := range l.captures(ctx, places[:min(len(places), l.mostExchanges)]) {
		if err != nil {
			return 0, err
		}
		if done++; c != nil {
			x := l.exchange(c)
			x.Completion = asides.of(l.files, c)
			answer.Exchanges = append(answer.Exchanges, x)
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
		Host: feed.HostOf(c.URL), Method: cmp.Or(c.Method, http.MethodGet), Status: c.Status, MIME: c.MIME,
		Length: c.Length, Stored: "response", Truncated: c.Truncated, At: At{c.File, c.Offset}}
	body := l.bodies.of(l.files, c)
	x.Size = body.size
	switch {
	case c.IsRevisit():
		x.Stored, x.MIME = "revisit", body.mime
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
