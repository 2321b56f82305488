package selection

import (
	"context"
	"errors"

	"warcorder/store"
)

// here is a choice from an index that this process reads. Captures that the index gives in order are
// streamed, and joined on the way with those that had to be sorted: of a page, of other methods than
// GET, revisits with their originals, and these.
type here struct {
	source *Source
	sel    Selection
	detail Detail
	choice *Choice

	committed map[string]int64
	files     map[string]bool             // that are selected; nil is every file
	selects   []func(*store.Capture) bool // one of them does, whatever page and files are selected

	streams bool // the index gives captures in order, beside those that are sorted
	sorted  sorted
	known   *recent // originals that have been sorted
}

// chooseHere is Choose from the index.
func (s *Source) chooseHere(ctx context.Context, sel Selection, detail Detail) (*Choice, error) {
	h, err := s.here(sel, detail)
	if err != nil {
		return nil, err
	}
	err = h.gather(ctx)
	if err == nil {
		err = h.sorted.begin()
	}
	if err == nil && detail.Pages && sel.Page == "" {
		if err = h.join(ctx); err == nil {
			err = h.sorted.begin()
		}
	}
	if err != nil {
		return nil, errors.Join(err, h.choice.close())
	}
	return h.choice, nil
}

// here begins a choice, at this moment.
func (s *Source) here(sel Selection, detail Detail) (*here, error) {
	files, err := s.index.Files()
	if err != nil {
		return nil, err
	}
	h := &here{source: s, sel: sel, detail: detail, streams: sel.Page == ""}
	h.committed = make(map[string]int64, len(files))
	for _, f := range files {
		h.committed[f.Name] = f.Committed
	}
	if len(sel.Files) > 0 {
		h.files = make(map[string]bool, len(sel.Files)) // they may be as many as the captures
		for _, name := range sel.Files {
			h.files[name] = true
		}
	}
	h.sorted.sorter, h.known = *h.newSorter(), newRecent()
	h.choice = &Choice{Files: files, captures: h.captures}
	h.choice.close = func() error { return h.sorted.sorter.Close() }
	return h, h.prepare()
}

// prepare makes what decides whether a capture is selected.
func (h *here) prepare() error {
	queries := []store.Query{h.sel.query()}
	if posted, is := h.sel.posted(); is {
		queries = append(queries, posted)
	}
	for _, q := range queries {
		selects, err := q.Selects()
		if err != nil {
			return err
		}
		h.selects = append(h.selects, selects)
	}
	return nil
}

// has reports whether a capture is selected, whatever its page.
func (h *here) has(c *store.Capture) bool {
	if !h.within(c) || h.files != nil && !h.files[c.File] {
		return false
	}
	for _, selects := range h.selects {
		if selects(c) {
			return true
		}
	}
	return false
}

// within reports whether a capture was committed when the choice was made.
func (h *here) within(c *store.Capture) bool { return c.Offset+c.Length <= h.committed[c.File] }

// gather sorts what does not come from the index in order.
func (h *here) gather(ctx context.Context) error {
	addAlone := func(c *store.Capture) error { return h.addSelected(c, "") }
	switch posted, is := h.sel.posted(); {
	case h.sel.Page != "":
		return h.gatherPages(ctx)
	case h.sel.IsAll():
		return nil
	case is:
		if err := h.each(ctx, posted, addAlone); err != nil {
			return err
		}
	}
	return h.each(ctx, h.sel.query(), func(c *store.Capture) error {
		if !c.IsRevisit() {
			return nil
		}
		return addAlone(c)
	})
}

// each calls do with the captures of a query that are selected.
func (h *here) each(ctx context.Context, q store.Query, do func(*store.Capture) error) (err error) {
	end := h.source.index.Captures(q, func(c *store.Capture) bool {
		if err = ctx.Err(); err == nil && h.has(c) {
			err = do(c)
		}
		return err == nil
	})
	return errors.Join(err, end)
}

// addSelected sorts a capture that is selected, and the original that it needs.
func (h *here) addSelected(c *store.Capture, page string) error {
	chosen := Chosen{Capture: *c, Page: page}
	original, err := h.source.files.Original(c)
	if err = h.choice.Orphans.note(err); err != nil {
		return err
	}
	if original != nil {
		chosen.Original = &original.Location
		if err := h.addNeeded(original); err != nil {
			return err
		}
	}
	return h.add(&chosen)
}

// addNeeded sorts an original, unless it comes from the index.
func (h *here) addNeeded(c *store.Capture) error {
	if h.sel.Page == "" && h.has(c) || h.known.has(c.Location) {
		return nil
	}
	return h.add(&Chosen{Capture: *c, Needed: true})
}

// add sorts a capture.
func (h *here) add(c *Chosen) error {
	if err := h.source.index.Complete(&c.Capture); err != nil {
		return err
	}
	return h.sorted.add(c)
}

// captures gives all captures, in order.
func (h *here) captures(ctx context.Context, yield func(Chosen, error) bool) {
	ended, err := false, error(nil)
	give := func(c Chosen) bool {
		err = ctx.Err()
		if err == nil && h.detail.Originals && h.streams && h.sel.IsAll() {
			err = h.tellOriginal(&c)
		}
		if err == nil {
			ended = !yield(c, nil)
		}
		return err == nil && !ended
	}
	var failed error
	if h.streams {
		failed = h.source.index.WithBodies(h.sel.query(), func(c *store.Capture) bool {
			return !h.has(c) || h.sorted.before(c, give) && h.sorted.with(c, give)
		})
	}
	if failed == nil && err == nil && !ended {
		h.sorted.rest(give)
	}
	if err = errors.Join(err, failed, h.sorted.err); err != nil && !ended {
		yield(Chosen{}, err)
	}
}

// tellOriginal tells the original of a revisit.
func (h *here) tellOriginal(c *Chosen) error {
	original, err := h.source.files.Original(&c.Capture)
	if original != nil {
		c.Original = &original.Location
	}
	return h.choice.Orphans.note(err)
}
