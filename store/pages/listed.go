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
// URL, the title and the ID of the list; it is several pages if lists name several URLs of it, which
// differ in their fragments as a rule: of one URL it is the first. A redirect is none: the document to
// which it has led is.
const listedWithin = time.Hour

// The bounds of what is remembered of lists: of the pages whose captures are still to come, and of
// those that are open. Of more within 2*listedWithin the later ones are derived like all others.
const (
	maxListed      = 65536    // pages
	maxListedBytes = 16 << 20 // of their IDs, URLs and titles
)

// place is where a capture lies.
type place struct {
	file   string
	offset int64
}

// name is how a list names a page.
type name struct {
	id, url, title string
	time           time.Time
}

// size is how many bytes of memory a name takes beside what each does.
func (n *name) size() int { return len(n.id) + len(n.url) + len(n.title) }

// naming is how lists name the pages of one capture, in the order of the lists. No URL is there twice.
type naming struct {
	names []name
	urls  map[string]bool // of names, if there are several
	at    time.Time       // of the capture
}

// add adds a name, unless one of its URL is there, and reports whether it did.
func (n *naming) add(named name) bool {
	switch len(n.names) {
	case 0:
	case 1:
		n.urls = map[string]bool{n.names[0].url: true}
		fallthrough
	default:
		if n.urls[named.url] {
			return false
		}
		n.urls[named.url] = true
	}
	n.names = append(n.names, named)
	return true
}

// listed are the pages of lists, while a walk comes to them.
type listed struct {
	*Pages
	next  func() (pagelist.Page, error, bool)
	stop  func()
	page  pagelist.Page // the next one, unless ended
	ended bool
	known map[place]*naming
	count int       // names that are remembered, until release
	bytes int       // that these take
	swept time.Time // when those were last gone through that the walk has passed
}

// listedFrom returns the pages of lists for a walk that begins at a time. stop must be called.
func (p *Pages) listedFrom(from time.Time) (*listed, error) {
	l := &listed{Pages: p, known: map[place]*naming{}}
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

// at returns how lists name the capture which comes next on the walk; nil if they do not.
func (l *listed) at(m *store.Moment) (*naming, error) {
	for !l.ended && l.page.Time.Sub(m.Time) <= listedWithin {
		if err := l.settle(); err != nil {
			return nil, err
		}
		if err := l.read(); err != nil {
			return nil, err
		}
	}
	at := place{m.File, m.Offset}
	named := l.known[at]
	delete(l.known, at)
	if l.isFull() && m.Time.Sub(l.swept) >= listedWithin {
		l.forget(m.Time)
	}
	return named, nil
}

func (l *listed) isFull() bool { return l.count >= maxListed || l.bytes >= maxListedBytes }

// settle finds the capture of the page that was read.
func (l *listed) settle() error {
	c, found, err := l.CaptureNear(&l.page)
	if err != nil || !found || l.isFull() {
		return err
	}
	at := place{c.File, c.Offset}
	if l.known[at] == nil {
		l.known[at] = &naming{at: c.Time}
	}
	named := name{l.page.ID, l.page.URL, l.page.Title, l.page.Time}
	if l.known[at].add(named) {
		l.count++
		l.bytes += named.size()
	}
	return nil
}

// release says that names are not needed any more.
func (l *listed) release(n *naming) {
	l.count -= len(n.names)
	for i := range n.names {
		l.bytes -= n.names[i].size()
	}
}

// forget forgets what the walk has passed: captures that are in no timeline.
func (l *listed) forget(now time.Time) {
	l.swept = now
	for at, named := range l.known {
		if named.at.Before(now) {
			l.release(named)
			delete(l.known, at)
		}
	}
}

// mostNear is how many captures of a URL are looked at for a page of a list.
const mostNear = 16

// CaptureNear returns the capture that a page of a list is.
func (p *Pages) CaptureNear(page *pagelist.Page) (near store.Capture, found bool, err error) {
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

// findListed returns the pages that lists have given that ID, in the order of time.
func (p *Pages) findListed(ctx context.Context, id string) (found []Page, err error) {
	var first, last time.Time
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
		c, is, err := p.CaptureNear(&page)
		if err != nil {
			return nil, err
		}
		if is && (first.IsZero() || c.Time.Before(first)) {
			first = c.Time
		}
		if is && c.Time.After(last) {
			last = c.Time
		}
	}
	if first.IsZero() {
		return nil, nil
	}
	err = p.all(ctx, stamp(first), stamp(last), func(page Page) bool {
		if page.ID == id {
			found = append(found, page)
		}
		return true
	})
	return found, err
}
