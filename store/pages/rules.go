package pages

import (
	"slices"
	"sort"
	"time"

	"warcorder/store"
)

// What is a page, by what store.Moment.MayBePage says of its own records:
//
//	a navigation          Sec-Fetch-Mode: navigate with Sec-Fetch-Dest: document, whatever the
//	                      status, unless it is a prefetch, redirects, or shows no document (204, a
//	                      download)
//	a document that was   prefetched or prerendered, and then seen: ahead.go
//	fetched ahead
//	a page of a list      that an import has brought (listed.go)
//	that of a service     navigate with the destination empty, and Upgrade-Insecure-Requests; unless
//	worker                it comes from a page within frameWithin: then it is taken for a frame
//	else, without these   HTML of status 200 to a GET, or a 304 to a browser that asks for a document
//	fields                (Upgrade-Insecure-Requests), unless a script asks (X-Requested-With, or an
//	                      Origin), or a browser does (User-Agent, with Accept-Language) that comes
//	                      from a page we know and either asks for no document, or within frameWithin
//	                      of that page: then it is taken for a frame
//
// Whose resource everything else is; the first that is known counts:
//
//	the whole of it       that of the latest document of its URL, if the recorder has asked for it;
//	                      of what names no page, if no other is found, that to which it belonged
//	a redirect            that of the document to which it has led, within redirectWithin
//	Referer               the latest capture of that URL; of a mere origin ("/") the latest document
//	                      of that origin, unless the request goes there too, and that document does
//	                      not keep its URL to itself (Referrer-Policy); what asks for things itself
//	                      (documents, frames, workers, styles, scripts) leads on to its page
//	its origin            the latest page of the origin of Referer: scripts change a page's URL
//	no Referer            the latest page of the same origin, unless the request goes to another
//	                      (Sec-Fetch-Site), or else the latest page of all, within aloneWithin;
//	                      nothing of what the browser asks for itself (Sec-Fetch-Site:
//	                      none)
//
// A capture belongs to no page that came after it, but for redirects.
const (
	frameWithin    = 3 * time.Second
	redirectWithin = time.Minute
	aloneWithin    = 30 * time.Second
)

// The bounds of memory. What has gone beyond them is forgotten, oldest first.
const (
	maxOpen      = 4096  // pages to which something may still belong
	maxURLs      = 65536 // URLs that lead to them
	maxRedirects = 256   // that wait for their documents
)

// visited is a page while captures may belong to it.
type visited struct {
	moment    store.Moment
	resources int
	closed    bool
	named     string   // its ID, once somebody has asked
	listed    *naming  // how lists name it; nil if none does
	led       []string // the URLs that are looked for, and have led to it
	kept      Kept     // while it is followed (follow.go)
}

// known is what leads from a URL, or an origin, to a page.
type known struct {
	page     *visited
	at       time.Time
	document bool // it is a page or a frame
	reserved bool // it keeps its URL to itself
}

// walk derives pages from captures that come in the order of time.
type walk struct {
	ended   func(*visited)                // is called with each page, in the order of time
	belongs func(*store.Moment, *visited) // and with each capture; nil is no page
	release func(*naming)                 // and with the names of each page that has ended
	leads   func(*store.Moment, *visited) // and with each redirect that has led to a page itself

	now      time.Time
	open     []*visited // in the order of time
	byURL    table[store.URLHash]
	byOrigin table[uint32]        // documents
	byPart   table[uint32]        // styles, scripts, workers
	byChance table[store.URLHash] // what belongs to a page that it does not name

	redirects []redirect
	ahead     ahead
	lost      lost
	work      int // redirects that were looked at, and pages that were moved
}

// redirect is a capture that waits for the document to which it has led.
type redirect struct {
	moment store.Moment
	page   *visited // to which it belongs if none comes
}

func newWalk() *walk {
	return &walk{ended: func(*visited) {}, belongs: func(*store.Moment, *visited) {},
		release: func(*naming) {}, leads: func(*store.Moment, *visited) {}}
}

