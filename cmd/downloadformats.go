package cmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"warcorder/cmd/packing"
	"warcorder/store"
	"warcorder/store/copying"
	"warcorder/store/extract"
	"warcorder/store/har"
	"warcorder/store/selection"
)

// cdxj writes lines of the index: those that export writes, or of a page those of all that belongs to
// it and of the originals that it needs.
func (d *downloads) cdxj(got *download) error {
	sel := got.sel
	if sel.Page == "" {
		_, err := got.index.Export(got.out, store.Query{URL: sel.URL, Match: sel.Match, From: sel.From,
			To: sel.To}, nil)
		return err
	}
	var line []byte
	for c, err := range got.source.Captures(got.ctx, sel) {
		if err != nil {
			return err
		}
		line = append(c.AppendCDXJ(line[:0]), '\n')
		if _, err := got.out.Write(line); err != nil {
			return err
		}
	}
	return got.source.Check()
}

// wacz writes a WACZ.
func (d *downloads) wacz(got *download) error {
	rules, err := d.rules.json()
	if err != nil {
		return err
	}
	p := packing.Package{
		Source: got.source, Selection: got.sel, Software: "warcorder " + version, Created: time.Now(),
		Rules: rules, TempDir: got.source.TempDir, OneWay: true,
	}
	report, err := p.Write(got.ctx, got.out, got.name)
	got.lacks = report.Away.Number + report.Orphans.Number
	return err
}

// warc writes the records as one file, whichever files they lie in: gzip members one behind the other.
func (d *downloads) warc(got *download) (err error) {
	plan, err := copying.Make(got.ctx, got.source, got.sel, copying.Options{
		Name: func(n int) string { return fmt.Sprintf("%s-%05d.warc.gz", got.name, n+1) },
	})
	if err != nil {
		return err
	}
	defer plan.Close()
	if plan.Captures == 0 {
		return extract.ErrNothing
	}
	report, err := plan.Copy(got.ctx, copying.Into{
		Open:   func(string, int64) (io.WriteCloser, error) { return oneFile{got.out}, nil },
		Placed: func(*selection.Chosen, store.Location) error { return nil },
	})
	got.lacks = report.Away.Number + report.Orphans.Number
	return err
}

// oneFile is a file that goes on when one that is written into it ends.
type oneFile struct{ io.Writer }

func (oneFile) Close() error { return nil }

// har writes a HAR. One that lacks what could not be read would look whole, and is broken off: the
// command writes it, and says what it lacks.
func (d *downloads) har(got *download) error {
	ctx, end := context.WithCancelCause(got.ctx)
	defer end(nil)
	done, err := har.Write(ctx, got.out, got.source, got.sel, har.Options{
		Version: version,
		LeftOut: func(left *har.LeftOutError) { end(left) },
	})
	if done.LeftOut > 0 && got.ctx.Err() == nil {
		return context.Cause(ctx)
	}
	return err
}
