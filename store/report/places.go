package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"warcorder/store"
	"warcorder/store/extsort"
	"warcorder/store/selection"
)

// work is the work on one report.
//
// The lines of places bring captures and pages together:
//
//	file 0 offset(8)  'a'  the ID of the page to which the capture there belongs
//	                  'b'  the capture, if it is to be looked at, as package selection sorts it
//
// Those of found, findings and pages (found.go).
type work struct {
	*Reports
	selection Selection

	chosen   map[string]bool // IDs, if one page is asked for
	from, to string          // of the captures and gaps that are looked at
	period   store.Period    // of the pages

	places extsort.Sorter
	found  extsort.Sorter
	told   extsort.Sorter // reports as JSON, behind their times, since found has them by ID
	line   []byte

	unrecorded int64
}

const (
	ofPage    = 'a'
	ofCapture = 'b'
)

// before is how long before its page a redirect may have come that has led to it.
const before = time.Minute

// selectPages sorts the pages that are selected.
func (w *work) selectPages(ctx context.Context) (err error) {
	w.from, w.to = w.selection.From, ""
	if w.period, err = store.NewPeriod(w.selection.From, w.selection.To); err != nil {
		return err
	}
	if w.selection.Page == "" {
		for page, err := range w.pages.All(ctx, w.selection.From, w.selection.To) {
			if err == nil && page.ID != page.First {
				continue // its document is told of already
			}
			if err := errors.Join(err, w.addPage(&page)); err != nil {
				return err
			}
		}
		return nil
	}
	found, err := w.pages.Find(ctx, w.selection.Page)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return ErrNoPage
	}
	w.chosen = make(map[string]bool, len(found))
	w.from = second(found[0].Time.Add(-before))
	for i := range found {
		if w.chosen[found[i].First] {
			continue
		}
		w.chosen[found[i].First] = true
		if err := w.addPage(&found[i]); err != nil {
			return err
		}
	}
	return nil
}

// isAsked reports whether what belongs to a page is asked for; "" is none.
func (w *work) isAsked(page string) bool { return w.chosen == nil || w.chosen[page] }

// placeAll sorts captures and pages by place, and the gaps as findings.
func (w *work) placeAll(ctx context.Context) error {
	gaps, err := w.Gaps(0)
	if err != nil {
		return err
	}
	w.unrecorded = gaps.Counts[reasonUnrecorded]
	var last time.Time
	for b, err := range w.pages.WalkWith(ctx, w.from, w.to, gaps.Latest) {
		if err != nil {
			return err
		}
		if !w.isAsked(b.Page) {
			continue
		}
		if b.Time.After(last) { // a redirect is settled behind what came after it
			last = b.Time
		}
		if b.Gap != nil {
			err = w.addGap(b.Page, b.Gap)
		} else {
			w.line = append(appendPlace(w.line[:0], b.At), ofPage)
			err = w.places.Add(append(w.line, b.Page...))
		}
		if err != nil {
			return err
		}
	}
	query := store.Query{From: w.from, To: w.to}
	if w.chosen != nil && !last.IsZero() {
		query.To = second(last)
	}
	return w.placeCaptures(ctx, query)
}

// placeCaptures sorts the captures that are to be looked at: all but those of which the whole is
// there, and those of 304s.
func (w *work) placeCaptures(ctx context.Context, query store.Query) (err error) {
	end := w.index.Replayable(query, func(c *store.Capture) bool {
		if err = ctx.Err(); err != nil {
			return false
		}
		chosen := selection.Chosen{Capture: *c}
		chosen.RequestBody, chosen.SpecBody, chosen.WarcioJSBody = "", "", ""
		w.line = chosen.Append(append(appendPlace(w.line[:0], c.Location), ofCapture))
		err = w.places.Add(w.line)
		return err == nil
	})
	return errors.Join(err, end)
}

// appendPlace appends a place so that those of a file are sorted by offset.
func appendPlace(dst []byte, at store.Location) []byte {
	dst = append(append(dst, at.File...), 0)
	return binary.BigEndian.AppendUint64(dst, uint64(at.Offset))
}

var errSorted = errors.New("what was sorted has changed meanwhile")

// judgeAll looks at each capture that belongs to a page which is asked for.
func (w *work) judgeAll(ctx context.Context) error {
	lines, err := w.places.Sorted()
	if err != nil {
		return err
	}
	var place, page []byte
	for ; lines.More(); err = lines.Next() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		line, err := lines.Text()
		if err != nil {
			return err
		}
		name := bytes.IndexByte(line, 0)
		if name < 0 || len(line) < name+10 {
			return errSorted
		}
		kind, rest := line[name+9], line[name+10:]
		if kind == ofPage {
			place, page = append(place[:0], line[:name+9]...), append(page[:0], rest...)
			continue
		}
		if !bytes.Equal(place, line[:name+9]) {
			continue // of a page that is not asked for, or of an older version
		}
		chosen, err := selection.Decode(rest)
		if err != nil {
			return err
		}
		if err := w.judge(string(page), &chosen.Capture); err != nil {
			return fmt.Errorf("%s at %d: %w", chosen.File, chosen.Offset, err)
		}
	}
	return err
}