// add adds the next capture, and how lists name it if they call it a page; else nil.
func (w *walk) add(m *store.Moment, listed *naming) {
	w.goTo(m.Time)
	if page := w.completes(m); page != nil && listed == nil {
		w.give(m, page)
		return
	}
	w.show(m)
	page := w.pageOf(m)
	switch {
	case listed != nil || page == nil && m.MayBePage():
		page = w.begin(m)
		page.listed = listed
		w.follow(m.URL, page, w.leads)
		w.belongs(&page.moment, page)
		w.know(m, page)
	case m.Next != 0 && mayLead(m):
		w.wait(m, page)
	case !w.prefetch(m, page):
		w.follow(m.URL, page, func(*store.Moment, *visited) {})
		w.give(m, page)
		w.know(m, page)
	}
}

// goTo goes to the time of the next capture.
func (w *walk) goTo(t time.Time) {
	w.until(t)
	if !w.now.IsZero() && t.Sub(w.now) >= pause {
		w.end()
	}
	w.now = t
	w.expire()
}

// completes returns the page whose document a capture brings again without being shown, as a recorder
// does for the whole of what broke off; else nil.
func (w *walk) completes(m *store.Moment) *visited {
	if m.Traits&store.Aside == 0 {
		return nil
	}
	if k := w.byURL.get(m.URL); k != nil && k.document {
		return k.page
	}
	return nil
}

// give lets a capture belong to a page; nil is none.
func (w *walk) give(m *store.Moment, page *visited) {
	if page != nil {
		page.resources++
	}
	w.belongs(m, page)
}

// begin begins a page.
func (w *walk) begin(m *store.Moment) *visited {
	if len(w.open) >= maxOpen {
		w.close(len(w.open) - maxOpen/2)
	}
	page := &visited{moment: *m}
	w.open = append(w.open, page)
	return page
}

// close ends the oldest n pages.
func (w *walk) close(n int) {
	if n > 0 {
		w.forgoBefore(w.open[n-1].moment.Time)
	}
	for _, page := range w.open[:n] {
		page.closed = true
		w.ended(page)
		if page.listed != nil { // what has led to the page still knows it, and must not keep its names
			page.named = page.id()
			w.release(page.listed)
			page.listed = nil
		}
	}
	w.work += len(w.open)
	w.open = slices.Delete(w.open, 0, n)
}

// end ends all pages, and forgets everything.
func (w *walk) end() {
	for len(w.redirects) > 0 {
		w.settle()
	}
	w.forgoBefore(w.now)
	w.close(len(w.open))
	w.byURL, w.byOrigin, w.byPart = table[store.URLHash]{}, table[uint32]{}, table[uint32]{}
	w.byChance = table[store.URLHash]{}
}

// hasOpen reports whether a page of that period is open.
func (w *walk) hasOpen(period store.Period) bool {
	at := sort.Search(len(w.open), func(i int) bool { return !period.Before(w.open[i].moment.Time) })
	return at < len(w.open) && !period.After(w.open[at].moment.Time)
}

// waits reports whether a capture waits that may be of that period.
func (w *walk) waits(period store.Period) bool {
	return len(w.redirects) > 0 && !period.After(w.redirects[0].moment.Time) ||
		len(w.ahead.waiting) > 0 && !period.After(w.ahead.waiting[0].moments[0].Time)
}

// pageOf returns the page whose resource a capture is; nil if there is none, or if it is a page
// itself.
func (w *walk) pageOf(m *store.Moment) *visited {
	if m.MayBePage() && !w.isFrame(m) {
		return nil
	}
	k, isExact := w.refers(m)
	if isExact {
		return k.page
	}
	var page *visited
	if k != nil {
		page = k.page
	} else if page = w.alone(m); page == nil && m.Traits&store.Aside != 0 && m.Site != store.SiteNone {
		page = w.before(m) // perhaps it is the whole, for which the recorder has asked later
	}
	if page != nil {
		w.byChance.put(m.URL, known{page: page, at: m.Time})
	}
	return page
}

// before returns the page to which what names none belonged the last time; nil if it did to none.
func (w *walk) before(m *store.Moment) *visited {
	if k := w.byChance.get(m.URL); k != nil && m.Time.Sub(k.at) < pause {
		return k.page
	}
	return nil
}

// isFrame reports whether a document that may be a page is taken for a part of one.
func (w *walk) isFrame(m *store.Moment) bool {
	if m.Dest == store.DestDocument || m.Traits&(store.Told|store.Browser) == 0 {
		return false
	}
	k, _ := w.refers(m)
	switch {
	case k == nil:
		return false
	case m.Traits&store.Upgrades == 0:
		return true
	}
	return k.document && m.Time.Sub(k.at) < frameWithin
}

