package pages

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// Find returns the pages with that ID, or else those of that URL, in the order of time: the pages
// whose document has it, and those to which it has led by redirects, since people know the URL that
// they have typed. What has its URL key is the same URL.
func (p *Pages) Find(ctx context.Context, idOrURL string) (found []Page, err error) {
	if at, is := timeOfID(idOrURL); is {
		err = p.all(ctx, at, at, func(page Page) bool {
			if page.ID == idOrURL {
				found = append(found, page)
			}
			return len(found) == 0
		})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	if found, err = p.findListed(ctx, idOrURL); err != nil || len(found) > 0 {
		return found, err
	}
	return p.findURL(ctx, idOrURL)
}

// findURL is Find for a URL: it walks along where that was captured.
func (p *Pages) findURL(ctx context.Context, url string) (found []Page, err error) {
	key, _ := canon.SURT(url)
	f := finder{Pages: p, key: key, each: func(page Page) { found = append(found, page) }}
	read := p.index.Captures(store.Query{URL: url}, func(c *store.Capture) bool {
		if c.URLKey != key {
			return true // it was posted to the URL
		}
		f.err = errors.Join(f.err, ctx.Err())
		return f.err == nil && f.visit(ctx, c.Time)
	})
	f.stop()
	return found, errors.Join(f.err, read)
}

// finder finds the pages of a URL key. It walks from the pause before a visit on, as long as visits or
// the pages that they are and lead to may come, and leaves out what lies between two pauses without one.
type finder struct {
	*Pages
	key  string
	each func(Page)
	err  error

	w     *walk
	next  func() (struct{}, bool) // goes on by a moment; false is the end
	end   func()                  // gives back what the walk holds
	until time.Time               // of the last visit, or the page to which one has led
}

// overPause is so much longer than a pause that QuietBefore, which looks at stretches of time, takes
// it for one too.
const overPause = pause + time.Minute

// visit walks until all is found that a visit is or leads to, and reports whether there is more to walk.
// Visits come in the order of time.
func (f *finder) visit(ctx context.Context, t time.Time) (more bool) {
	isNew := f.w == nil
	if isNew {
		f.start(ctx, t)
	}
	f.until = later(f.until, t)
	for more = true; more && f.w.mayBeOf(f.until); {
		last := f.w.now
		_, more = f.next()
		if more && !isNew && f.w.now.Before(t) && f.w.now.Sub(last) >= overPause {
			f.start(ctx, t) // nothing from before the pause is open
			isNew = true
		}
	}
	return more
}

// start begins to walk from the pause before a time on.
func (f *finder) start(ctx context.Context, from time.Time) {
	f.stop()
	w := newWalk()
	g := f.giveTo(w, func(page Page) bool {
		if page.Capture.URLKey == f.key || len(page.Led) > 0 {
			f.each(page)
		}
		return true
	})
	w.leads = f.led
	f.w = w
	f.next, f.end = iter.Pull(func(yield func(struct{}) bool) {
		walked := f.walk(ctx, w, from, func() bool {
			return g.more && f.err == nil && yield(struct{}{})
		})
		f.err = errors.Join(f.err, g.end(walked))
	})
}

// stop ends a walk, if one has begun.
func (f *finder) stop() {
	if f.w != nil {
		f.end()
	}
}

// led notes that a redirect has led to a page, if it is of the URL.
func (f *finder) led(m *store.Moment, page *visited) {
	c, is, err := f.index.CaptureOf(m, f.key)
	if f.err = errors.Join(f.err, err); !is || c.URLKey != f.key {
		return
	}
	if f.until = later(f.until, page.moment.Time); !slices.Contains(page.led, c.URL) {
		page.led = append(page.led, c.URL)
	}
}

// mayBeOf reports whether what comes may still concern a page from before a time: whether that has not
// passed, or such a page is open, or something waits for what it belongs to.
func (w *walk) mayBeOf(until time.Time) bool {
	return !w.now.After(until) || len(w.open) > 0 && !w.open[0].moment.Time.After(until) ||
		len(w.redirects) > 0 && !w.redirects[0].moment.Time.After(until) ||
		len(w.ahead.waiting) > 0 && !w.ahead.waiting[0].moments[0].Time.After(until)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
