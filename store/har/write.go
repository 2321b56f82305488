package har

import (
	"cmp"
	"context"
	"errors"
	"io"

	"warcorder/store/selection"
)

// Options say how a HAR is written. The zero Options are ready.
type Options struct {
	Version string // of the program

	// LeftOut, if it is not nil, is told of each exchange that could not be read.
	LeftOut func(*LeftOutError)

	// Progress, if it is not nil, is told how many exchanges of how many have been gone through.
	Progress func(done, total int64)
}

// Done is what was written.
type Done struct {
	Exchanges int64
	LeftOut   int64 // exchanges that could not be read
	Others    int64 // captures that were selected and are not of HTTP: answers of name servers, pictures
}

// ErrNothing says that no exchange is selected, and nothing was written.
var ErrNothing = errors.New("no exchange of HTTP is selected")

// Write writes the exchanges of a selection, in the order of their times. The error is that of the
// source or of the output: what cannot be read of a capture costs that exchange alone. It is
// store.ErrReplaced if something was removed from the collection meanwhile: most places that were found
// are none any more, and ErrNothing if there is nothing to write.
func Write(ctx context.Context, out io.Writer, source *selection.Source, sel selection.Selection,
	o Options) (done Done, err error) {
	defer func() {
		if err != nil {
			err = cmp.Or(source.Check(), err)
		}
	}()
	sorted := order{pages: newIDs()}
	sorted.sorter.Dir, sorted.sorter.Memory = source.TempDir, sorterMemory
	defer func() { err = errors.Join(err, sorted.close()) }()
	if done.Others, err = sorted.choose(ctx, source, sel); err != nil {
		return done, err
	}
	if sorted.n == 0 {
		return done, cmp.Or(source.Check(), ErrNothing)
	}
	w := NewWriter(out, source.Files())
	if err := w.Begin(o.Version); err != nil {
		return done, err
	}
	pages, err := w.writePages(ctx, source, sel, sorted.pages)
	if err != nil {
		return done, err
	}
	err = sorted.each(func(c *selection.Chosen) error {
		if !pages.has(c.Page) {
			c.Page = "" // the page itself is not selected
		}
		var left *LeftOutError
		switch err := w.Exchange(ctx, c); {
		case errors.As(err, &left):
			if err := source.Check(); err != nil {
				return err
			}
			done.LeftOut++
			if o.LeftOut != nil {
				o.LeftOut(left)
			}
		case err != nil:
			return err
		default:
			done.Exchanges++
		}
		if o.Progress != nil {
			o.Progress(done.Exchanges+done.LeftOut, sorted.n)
		}
		return nil
	})
	if err == nil {
		err = source.Check() // a swap may have put another exchange into a place, too
	}
	if err != nil {
		return done, err
	}
	return done, w.End()
}

// sorterMemory is how much of the captures that are sorted is in memory, in bytes.
const sorterMemory = 8 << 20

// choose adds the captures that are selected, and their pages, and returns how many others are not
// of HTTP.
func (o *order) choose(ctx context.Context, source *selection.Source, sel selection.Selection) (
	others int64, err error) {
	choice, err := source.Choose(ctx, sel, selection.Detail{Originals: true, Pages: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, choice.Close()) }()
	for c, err := range choice.Captures(ctx) {
		switch {
		case err != nil:
			return others, err
		case c.Needed: // its body comes with that which needs it
		case c.URL != "" && !isHTTP(&c.Capture): // without a URL it cannot be read, which is said
			others++
		default:
			if err := o.add(&c); err != nil {
				return others, err
			}
			o.pages.add(c.Page)
		}
	}
	o.pages.sort()
	return others, nil
}
