package pages

import (
	"maps"
	"slices"

	"warcorder/store"
)

// mark is a walk as it was when the mark was made. From there it may go on, and back again: that
// takes time by what it has passed since, and by the pages that are open, and not by all that it knows.
type mark struct {
	walk walk
	open []visited
	wait []prefetch
}

// mark makes a mark. back must be called before the next one.
func (w *walk) mark() *mark {
	w.byURL.undo, w.byChance.undo = new([]undone[store.URLHash]), new([]undone[store.URLHash])
	w.byOrigin.undo, w.byPart.undo = new([]undone[uint32]), new([]undone[uint32])
	m := &mark{walk: *w}
	m.walk.open, m.walk.redirects = slices.Clone(w.open), slices.Clone(w.redirects)
	m.walk.ahead.waiting = slices.Clone(w.ahead.waiting)
	m.walk.ahead.known = maps.Clone(w.ahead.known)
	for _, page := range w.open {
		m.open = append(m.open, *page)
		page.kept.Lacks = slices.Clip(page.kept.Lacks) // others read what is settled
	}
	for _, waits := range w.ahead.waiting {
		p := *waits
		p.moments = slices.Clip(p.moments)
		m.wait = append(m.wait, p)
	}
	return m
}

// back lets the walk be as it was.
func (w *walk) back(m *mark) {
	for i, page := range m.walk.open {
		*page = m.open[i]
	}
	for i, waits := range m.walk.ahead.waiting {
		*waits = m.wait[i]
	}
	work := w.work
	*w = m.walk
	w.work = work
	w.byURL, w.byChance = w.byURL.back(), w.byChance.back()
	w.byOrigin, w.byPart = w.byOrigin.back(), w.byPart.back()
}
