package removing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/removal"
	"warcorder/store/selection"
)

// Chosen is the Choose of a Wish that is for a selection.
func Chosen(ctx context.Context, sel selection.Selection) func(*store.Bolt, *readback.Files) (
	removal.Order, error) {
	return func(index *store.Bolt, files *readback.Files) (removal.Order, error) {
		if err := sel.Check(); err != nil {
			return removal.Order{}, err
		}
		if sel.Page != "" {
			return ofPages(ctx, sel, index, files)
		}
		return ofQueries(ctx, sel, index)
	}
}

// ofPages is the order for a selection by page. What was no capture is of no page.
func ofPages(ctx context.Context, sel selection.Selection, index *store.Bolt,
	files *readback.Files) (removal.Order, error) {
	all := pages.New(index, files)
	one, url := exact{meant: spelling(sel.Page)}, exactly(sel)
	ids, err := pageIDs(ctx, sel.Page, all, &one)
	if err != nil {
		return removal.Order{}, err
	}
	listed, err := hasAny(queriesOf(sel))
	source := selection.New(index, files, all)
	each := func(page string, yield func(*store.Capture) bool) error {
		of := sel
		of.Page = page
		for c, err := range source.Captures(ctx, of) {
			if err == nil && !c.Needed {
				err = readable(&c.Capture, index)
			}
			if err != nil {
				return err
			}
			if !c.Needed && (c.URL == "" || url.meets(c.URL)) && !yield(&c.Capture) {
				return nil
			}
		}
		return nil
	}
	return removal.Order{
		Page:   one.meant,
		Listed: func(uri string, at time.Time) bool { return url.is(uri) && listed(uri, at) },
		In:     func(name string) bool { return isOf(sel, name) },
		Alike:  func() []string { return append(one.alike, url.alike...) },
		Captures: func(yield func(*store.Capture) bool) error {
			for i, more := 0, true; i < len(ids) && more; i++ {
				err := each(ids[i], func(c *store.Capture) bool {
					more = yield(c)
					return more
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}, err
}

// readable returns an error for a capture of a page of which nothing is known though its file is there.
func readable(c *store.Capture, index *store.Bolt) error {
	if file, _ := index.File(c.File); c.URL != "" || file.Missing {
		return nil
	}
	return fmt.Errorf("%s is damaged at byte %d, where a part of the page lies: put it right, or remove by "+
		"--url", c.File, c.Offset)
}

// pageIDs are the IDs of the pages that are meant by an ID or a URL. All pages of a URL are found by it.
func pageIDs(ctx context.Context, idOrURL string, all *pages.Pages, one *exact) (ids []string, err error) {
	found, err := all.Find(ctx, idOrURL)
	for _, page := range found {
		if page.ID == idOrURL || one.is(page.Capture.URL) || slices.ContainsFunc(page.Led, one.is) ||
			one.meets(met(&page)) {
			ids = append(ids, page.ID)
		}
	}
	if len(ids) > 0 && len(ids) == len(found) {
		return []string{idOrURL}, err
	}
	return ids, err
}

// met is the URL by which a page was found: its own, or the one that has led to it.
func met(page *pages.Page) string {
	own, _ := canon.SURT(page.Capture.URL)
	for _, url := range page.Led {
		if key, _ := canon.SURT(url); key != own {
			return url
		}
	}
	return page.URL
}

// isChain reports whether it is the certificates of an origin. They are recorded once, and belong to all
// captures of that origin: whoever chooses by time or by file alone does not mean them.
func isChain(c *store.Capture) bool { return strings.HasPrefix(c.URL, record.ChainURN) }

// ofQueries is the order for any other selection.
func ofQueries(ctx context.Context, sel selection.Selection, index *store.Bolt) (removal.Order, error) {
	if err := routed(sel.URL); err != nil {
		return removal.Order{}, err
	}
	queries, one := queriesOf(sel), exactly(sel)
	in := func(name string) bool { return isOf(sel, name) }
	has, err := hasAny(queries)
	if err != nil {
		return removal.Order{}, err
	}
	return removal.Order{
		Has:        func(uri string, at time.Time) bool { return one.is(uri) && has(uri, at) },
		Alike:      func() []string { return one.alike },
		In:         in,
		Files:      len(sel.Files) > 0,
		Everywhere: sel.URL != "",
		Captures: func(yield func(*store.Capture) bool) error {
			for _, q := range queries {
				err := index.Captures(q, func(c *store.Capture) bool {
					stays := sel.URL == "" && isChain(c) || !in(c.File)
					return ctx.Err() == nil && (stays || !one.meets(c.URL) || yield(c))
				})
				if err = cmp.Or(err, ctx.Err()); err != nil {
					return err
				}
			}
			for _, q := range aboutHost(sel) {
				err := index.Captures(q, func(c *store.Capture) bool {
					return ctx.Err() == nil && (!in(c.File) || !has(c.URL, c.Time) || yield(c))
				})
				if err = cmp.Or(err, ctx.Err()); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil
}

// isOf reports whether a selection selects captures of a file.
func isOf(sel selection.Selection, file string) bool {
	return len(sel.Files) == 0 || slices.Contains(sel.Files, file)
}

// queriesOf are the queries that together select what a selection does that is not by page: but for
// those of aboutHost. What is about a page, its picture or its text, goes with the page's URL.
func queriesOf(sel selection.Selection) []store.Query {
	q := store.Query{URL: sel.URL, Match: sel.Match, From: sel.From, To: sel.To, All: true}
	queries := []store.Query{q}
	exact := sel.Match == store.Exact || sel.Match == ""
	if sel.URL == "" || !exact && sel.Match != store.Prefix {
		return queries
	}
	named := sel.URL
	if exact {
		named = spelling(named)
	}
	for _, uri := range record.URIsAbout(named) {
		of := q
		of.URL = uri
		queries = append(queries, of)
	}
	if exact {
		q.Match = store.AnyBody
		queries = append(queries, q)
	}
	return queries
}

// aboutHost are the queries that find whatever is about a page, for a selection of a host or a domain:
// the key of a picture does not begin with the host of its page, so that all of them are looked at.
func aboutHost(sel selection.Selection) (queries []store.Query) {
	if sel.URL == "" || !slices.Contains([]store.Match{store.Host, store.Domain, store.Ports}, sel.Match) {
		return nil
	}
	for _, begin := range record.URIsAbout("") {
		queries = append(queries, store.Query{URL: begin, Match: store.Prefix, From: sel.From, To: sel.To,
			All: true})
	}
	return queries
}

// hasAny reports whether one of the queries selects what was asked of a URL by a GET, or the page that
// it is about.
func hasAny(queries []store.Query) (func(uri string, at time.Time) bool, error) {
	var all []func(*store.Capture) bool
	for _, q := range queries {
		selects, err := q.Selects()
		if err != nil {
			return nil, err
		}
		all = append(all, selects)
	}
	has := func(uri string, at time.Time) bool {
		key, _ := canon.SURT(uri)
		c := store.Capture{URL: uri, URLKey: key, Time: at.UTC()}
		return slices.ContainsFunc(all, func(selects func(*store.Capture) bool) bool { return selects(&c) })
	}
	return func(uri string, at time.Time) bool {
		of, about := record.CutAbout(uri)
		return has(uri, at) || about && has(of, at)
	}, nil
}
