package lately

import (
	"context"
	"slices"

	"warcorder/store/pages"
)

// PageAt returns the ID of the page to which the capture at a place belongs; "" if it belongs to none of
// those that are followed. It passes over the places of these, which a Follower bounds, and reads nothing.
func (l *Lately) PageAt(ctx context.Context, file string, offset int64) (id string, err error) {
	v, err := l.look(ctx)
	if err != nil {
		return "", err
	}
	is := func(at pages.Place) bool { return at.Offset == offset && at.File == file }
	for i := v.Len() - 1; i >= 0; i-- {
		page := v.At(i)
		if slices.ContainsFunc(page.Tail, is) || slices.ContainsFunc(page.Base, is) {
			return page.ID(), nil
		}
	}
	return "", nil
}
