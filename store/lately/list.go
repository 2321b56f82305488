package lately

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"warcorder/store/pages"
)

// Page is a page as it is told.
type Page struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Time      string `json:"ts"`               // RFC 3339, in UTC, with microseconds
	Size      int64  `json:"size"`             // bytes that its captures take in the files
	Resources int    `json:"resources"`        // captures, without the document
	Lacks     int    `json:"lacks"`            // as its report counts
	Pending   int    `json:"pending"`          // captures and gaps that lacks does not count yet
	Open      bool   `json:"open"`             // something has come lately, or is still on its way
	Loading   int    `json:"loading"`          // requests that go on, and may be its
	Whole     bool   `json:"whole"`            // nothing lacks, and nothing may lack
	Unsure    string `json:"unsure,omitempty"` // why something may: paused, crash, gaps
	Thumbnail *At    `json:"thumbnail"`        // nil: there is none
}

// openFor is how long a page counts as open after the last capture.
const openFor = 30 * time.Second

const timeLayout = "2006-01-02T15:04:05.000000Z"

func stamp(t time.Time) string { return t.UTC().Format(timeLayout) }

// The bounds of an answer.
const (
	usualPages = 50
	mostPages  = 200
	mostBytes  = 4 << 20 // of URLs; a page more may come
	mostSought = 1000    // pages that are looked at for a word
	mostPauses = 16      // behind which an answer looks for more pages
)

// list is the answer to List.
type list struct {
	Pages  []Page  `json:"pages"`
	Next   *string `json:"next"` // where older ones begin; nil: there are none
	Now    string  `json:"now"`
	Looked int     `json:"looked"`           // at so many pages: with a text most need not have it
	Behind bool    `json:"behind,omitempty"` // the collection is still being gone through
}

// List answers with the newest pages, the newest first.
func (l *Lately) List() http.Handler {
	return handler(func(ctx context.Context, r *http.Request) (any, error) {
		ask, err := asked(r)
		if err != nil {
			return nil, err
		}
		return l.list(ctx, ask)
	})
}

// ask is what is asked for.
type ask struct {
	limit  int
	before *cursor
	text   string // in lower case
}

// cursor is the last page that was given: as its time in microseconds, and its ID behind a dot.
type cursor struct {
	time time.Time
	id   string
}

func (c *cursor) String() string { return strconv.FormatInt(c.time.UnixMicro(), 10) + "." + c.id }

func asked(r *http.Request) (a ask, err error) {
	form := r.URL.Query()
	a.limit, a.text = usualPages, strings.ToLower(form.Get("text"))
	if text := form.Get("limit"); text != "" {
		if a.limit, err = strconv.Atoi(text); err != nil || a.limit < 1 {
			return a, refused("limit is a number of pages, 1 or more")
		}
	}
	a.limit = min(a.limit, mostPages)
	if text := form.Get("before"); text != "" {
		at, id, found := strings.Cut(text, ".")
		micros, err := strconv.ParseInt(at, 10, 64)
		if err != nil || !found {
			return a, refused("before is the next of an earlier answer: leave it out to begin with the newest")
		}
		a.before = &cursor{time.UnixMicro(micros), id}
	}
	return a, nil
}

// list makes an answer.
func (l *Lately) list(ctx context.Context, a ask) (*list, error) {
	v, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	answer := &list{Pages: []Page{}, Now: stamp(time.Now()), Behind: v.Behind}
	b := builder{Lately: l, ask: a, answer: answer, after: a.before}
	for pauses := 0; ; pauses++ {
		more, err := b.add(ctx, v)
		if err != nil || !more || v.Behind {
			return answer, err
		}
		if pauses == mostPauses {
			answer.Next = b.next()
			return answer, nil
		}
		if v, more, err = l.earlier(v); err != nil || !more {
			return answer, err
		}
	}
}

// builder adds pages to an answer.
type builder struct {
	*Lately
	ask
	answer *list
	after  *cursor // the last page that was looked at
	bytes  int
	sought int
}

// add adds pages of a view, and reports whether there is room for more.
func (b *builder) add(ctx context.Context, v view) (more bool, err error) {
	for i := b.start(v); i >= 0; i-- {
		followed := v.At(i)
		made, err := b.pages.PagesOf(followed)
		if err != nil {
			return false, err
		}
		for _, page := range slices.Backward(made) {
			if err := b.page(ctx, v, followed, &page); err != nil {
				return false, err
			}
		}
		b.after = &cursor{followed.Time(), followed.ID()}
		b.sought++
		b.answer.Looked += len(made)
		if len(b.answer.Pages) >= b.limit || b.bytes >= mostBytes || b.sought >= mostSought {
			b.answer.Next = b.next()
			return false, nil
		}
	}
	return true, nil
}

func (b *builder) next() *string {
	if b.after == nil {
		return nil
	}
	text := b.after.String()
	return &text
}

// start is the number of the next page to look at.
func (b *builder) start(v view) int {
	if b.after == nil {
		return v.Len() - 1
	}
	last := v.Search(b.after.time)
	for i := last; i >= 0 && v.At(i).Time().Equal(b.after.time); i-- {
		if v.At(i).ID() == b.after.id {
			return i - 1
		}
	}
	return last // it is gone
}

// page adds one, if it has the text.
func (b *builder) page(ctx context.Context, v view, followed *pages.Followed, page *pages.Page) error {
	title, err := b.title(ctx, *page)
	if err != nil {
		return err
	}
	if b.text != "" && !strings.Contains(strings.ToLower(page.URL), b.text) &&
		!strings.Contains(strings.ToLower(title), b.text) {
		return nil
	}
	told, err := b.told(ctx, v, followed, page)
	if err != nil {
		return err
	}
	told.Title = title
	b.answer.Pages = append(b.answer.Pages, told)
	b.bytes += len(told.URL)
	return nil
}

// told is a page without its title.
func (l *Lately) told(ctx context.Context, v view, f *pages.Followed, page *pages.Page) (Page, error) {
	s, err := l.judging.state(ctx, v, f)
	told := Page{ID: page.ID, URL: page.URL, Time: stamp(page.Time), Size: f.Bytes,
		Resources: page.Resources, Lacks: s.Lacks, Pending: s.Pending, Whole: s.Whole,
		Thumbnail: s.Thumbnail}
	v.doubt(&told, f)
	return told, err
}

// refusal is an error of who has asked.
type refusal string

func (r refusal) Error() string { return string(r) }

func refused(why string) error { return refusal(why) }

// handler answers in JSON what answer returns, errors included.
func handler(answer func(context.Context, *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, err := answer(r.Context(), r)
		status := http.StatusOK
		if err != nil {
			said, status = map[string]string{"error": err.Error()}, http.StatusInternalServerError
			switch err.(type) {
			case refusal:
				status = http.StatusBadRequest
			case missing:
				status = http.StatusNotFound
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		_ = out.Encode(said) // else who has asked is gone
	})
}

// ErrNoPage is the error of a page that is asked for, and is none.
const ErrNoPage = missing("this page is not in the collection: it was removed, or never recorded")

// missing says that there is no such page.
type missing string

func (m missing) Error() string { return string(m) }
