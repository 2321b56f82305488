// Package pages finds what people think in: the pages of a collection, and which captures each of
// them has brought about. Start with [Pages.All]; [Pages.Captures] is pages with all that belongs
// to them, [Pages.Walk] every capture with its page.
//
// Nothing of it is stored: pages follow from the timeline of the index (store.Visit), read from its
// last pause on. rules.go says what is a page, and whose resource everything else is. What imports
// have brought of the page lists of other tools is joined with that: listed.go.
//
// Invariant: the same files, and the same lists, give the same pages, with the same IDs, whoever has
// indexed them and whatever is asked for. One walk takes time in proportion to the captures that it
// passes, and memory for a fixed number of pages and URLs (rules.go), whatever requests say.
package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/readback"
)

// Page is one page as it was visited: a document with what it asked for.
type Page struct {
	// of this visit: no other page of the collection has it, unless lists of imports say so
	ID        string
	URL       string        // of the document, behind all redirects; as a list names it, if one does
	Time      time.Time     // when the document was asked for
	Capture   store.Capture // of the document
	Resources int           // captures that belong to it, without the document
	Title     string        // that a list of an import gives it; else "", and [Pages.Title] reads it

	// Lists may name several pages of one document, as scripts show them. Captures belong to the first
	// of them: this is its ID. Else it is ID.
	First  string
	Listed time.Time // that a list gives it; zero if none names it

	// Led are the URLs by whose redirects the page was come to, of those that [Pages.Find] was asked for;
	// nil where nobody has asked.
	Led []string

	// Shown is what a client shows of a document that was not modified, as [Pages.Shown] has found it;
	// nil where nobody has looked for it.
	Shown *store.Capture
}

// Belonging says to which page a capture belongs.
type Belonging struct {
	At   store.Location // where the capture lies
	Time time.Time
	Page string // ID; "" if it belongs to none

	Gap *store.Gap // what is missing, and not a capture; nil of a capture
}

// Pages are those of one collection. Its methods are safe for concurrent use, also beside a recorder.
type Pages struct {
	index *store.Bolt
	files *readback.Files
}

// New returns the pages of a collection with that index. files reads its records: for titles, and
// for the URLs of resources.
func New(index *store.Bolt, files *readback.Files) *Pages { return &Pages{index, files} }

// pause is how long nothing is captured before everything is forgotten: what follows belongs to no
// page that lies before.
const pause = time.Hour

// All gives the pages of a time, as the From and To of a store.Query say it, in the order of time.
func (p *Pages) All(ctx context.Context, from, to string) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		err := p.all(ctx, from, to, func(page Page) bool { return yield(page, nil) })
		if err != nil {
			yield(Page{}, err)
		}
	}
}

// all is All with a callback, which says whether to go on.
func (p *Pages) all(ctx context.Context, from, to string, each func(Page) bool) error {
	period, err := store.NewPeriod(from, to)
	if err != nil {
		return err
	}
	w := newWalk()
	g := p.giveTo(w, each)
	g.wants = func(v *visited) bool { return period.Has(v.moment.Time) }
	err = p.walk(ctx, w, period.Begin(), func() bool {
		return g.more && (!period.After(w.now) || w.hasOpen(period) || w.waits(period))
	})
	return g.end(err)
}

// giver looks the pages of a walk up in the index, and gives them.
type giver struct {
	*Pages
	wants func(*visited) bool // nil is every page
	each  func(Page) bool     // says whether to go on
	ended []ending
	more  bool
	err   error
}

// giveTo calls each with the pages of a walk, in the order of time.
func (p *Pages) giveTo(w *walk, each func(Page) bool) *giver {
	g := &giver{Pages: p, each: each, more: true}
	w.ended = func(v *visited) {
		if g.more && (g.wants == nil || g.wants(v)) {
			g.ended = append(g.ended, ending{v.moment, v.id(), v.resources, v.listed, v.led})
		}
		if len(g.ended) == givenAtOnce || v.listed != nil { // how lists name it is known until then
			g.give()
		}
	}
	return g
}

// end gives the last pages of a walk that has ended with an error, or without.
func (g *giver) end(walked error) error {
	if g.give(); g.err != nil {
		return g.err
	}
	return walked
}

// ending is a page that has ended.
type ending struct {
	moment    store.Moment
	id        string
	resources int
	listed    *naming
	led       []string
}

// givenAtOnce is how many pages are looked up in the index at once, at most.
const givenAtOnce = 64

