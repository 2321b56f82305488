package pages

import (
	"slices"
	"sort"
	"time"

	"warcorder/store"
)

// The bounds of what waits to be shown.
const (
	aheadWithin = 10 * time.Minute // longer than browsers keep what they have fetched ahead
	maxAhead    = 1024             // captures
)

// ahead are documents that browsers have fetched ahead: prefetched, or rendered with what they ask
// for. When one is shown nothing is asked for again, so that it is a page from the first request on
// that names it, and is not made ahead itself. One that is asked for again, or for which no such
// request comes within aheadWithin, is a resource of the page that had it fetched.
type ahead struct {
	waiting []*prefetch                 // in the order of time
	known   map[store.URLHash]*prefetch // by their URLs, and those of what asks for things within them
	number  int                         // of captures that wait
}

// prefetch is a document that was fetched ahead, with what it has asked for since.
type prefetch struct {
	moments []store.Moment // the document first
	page    *visited       // that had it fetched; nil if none is known
}

// prefetch lets a capture wait if it is a document that was fetched ahead, or belongs to one. page is
// that to which it belongs otherwise.
func (w *walk) prefetch(m *store.Moment, page *visited) bool {
	if m.Traits&store.Ahead == 0 {
		return false
	}
	of := w.ahead.known[m.Referer]
	switch {
	case m.MayBeShown() && m.URL != 0:
		of = &prefetch{page: page}
		w.ahead.waiting = append(w.ahead.waiting, of)
	case m.Referer == 0 || of == nil:
		return false
	}
	w.know(m, page)
	of.moments = append(of.moments, *m)
	w.ahead.number++
	if w.ahead.known == nil {
		w.ahead.known = make(map[store.URLHash]*prefetch)
	}
	if len(of.moments) == 1 || m.URL != 0 && m.Dest != store.DestLeaf {
		w.ahead.known[m.URL] = of
	}
	for w.ahead.number > maxAhead {
		w.forgo(w.ahead.waiting[0])
	}
	return true
}

// show begins the page of a document that was fetched ahead, if a capture tells that it is seen; a
// document that is asked for again is another page.
func (w *walk) show(m *store.Moment) {
	if len(w.ahead.waiting) == 0 || m.Traits&(store.Ahead|store.About) != 0 {
		return
	}
	if again := w.ahead.known[m.URL]; again != nil && again.moments[0].URL == m.URL {
		w.forgo(again)
	}
	shown := w.ahead.known[m.Referer]
	if shown == nil || shown.moments[0].URL != m.Referer || m.Traits&store.ByOrigin != 0 {
		return
	}
	if len(w.open) >= maxOpen { // pages end then that are later
		w.forgo(shown)
		return
	}
	w.ahead.remove(shown)
	page := w.beginEarlier(&shown.moments[0])
	w.belongs(&page.moment, page)
	for i := range shown.moments {
		if i > 0 {
			w.give(&shown.moments[i], page)
		}
		now := shown.moments[i]
		now.Time = m.Time // when it is seen
		w.know(&now, page)
	}
}

// beginEarlier begins a page that is earlier than some that are open.
func (w *walk) beginEarlier(m *store.Moment) *visited {
	page := &visited{moment: *m}
	at := sort.Search(len(w.open), func(i int) bool { return w.open[i].moment.Time.After(m.Time) })
	w.open = slices.Insert(w.open, at, page)
	return page
}

// forgo gives up waiting for a document to be shown.
func (w *walk) forgo(p *prefetch) {
	w.ahead.remove(p)
	page := p.page
	if page != nil && page.closed {
		page = nil
	}
	for i := range p.moments {
		w.give(&p.moments[i], page)
	}
}

// remove removes a document from those that wait.
func (a *ahead) remove(p *prefetch) {
	at := slices.Index(a.waiting, p)
	a.waiting = slices.Delete(a.waiting, at, at+1)
	a.number -= len(p.moments)
	for i := range p.moments {
		if url := p.moments[i].URL; a.known[url] == p {
			delete(a.known, url)
		}
	}
}

// forgoBefore gives up what was fetched at a time or before.
func (w *walk) forgoBefore(t time.Time) {
	for len(w.ahead.waiting) > 0 && !w.ahead.waiting[0].moments[0].Time.After(t) {
		w.forgo(w.ahead.waiting[0])
	}
}
