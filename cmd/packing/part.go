package packing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"warcorder/store"
	"warcorder/store/copying"
	"warcorder/store/selection"
	"warcorder/store/wacz"
)

// part writes one WACZ.
func (p *Package) part(ctx context.Context, report *Report, s *share, out io.Writer, what string) (
	part wacz.Part, err error) {
	w := wacz.New(out, p.settings())
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := p.fill(ctx, report, w, s, what); err != nil {
		return part, err
	}
	return w.Finish()
}

// fill adds pages and records, side by side: what takes long is to inflate the ones, and to read,
// hash and write the others. Pages whose texts must fit come before, and those of a recorder that may
// end before all of them have come.
func (p *Package) fill(ctx context.Context, report *Report, w *wacz.Writer, s *share,
	what string) error {
	tell := func(count int64) { p.Progress("pages", count, -1) }
	if p.mustFit() || p.OneWay && p.Source.IsBeside() {
		if err := p.pages(ctx, report, w, s, tell); err != nil {
			return err
		}
		return p.copy(ctx, report, w, s, what)
	}
	var copied atomic.Bool
	group, within := errgroup.WithContext(ctx)
	group.Go(func() error {
		return p.pages(within, report, w, s, func(count int64) {
			if copied.Load() { // copy tells how far it has come until then
				tell(count)
			}
		})
	})
	group.Go(func() error {
		defer copied.Store(true)
		return p.copy(within, report, w, s, what)
	})
	err := group.Wait()
	return cmp.Or(p.Source.Check(), err) // copy has asked, and pages may have been read since
}

// copy adds the records.
func (p *Package) copy(ctx context.Context, report *Report, w *wacz.Writer, s *share,
	what string) error {
	total := s.plan.Bytes()
	done, err := s.plan.Copy(ctx, p.into(w, func(done int64) { p.Progress(what, min(done, total), total) }))
	report.copied(done)
	return err
}

// copied adds what became of a plan.
func (r *Report) copied(done copying.Report) {
	r.Orphans.Number += done.Orphans.Number
	if r.Orphans.First == nil {
		r.Orphans.First = done.Orphans.First
	}
	r.Away.Add(done.Away)
	r.Damaged.Add(done.Damaged)
}

// into is where the records of a part go.
func (p *Package) into(w *wacz.Writer, progress func(done int64)) copying.Into {
	return copying.Into{
		Open: func(name string, _ int64) (io.WriteCloser, error) {
			archive, err := w.Archive(name)
			return unclosed{archive}, err
		},
		Placed: func(c *selection.Chosen, at store.Location) error {
			placed := c.Capture
			placed.Location = at
			cookie, err := p.cookieOf(c)
			if err != nil {
				return err
			}
			return w.Capture(&placed, cookie)
		},
		Progress: progress,
	}
}

// unclosed is what is ended by whoever has begun it. What is copied is read straight into its buffers.
type unclosed struct{ io.Writer }

func (u unclosed) ReadFrom(in io.Reader) (int64, error) { return io.Copy(u.Writer, in) }

func (unclosed) Close() error { return nil }

// cookieOf returns the Cookie field of the request of a capture, if it is wanted.
func (p *Package) cookieOf(c *selection.Chosen) (string, error) {
	if !p.Cookies {
		return "", nil
	}
	request, err := p.Source.Files().Request(&c.Capture)
	if isLacking(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return cookieIn(request.Head), request.Close()
}

// maxCookie is how many bytes of cookies of one request stand in the index.
const maxCookie = 16 << 10

// cookieIn returns the values of the Cookie fields in a head.
func cookieIn(head []byte) string {
	var all []byte
	for line := range bytes.Lines(head) {
		name, value, is := bytes.Cut(line, []byte(":"))
		if !is || !bytes.EqualFold(bytes.TrimSpace(name), []byte("Cookie")) {
			continue
		}
		if len(all) > 0 {
			all = append(all, "; "...)
		}
		all = append(all, bytes.TrimSpace(value)...)
	}
	if len(all) > maxCookie {
		return ""
	}
	return string(all)
}
