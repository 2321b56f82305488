package replay

import (
	"context"

	"warcorder/store"
	"warcorder/store/replay/ranges"
)

// maxParts is how many captures of a key are looked at for parts. A film that a page plays piece by
// piece is thousands of ranges of one URL: where the parts among the nearest captures, of which
// maxLooked are looked at for every answer, have not all that is asked for, others may.
const maxParts = 8 * maxLooked

// versionsFor returns the versions of an entity of which there are parts, and the captures that
// they are of.
func (a *Archive) versionsFor(ctx context.Context, r *asked, c *choice) ([]version, []store.Capture,
	error) {
	captures := c.parts
	parts, err := a.partsOf(ctx, captures)
	if err != nil {
		return nil, nil, err
	}
	all := versionsOf(parts)
	if !c.more || r.isIn(all) {
		return all, captures, nil
	}
	if captures, err = a.allParts(r, c.lookup); err != nil {
		return nil, nil, err
	}
	if parts, err = a.partsOf(ctx, captures); err != nil {
		return nil, nil, err
	}
	return versionsOf(parts), captures, nil
}

// allParts returns the parts among all captures that a lookup finds, as a choice has them.
func (a *Archive) allParts(r *asked, l *lookup) ([]store.Capture, error) {
	s := &search{archive: a, asked: r, lookup: l}
	err := r.index.nearest(l.key, l.text, r.at, maxParts, func(c *store.Capture) bool {
		if l.takes(c) && isPart(c) {
			s.addPart(c, nearnessOf(c.URL, r.url))
		}
		return true
	})
	return s.byEntity(), err
}

// isIn reports whether one of the versions has all that is asked for.
func (r *asked) isIn(all []version) bool {
	set, wanted := r.ranges()
	for i := range all {
		v := &all[i]
		spans := []ranges.Span{{First: 0, Last: v.of - 1}}
		if wanted {
			spans = set.Of(v.end())
		}
		if (v.of > 0 || wanted && !set.FromEnd()) && v.take(spans).all {
			return true
		}
	}
	return false
}