// refers returns what the Referer of a capture leads to; nil if that is not known. isExact reports
// that it names that itself, and not the origin alone, of which the latest document counts.
func (w *walk) refers(m *store.Moment) (to *known, isExact bool) {
	if m.Referer == 0 {
		return nil, false
	}
	exact := w.byURL.get(m.Referer)
	if m.Traits&store.About != 0 {
		return exact, exact != nil
	}
	latest := w.byOrigin.get(m.Referer.Origin())
	isOrigin := m.Traits&store.ByOrigin != 0 ||
		m.Traits&store.AtRoot != 0 && m.Referer.Origin() != m.URL.Origin() ||
		m.Traits&store.AtRoot != 0 && latest != nil && latest.reserved
	switch {
	case exact != nil && !isOrigin:
		return exact, true
	case latest != nil:
		return latest, false
	}
	return w.byPart.get(m.Referer.Origin()), false
}

// alone returns the page of a capture whose Referer leads nowhere.
func (w *walk) alone(m *store.Moment) *visited {
	if m.Site == store.SiteNone || m.Traits&store.About != 0 || m.URL == 0 {
		return nil
	}
	if m.Site == store.SiteSameOrigin || m.Site == store.SiteUnknown {
		k := w.byOrigin.get(m.URL.Origin())
		if k != nil && m.Time.Sub(k.at) < aloneWithin {
			return k.page
		}
	}
	if len(w.open) > 0 {
		last := w.open[len(w.open)-1]
		if m.Time.Sub(last.moment.Time) < aloneWithin {
			return last
		}
	}
	return nil
}

// know notes that a capture's URL leads to a page.
func (w *walk) know(m *store.Moment, page *visited) {
	if page == nil || m.URL == 0 || m.Dest == store.DestLeaf {
		return
	}
	k := known{page, m.Time, false, m.Traits&store.Reserved != 0}
	k.document = m.Traits&store.Navigates != 0 || m.Traits&(store.Told|store.HTML) == store.HTML
	w.byURL.put(m.URL, k)
	switch {
	case k.document:
		w.byOrigin.put(m.URL.Origin(), k)
	case m.Dest != store.DestEmpty:
		w.byPart.put(m.URL.Origin(), k)
	}
}

// mayLead reports whether a redirect may lead to a document.
func mayLead(m *store.Moment) bool {
	if m.Traits&(store.Ahead|store.Scripted) != 0 {
		return false
	}
	return m.Traits&store.Told == 0 || m.Traits&store.Navigates != 0 && m.Dest == store.DestDocument
}

// wait lets a redirect wait for its document; page is that to which it belongs otherwise.
func (w *walk) wait(m *store.Moment, page *visited) {
	if len(w.redirects) >= maxRedirects {
		w.settle()
	}
	w.redirects = append(w.redirects, redirect{*m, page})
}

// expire settles the redirects, and what was fetched ahead, that have waited too long.
func (w *walk) expire() {
	for len(w.redirects) > 0 && w.now.Sub(w.redirects[0].moment.Time) >= redirectWithin {
		w.settle()
	}
	w.forgoBefore(w.now.Add(-aheadWithin))
}

// settle gives up the redirect that has waited longest.
func (w *walk) settle() {
	r := w.redirects[0]
	w.work += len(w.redirects)
	w.redirects = append(w.redirects[:0], w.redirects[1:]...)
	page := r.page
	if page != nil && page.closed {
		page = nil
	}
	w.give(&r.moment, page)
}

// follow lets the redirects that have led to a URL, through others or not, belong to a page, and
// calls each with them.
func (w *walk) follow(url store.URLHash, page *visited, each func(*store.Moment, *visited)) {
	if page == nil || url == 0 || len(w.redirects) == 0 {
		return
	}
	for targets := []store.URLHash{url}; len(targets) > 0; targets = targets[1:] {
		w.work += len(w.redirects)
		for i := 0; i < len(w.redirects); {
			r := w.redirects[i]
			if r.moment.Next != targets[0] {
				i++
				continue
			}
			w.redirects = append(w.redirects[:i], w.redirects[i+1:]...)
			w.give(&r.moment, page)
			w.know(&r.moment, page)
			each(&r.moment, page)
			targets = append(targets, r.moment.URL)
		}
	}
}
