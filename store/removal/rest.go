package removal

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pagelist"
	"warcorder/store/pages"
	"warcorder/store/warc"
)

// addRest adds what goes beside the archive. What an age alone has chosen is there for as long as the
// captures, and so are exports and former indexes: nobody can tell what these hold.
func (p *Plan) addRest(ctx context.Context) error {
	if len(p.work) == 0 && p.order.Aged {
		return nil
	}
	found, err := p.dir.Leftovers()
	if err != nil {
		return err
	}
	if err := errors.Join(p.addTorn(ctx, found.Torn), p.countOthers(ctx)); err != nil {
		return err
	}
	if p.IsEmpty() {
		return nil
	}
	for _, path := range append(found.Exports, found.Indexes...) {
		p.Rest = append(p.Rest, p.within(path))
	}
	for _, path := range found.Others {
		p.Unread = append(p.Unread, p.within(path))
	}
	return p.addUnknown()
}

// addUnknown adds the WARC files that the index does not know: somebody has put them there since the
// collection was opened.
func (p *Plan) addUnknown() error {
	entries, err := os.ReadDir(p.dir.Archive())
	for _, entry := range entries {
		name := entry.Name()
		_, known := p.index.File(name)
		if !known && collection.IsWARC(name) && p.isIn(store.File{Name: name}) {
			p.Unread = append(p.Unread, p.within(p.dir.WARC(name)))
		}
	}
	return err
}

// addTorn adds the copies of damage that go.
func (p *Plan) addTorn(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if _, of := collection.StateOf(filepath.Base(path)); p.order.In != nil && !p.order.In(of) {
			continue
		}
		names, records, err := p.torn(ctx, path)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && names:
			p.Rest = append(p.Rest, p.within(path))
		case err != nil || records == 0:
			p.Unread = append(p.Unread, p.within(path))
		}
	}
	return nil
}

// within is a path as seen from the collection's directory.
func (p *Plan) within(path string) string {
	within, err := filepath.Rel(string(p.dir), path)
	if err != nil {
		return path // which isRest refuses
	}
	return filepath.ToSlash(within)
}

// torn reports whether a copy of what was cut goes, as far as its records can be read: if one of them
// does, or, by age, if all do.
func (p *Plan) torn(ctx context.Context, path string) (has bool, records int, err error) {
	opened, err := collection.OpenRegular(path)
	if err != nil {
		return false, 0, err
	}
	defer opened.Close()
	reader, err := warc.NewForeignReader(heed(ctx, opened), path, 0)
	if errors.As(err, new(*warc.Damage)) {
		return false, 0, nil
	}
	for err == nil {
		var record *warc.Record
		if record, err = reader.Next(); err == nil {
			records++
			at, _ := warc.ParseDate(record.Header.Get("WARC-Date"))
			if has = p.goes(record.TargetURI(), at); has != p.order.Aged {
				return has, records, nil
			}
		} else if errors.As(err, new(*warc.Damage)) {
			_, _, err = reader.Resync()
		}
		err = cmp.Or(ctx.Err(), err)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return has, records, err
}

// goes reports whether a record of that URI and date would go.
func (p *Plan) goes(uri string, at time.Time) bool {
	if p.order.Has != nil && p.order.Has(uri, at) {
		return true
	}
	return p.gone.keys[sourceKey(uri, at.UTC().Truncate(time.Microsecond))]
}

// Check returns ErrAgain if a capture that was committed since the Plan was made is a revisit that needs
// what goes, or names it. Of one that cannot be read it returns the error.
func (p *Plan) Check(c *store.Capture) error {
	if !c.IsRevisit() || !p.gone.isLike(c.Digest) {
		return nil
	}
	record, err := p.readers.Record(c.Location)
	if err != nil {
		return err
	}
	h := record.Header
	if err := record.Close(); err != nil {
		return err
	}
	if _, is, err := p.needOf(c, h); err != nil || !is {
		return err
	}
	return ErrAgain
}

// GoesGap reports whether a gap goes, since it names what goes. One of a file or a connection stays.
func (p *Plan) GoesGap(g *store.Gap) bool {
	return strings.Contains(g.URL, "://") && (p.named(g.URL, g.Time) || p.gone.follows(g))
}

// named reports whether a URL is named by what goes, at that time if times were chosen. A gap and an
// imported page are of no file: where files were chosen they go if a capture of the URL goes. Where
// nothing goes but captures, as with pages, it is the URL and time of one.
func (p *Plan) named(url string, at time.Time) bool {
	if p.order.Has == nil {
		return p.gone.keys[sourceKey(url, at.UTC().Truncate(time.Microsecond))]
	}
	return url != "" && p.order.Has(url, at) && (!p.order.Files || p.gone.urls[hashOf(url)])
}

// gapWithin is how long behind the beginning of a capture a gap may be that tells how it ended.
const gapWithin = time.Hour

// follows reports whether a gap comes so soon behind a capture of its URL that goes.
func (g *gone) follows(gap *store.Gap) bool {
	return slices.ContainsFunc(g.times[hashOf(gap.URL)], func(begin time.Time) bool {
		return !gap.Time.Before(begin) && gap.Time.Sub(begin) <= gapWithin
	})
}

// countOthers counts the gaps and the pages of imports that go.
func (p *Plan) countOthers(ctx context.Context) error {
	gaps, err := p.index.Gaps(store.MaxGaps)
	for i := range gaps.Latest {
		if p.GoesGap(&gaps.Latest[i]) {
			p.Gaps++
		}
	}
	all := pages.New(p.index, p.readers)
	for page, err2 := range pagelist.All(p.dir, time.Time{}, time.Time{}) {
		goes := false
		if err = errors.Join(err, err2, ctx.Err()); err == nil {
			goes, err = p.goesPage(all, &page)
		}
		if err != nil {
			return err
		}
		if goes {
			p.Pages++
		}
	}
	return err
}
