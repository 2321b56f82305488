package selection

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"warcorder/store/extsort"
	"warcorder/store/pages"
)

// Pages gives the pages of a selection, in the order of time: those whose document is selected.
func (s *Source) Pages(ctx context.Context, sel Selection) iter.Seq2[pages.Page, error] {
	return func(yield func(pages.Page, error) bool) {
		if err := sel.Check(); err != nil {
			yield(pages.Page{}, err)
			return
		}
		if s.asked != nil {
			s.asked.pages(ctx, sel, yield)
			return
		}
		h, err := s.here(sel, Detail{})
		if err != nil {
			yield(pages.Page{}, err)
			return
		}
		for page, err := range h.pages(ctx) {
			if err == nil && !h.has(&page.Capture) {
				continue
			}
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// Title returns the title of a page, from its HTML; "" if it has none.
func (s *Source) Title(ctx context.Context, page pages.Page) (string, error) {
	return s.pages.Title(ctx, page)
}

// Text returns the text that a list of an import gives a page; "" if none does.
func (s *Source) Text(page pages.Page) (string, error) { return s.pages.Text(page) }

// pages gives the pages that may be selected.
func (h *here) pages(ctx context.Context) iter.Seq2[pages.Page, error] {
	if h.sel.Page == "" {
		return h.source.pages.All(ctx, h.sel.From, h.sel.To)
	}
	return func(yield func(pages.Page, error) bool) {
		found, err := h.source.pages.Find(ctx, h.sel.Page)
		if err != nil {
			yield(pages.Page{}, err)
			return
		}
		for _, page := range found {
			if !yield(page, nil) {
				return
			}
		}
	}
}

// gatherPages sorts the captures of the pages that are named.
func (h *here) gatherPages(ctx context.Context) error {
	found, err := h.source.pages.Find(ctx, h.sel.Page)
	if err != nil {
		return err
	}
	for r, err := range h.source.pages.Captures(ctx, found) {
		if err == nil && h.has(&r.Capture) {
			err = h.addSelected(&r.Capture, r.Page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// join sorts all captures anew, each with its page. They are brought together by their places: in
// the order of which neither the captures come nor what is known of pages.
func (h *here) join(ctx context.Context) (err error) {
	placed, belongings := h.newSorter(), h.newSorter()
	defer func() { err = errors.Join(err, placed.Close(), belongings.Close()) }()
	numbers := make(map[string]uint32, len(h.choice.Files))
	for i, f := range h.choice.Files {
		numbers[f.Name] = uint32(i)
	}
	var line []byte
	h.captures(ctx, func(c Chosen, failed error) bool {
		line = appendPlace(line[:0], numbers[c.File], c.Offset)
		err = errors.Join(failed, placed.Add(c.Append(line)))
		return err == nil
	})
	if err != nil {
		return err
	}
	for b, err := range h.source.pages.Walk(ctx, h.sel.From, h.sel.To) {
		number, known := numbers[b.At.File]
		if err == nil && known && b.Page != "" { // a file that came since is none of the choice
			line = appendPlace(line[:0], number, b.At.Offset)
			err = belongings.Add(append(line, b.Page...))
		}
		if err != nil {
			return err
		}
	}
	if err := h.sorted.sorter.Close(); err != nil {
		return err
	}
	h.sorted = sorted{sorter: *h.newSorter()}
	h.streams = false
	return h.merge(placed, belongings)
}

// placeSize is how many bytes of a line are a place.
const placeSize = 4 + 8

func appendPlace(dst []byte, file uint32, offset int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(dst, file), uint64(offset))
}

// merge sorts captures that come by their places, each with the page that stands at its place.
func (h *here) merge(placed, belongings *extsort.Sorter) error {
	captures, err := placed.Sorted()
	if err != nil {
		return err
	}
	pages, err := belongings.Sorted()
	if err != nil {
		return err
	}
	for ; captures.More(); err = captures.Next() {
		if err != nil {
			return err
		}
		line, err := captures.Text()
		if err != nil {
			return err
		}
		if len(line) < placeSize {
			return errChosen
		}
		c, err := Decode(line[placeSize:])
		if err != nil {
			return err
		}
		if c.Page, err = pageAt(pages, line[:placeSize]); err != nil {
			return err
		}
		if err := h.sorted.add(&c); err != nil {
			return err
		}
	}
	return err
}

// pageAt goes to a place, and returns the page there.
func pageAt(pages *extsort.Lines, place []byte) (string, error) {
	for pages.More() {
		head := pages.Head()
		switch order := bytes.Compare(head[:min(len(head), placeSize)], place); {
		case order > 0:
			return "", nil
		case order == 0:
			return string(head[placeSize:]), nil
		}
		if err := pages.Next(); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (h *here) newSorter() *extsort.Sorter {
	return &extsort.Sorter{Dir: h.source.TempDir, Memory: sorterMemory}
}

// sorterMemory is how much of what is sorted is in memory, in bytes, of each of at most three.
const sorterMemory = 8 << 20