// give gives the pages that have ended. There is none of a visit whose capture is not in the index any
// more.
func (g *giver) give() {
	ended := g.ended
	g.ended = g.ended[:0]
	if !g.more || len(ended) == 0 {
		return
	}
	moments := make([]*store.Moment, len(ended))
	for i := range ended {
		moments[i] = &ended[i].moment
	}
	for len(ended) > 0 {
		captures, err := g.capturesOf(moments)
		if err != nil {
			g.more, g.err = false, err
			return
		}
		for i, c := range captures {
			if c == nil {
				continue
			}
			for _, page := range ended[i].pages(c) {
				if g.more = g.each(page); !g.more {
					return
				}
			}
		}
		ended, moments = ended[len(captures):], moments[len(captures):]
	}
}

// walk walks the timeline from the pause before a time on, as long as goOn says.
func (p *Pages) walk(ctx context.Context, w *walk, from time.Time, goOn func() bool) error {
	start, err := p.index.QuietBefore(ctx, from, pause)
	if err != nil {
		return err
	}
	lists, err := p.listedFrom(start)
	defer lists.stop()
	if err != nil {
		return err
	}
	w.release = lists.release
	for moment, err := range p.index.Timeline(ctx, start) {
		if err != nil {
			return err
		}
		named, err := lists.at(&moment)
		if err != nil {
			return err
		}
		w.add(&moment, named)
		if !goOn() {
			return nil
		}
	}
	w.until(w.now.Add(pause))
	w.end()
	w.until(store.FourDigitYear(time.Unix(1<<40, 0)))
	return nil
}

// pages makes the page of a visit, or those that lists name, of its capture.
func (e *ending) pages(c *store.Capture) []Page {
	page := Page{ID: e.id, URL: c.URL, Time: c.Time, Capture: *c, Resources: e.resources, First: e.id,
		Led: e.led}
	if e.listed == nil {
		return []Page{page}
	}
	pages := make([]Page, 0, len(e.listed.names))
	for i, name := range e.listed.names {
		page.URL, page.Title, page.Listed = name.url, name.title, name.time
		if i > 0 {
			page.ID = cmp.Or(name.id, idOf(&e.moment, name.url))
		}
		pages = append(pages, page)
	}
	return pages
}

// Walk gives every capture of a time with the page that it belongs to, in the order of time; but
// redirects come with the page to which they have led.
func (p *Pages) Walk(ctx context.Context, from, to string) iter.Seq2[Belonging, error] {
	return p.WalkWith(ctx, from, to, nil)
}

// WalkWith is Walk for captures and gaps: those of the time, with the pages that lack them. What was
// to be a page, and did not come, belongs to none.
func (p *Pages) WalkWith(ctx context.Context, from, to string,
	gaps []store.Gap) iter.Seq2[Belonging, error] {
	return func(yield func(Belonging, error) bool) {
		period, err := store.NewPeriod(from, to)
		more := err == nil
		w := newWalk()
		w.belongs = func(m *store.Moment, to *visited) {
			if !more || !period.Has(m.Time) {
				return
			}
			b := Belonging{At: m.Location, Time: m.Time}
			if to != nil {
				b.Page = to.id()
			}
			more = yield(b, nil)
		}
		w.lost.gaps = slices.SortedStableFunc(slices.Values(gaps),
			func(a, b store.Gap) int { return a.Time.Compare(b.Time) })
		w.lost.belong = func(gap *store.Gap, to *visited) {
			if !more || !period.Has(gap.Time) {
				return
			}
			b := Belonging{Time: gap.Time, Gap: gap}
			if to != nil {
				b.Page = to.id()
			}
			more = yield(b, nil)
		}
		if more {
			err = p.walk(ctx, w, period.Begin(), func() bool {
				return more && (!period.After(w.now) || w.waits(period))
			})
		}
		if err != nil && (more || w.now.IsZero()) {
			yield(Belonging{}, err)
		}
	}
}

// id is the ID of the page, of several that of the first. What a list has named keeps the ID that it
// has there.
func (v *visited) id() string {
	if v.named == "" && v.listed != nil {
		v.named = v.listed.names[0].id
	}
	if v.named == "" {
		v.named = idOf(&v.moment, "")
	}
	return v.named
}

// idOf makes an ID: the time, so that the page can be found, and what no other has, the hash of where
// its document lies, with the URL if other pages have the same document.
func idOf(m *store.Moment, url string) string {
	place := binary.BigEndian.AppendUint64([]byte(m.File), uint64(m.Offset))
	sum := sha256.Sum256(append(place, url...))
	return stamp(m.Time) + "-" + hex.EncodeToString(sum[:8])
}

// stamp is a time as YYYYMMDDhhmmss.
func stamp(t time.Time) string { return t.UTC().Format("20060102150405") }

// timeOfID returns the time in an ID. It is false for what is none.
func timeOfID(id string) (at string, is bool) {
	at, sum, found := strings.Cut(id, "-")
	return at, found && len(at) == 14 && len(sum) == 16 &&
		strings.Trim(at, "0123456789") == "" && strings.Trim(sum, "0123456789abcdef") == ""
}
