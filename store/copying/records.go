package copying

import (
	"errors"
	"io"
	"slices"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// records copies all records of a file, one after another: of one that is no row of gzip members, or
// is too long, or whose revisits become responses.
func (c *copier) records(number int, f store.File, next *selection.Chosen) error {
	r, err := c.files.Walk(f.Name, 0)
	if errors.Is(err, io.EOF) {
		return nil
	}
	var before warc.Header
	for err == nil {
		if err = c.ctx.Err(); err != nil {
			break
		}
		if next, err = c.one(number, r, &before, next); err != nil {
			break
		}
		if err = r.Next(); errors.Is(err, io.EOF) {
			if next != nil { // the index knows of one that is no record of the file
				return &warc.Damage{File: f.Name, Offset: next.Offset, Reason: readback.ErrOther}
			}
			return nil
		}
	}
	if r != nil {
		err = errors.Join(err, r.Close())
	}
	return err
}

// one copies the record that r has come to, and returns the capture that comes next. before is the
// header of the record before it.
func (c *copier) one(number int, r *readback.Record, before *warc.Header, next *selection.Chosen) (
	*selection.Chosen, error) {
	header := slices.Clone(r.Header)
	isInfo := r.At.Offset == 0 && r.Type() == "warcinfo"
	isCapture := next != nil && next.Offset == r.At.Offset
	if isCapture && !r.IsOf(&next.Capture) {
		return nil, &warc.Damage{File: r.At.File, Offset: r.At.Offset, Reason: readback.ErrOther}
	}
	at, err := r.End()
	if err == nil && isCapture && at != next.Location {
		err = &warc.Damage{File: at.File, Offset: at.Offset, Reason: readback.ErrOther}
	}
	if err != nil {
		return nil, err
	}
	if isInfo {
		return next, c.out.room(at.File, 0, true)
	}
	mayCut := !readback.AreTogether(header, *before)
	*before = header
	if err := c.out.room(at.File, at.Length+c.renewedSize(next, isCapture), mayCut); err != nil {
		return nil, err
	}
	if !isCapture {
		_, err := c.loose(r, at)
		return next, err
	}
	placed, err := c.member(next, group{layout: r.Layout()}, at)
	if err == nil {
		err = c.placed(next, placed)
	}
	if err != nil {
		return nil, err
	}
	return c.captures.of(number)
}

// renewedSize is about how many bytes a capture grows by if it is a revisit that becomes a response.
func (c *copier) renewedSize(next *selection.Chosen, isCapture bool) int64 {
	if !c.options.NoRevisits || !isCapture || next.Original == nil {
		return 0
	}
	return next.Original.Length
}

// loose copies a record that is no capture.
func (c *copier) loose(r *readback.Record, at store.Location) (store.Location, error) {
	if r.Layout() == warc.GzipMembers {
		return c.out.append(at)
	}
	return c.compress(at)
}

func isType(text, kind string) bool { return strings.EqualFold(strings.TrimSpace(text), kind) }
