package pages

import (
	"context"
	"errors"
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

// findURL is Find for a URL. It walks only where that was captured, from one pause to the next, each
// of these ways once, and remembers of it the pages that it has found.
func (p *Pages) findURL(ctx context.Context, url string) (found []Page, err error) {
	key, _ := canon.SURT(url)
	isAll := false
	var walked time.Time // up to which all is found
	read := p.index.Captures(store.Query{URL: url}, func(c *store.Capture) bool {
		if err = ctx.Err(); err == nil && !c.Time.Before(walked) {
			walked, isAll, err = p.findFrom(ctx, key, c.Time, func(page Page) {
				found = append(found, page)
			})
		}
		return err == nil && !isAll
	})
	return found, errors.Join(err, read)
}

// overPause is so much longer than a pause that QuietBefore, which looks at stretches of time, takes
// it for one too.
const overPause = pause + time.Minute

// findFrom calls each with the pages of a URL key, from the pause before a visit to the next one
// behind it, which ends at the time that is returned. isAll reports that the timeline has ended.
func (p *Pages) findFrom(ctx context.Context, key string, visit time.Time, each func(Page)) (
	until time.Time, isAll bool, err error) {
	w := newWalk()
	g := p.giveTo(w, func(page Page) bool {
		if page.Capture.URLKey == key || len(page.Led) > 0 {
			each(page)
		}
		return true
	})
	w.leads = func(m *store.Moment, page *visited) {
		c, is, failed := p.index.CaptureOf(m, key)
		if err = errors.Join(err, failed); is && c.URLKey == key && !slices.Contains(page.led, c.URL) {
			page.led = append(page.led, c.URL)
		}
	}
	var last time.Time
	isAll = true
	walked := p.walk(ctx, w, visit, func() bool {
		isAll = last.Before(visit) || w.now.Sub(last) < overPause
		last = w.now
		return g.more && isAll && err == nil
	})
	return last, isAll, errors.Join(err, g.end(walked))
}
