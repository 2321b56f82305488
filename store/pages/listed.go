package pages

import (
	"context"
	"iter"
	"net/http"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/pagelist"
)

// Imports bring lists of pages that other tools have named (package pagelist). A page of a list is
// the capture of its URL that is nearest to its time, within listedWithin: those tools take the time
// when a page was opened, or was done. That capture is a page whatever the rules say, and has the
// title and the ID of the list. A redirect is none: the document to which it has led is.
const listedWithin = time.Hour

// maxListed is how many pages of lists wait for the walk to come to them. Of more within
// 2*listedWithin the later ones are derived like all others.
const maxListed = 65536

// place is where a capture lies.
type place struct {
	file   string
	offset int64
}

// listed are the pages of lists, while a walk comes to them.
type listed struct {
	*Pages
	next  func() (pagelist.Page, error, bool)
	stop  func()
	page  pagelist.Page // the next one, unless ended
	ended bool
	known map[place]*pagelist.Page
	times map[place]time.Time // of the captures
	swept time.Time           // when those were last gone through that the walk has passed
}

// listedFrom returns the pages of lists for a walk that begins at a time. stop must be called.
func (p *Pages) listedFrom(from time.Time) (*listed, error) {
	l := &listed{Pages: p}
	if !from.IsZero() {
		from = from.Add(-listedWithin)
	}
	l.next, l.stop = iter.Pull2(pagelist.All(p.files.Dir(), from, time.Time{}))
	return l, l.read()
}

// read reads the next page. Its text is not needed.
func (l *listed) read() error {
	page, err, more := l.next()
	page.Text = ""
	l.page, l.ended = page, !more || err != nil
	return err
}

// at returns the page of a list that a capture is, which comes next on the walk; nil if it is none.
func (l *listed) at(m *store.Moment) (*pagelist.Page, error) {
	for !l.ended && l.page.Time.Sub(m.Time) <= listedWithin {
		if err := l.settle(); err != nil {
			return nil, err
		}
		if err := l.read(); err != nil {
			return nil, err
		}
	}
	at := place{m.File, m.Offset}
	page := l.known[at]
	delete(l.known, at)
	delete(l.times, at)
	if len(l.known) >= maxListed && m.Time.Sub(l.swept) >= listedWithin {
		l.forget(m.Time)
	}
	return page, nil
}

// settle finds the capture of the page that was read.
func (l *listed) settle() error {
	c, found, err := l.captureNear(&l.page)
	if err != nil || !found || len(l.known) >= maxListed {
		return err
	}
	if l.known == nil {
		l.known, l.times = make(map[place]*pagelist.Page), make(map[place]time.Time)
	}
	at := place{c.File, c.Offset}
	if l.known[at] == nil {
		page := l.page
		l.known[at], l.times[at] = &page, c.Time
	}
	return nil
}

// forget forgets what the walk has passed: captures that are in no timeline.
func (l *listed) forget(now time.Time) {
	l.swept = now
	for at, when := range l.times {
		if when.Before(now) {
			delete(l.known, at)
			delete(l.times, at)
		}
	}
}

// mostNear is how many captures of a URL are looked at for a page of a list.
const mostNear = 16

// captureNear returns the capture that a page of a list is.
func (p *Pages) captureNear(page *pagelist.Page) (near store.Capture, found bool, err error) {
	key, ok := canon.SURT(page.URL)
	if !ok {
		return near, false, nil
	}
	err = p.index.Nearest(store.URLKey, key, page.Time, mostNear, func(c *store.Capture) bool {
		if c.Time.Sub(page.Time).Abs() > listedWithin {
			return false
		}
		redirects := c.Status/100 == 3 && c.Status != http.StatusNotModified
		if found = !redirects && c.Method == ""; found {
			near = *c
		}
		return !found
	})
	return near, found, err
}

// findListed returns the pages that lists have given that ID.
func (p *Pages) findListed(ctx context.Context, id string) (found []Page, err error) {
	for page, err := range pagelist.All(p.files.Dir(), time.Time{}, time.Time{}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if page.ID != id {
			continue
		}
		c, is, err := p.captureNear(&page)
		if err != nil {
			return nil, err
		}
		if !is {
			continue
		}
		at := stamp(c.Time)
		err = p.all(ctx, at, at, func(page Page) bool {
			if page.ID == id {
				found = append(found, page)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		return found, nil
	}
	return found, nil
}
