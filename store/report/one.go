package report

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"warcorder/store"
	"warcorder/store/pages"
)

// Of returns the report of a page of whose captures and gaps its caller knows which they are. It says
// what Each says of it, and looks at nothing else: no more of the index is read than the captures of
// the URLs of which a part is there.
func (r *Reports) Of(ctx context.Context, page pages.Page, captures iter.Seq2[store.Capture, error],
	gaps []store.Gap) (report *Report, err error) {
	w := work{Reports: r, chosen: map[string]bool{page.First: true}}
	w.found.Dir, w.found.Memory = r.TempDir, r.memory
	w.told.Dir, w.told.Memory = r.TempDir, r.memory
	defer func() { err = errors.Join(err, w.found.Close(), w.told.Close()) }()
	if err := w.addPage(&page); err != nil {
		return nil, err
	}
	var parts Parts
	for c, err := range captures {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.judgeOne(&parts, page.First, &c)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range gaps {
		if err := w.addGap(page.First, &gaps[i]); err != nil {
			return nil, err
		}
	}
	var total Total
	if err := w.collect(ctx, &total); err != nil {
		return nil, err
	}
	err = w.tell(ctx, func(told *Report) error {
		report = told
		return nil
	})
	return report, err
}

func (w *work) judgeOne(parts *Parts, page string, c *store.Capture) error {
	hidden, err := w.IsHidden(parts, c)
	if hidden || err != nil {
		return err
	}
	return w.judge(page, c)
}

// Parts are captures that may be parts of something, and of which it was looked up whether the whole
// is there. The zero value is ready.
type Parts struct{ hidden map[part]bool }

// part is what decides whether the whole is there.
type part struct {
	urlKey string
	entity uint32
	whole  bool
}

// mostParts is how many Parts look up. Others are told, whether the whole is there or not: a page has
// so many of them only if it is made for that.
const mostParts = 4096

// IsHidden reports whether a capture is not looked at: it says that another is still good, or the
// whole is there of what it is a part of.
func (r *Reports) IsHidden(parts *Parts, c *store.Capture) (bool, error) {
	if c.Status == http.StatusNotModified || !c.IsPart() {
		return c.Status == http.StatusNotModified, nil
	}
	key := part{c.URLKey, c.Entity, c.Whole}
	if hidden, known := parts.hidden[key]; known || len(parts.hidden) >= mostParts {
		return hidden, nil
	}
	query := store.Query{URL: c.URL, From: second(c.Time), To: second(c.Time)}
	if query.Check() != nil {
		return false, nil
	}
	found := false
	err := r.index.Replayable(query, func(other *store.Capture) bool {
		found = other.Location == c.Location
		return !found
	})
	if parts.hidden == nil {
		parts.hidden = make(map[part]bool)
	}
	parts.hidden[key] = !found
	return !found, err
}

// Found is what Finds finds: the kind of a finding, with the URL under which it counts.
type Found struct {
	Kind Kind
	URL  string
}

// Finds returns what is wrong with a capture that is not hidden: what Each counts of it. Two of one
// kind and URL count once.
func (r *Reports) Finds(c *store.Capture) ([]Found, error) {
	found, err := r.judged(c)
	return foundOf(found), err
}

// FindsGap is Finds for a gap.
func (r *Reports) FindsGap(g *store.Gap) ([]Found, error) {
	f, err := r.gapFound(g)
	if f == nil || err != nil {
		return nil, err
	}
	return foundOf([]finding{*f}), nil
}

func foundOf(all []finding) (found []Found) {
	for i := range all {
		found = append(found, Found{all[i].kind, cut(all[i].url, maxURL)})
	}
	return found
}
