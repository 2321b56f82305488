package copying

import (
	"context"
	"errors"
	"io"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// copier is a Plan that is being copied.
type copier struct {
	*Plan
	ctx    context.Context
	into   Into
	report Report

	captures *captures
	out      output
	groups   groups
	renewer  renewer
	done     int64  // bytes that have been read
	buf      []byte // of what is read
}

// pieceSize is how much of a file is read at once, in bytes.
const pieceSize = 1 << 20

// Copy copies what was planned, once. After an error what it has opened last is not closed.
func (p *Plan) Copy(ctx context.Context, into Into) (Report, error) {
	c := &copier{Plan: p, ctx: ctx, into: into, buf: make([]byte, pieceSize)}
	c.out = output{copier: c, has: make(map[string]bool)}
	c.groups, c.renewer = groups{files: p.files}, renewer{tempDir: p.sorter.Dir}
	c.report.Orphans = p.orphans
	err := errors.Join(c.copy(), c.groups.close())
	if replaced := p.source.Check(); replaced != nil {
		err = replaced
	}
	return c.report, err
}

func (c *copier) copy() (err error) {
	if c.captures, err = c.sorted(); err != nil {
		return err
	}
	for number, f := range c.Files {
		if err := c.file(number, f); err != nil {
			return err
		}
	}
	return c.out.close()
}

// file copies what is selected of a file.
func (c *copier) file(number int, f store.File) error {
	first, err := c.captures.of(number)
	if err != nil {
		return err
	}
	whole := c.isWhole(f)
	if first == nil && !whole {
		return nil
	}
	all, err := c.files.Range(store.Location{File: f.Name, Length: f.Committed})
	if err == nil {
		err = c.opened(number, f, first, all, whole)
		return errors.Join(err, all.Close())
	}
	if !isAway(err) {
		return err
	}
	if whole && first == nil && !errors.Is(err, readback.ErrMissing) {
		return err
	}
	return c.eachOf(number, first, c.group) // each is looked for, since a part may be there
}

// opened copies what is selected of a file that is there.
func (c *copier) opened(number int, f store.File, first *selection.Chosen, all *readback.Range,
	whole bool) error {
	switch fits := c.options.Size == 0 || f.Committed <= c.options.Size; {
	case whole && fits && all.Layout == warc.GzipMembers && !c.options.NoRevisits:
		return c.whole(number, f, first, all)
	case whole:
		return c.records(number, f, first)
	}
	return c.eachOf(number, first, c.group)
}

// eachOf calls do with the captures of a file, of which first is the first.
func (c *copier) eachOf(number int, first *selection.Chosen, do func(*selection.Chosen) error) (
	err error) {
	for next := first; next != nil && err == nil; {
		if err = c.ctx.Err(); err == nil {
			err = do(next)
		}
		if err == nil {
			next, err = c.captures.of(number)
		}
	}
	return err
}

// whole copies a file as it is. Its captures are looked at where they begin and end.
func (c *copier) whole(number int, f store.File, first *selection.Chosen, all *readback.Range) error {
	if err := c.out.begin(f.Name, f.Committed); err != nil {
		return err
	}
	err := c.eachOf(number, first, func(next *selection.Chosen) error {
		if err := checkMember(all, next.Location); err != nil {
			return err
		}
		return c.placed(next, next.Location)
	})
	if err == nil {
		_, err = c.out.append(all.At())
		c.out.last = store.Location{} // that is no record
	}
	if err == nil {
		err = c.out.close()
	}
	return err
}

// placed tells of a capture that has its place.
func (c *copier) placed(next *selection.Chosen, at store.Location) error {
	c.report.Captures++
	return c.into.Placed(next, at)
}

// group copies a capture, and what belongs to it.
func (c *copier) group(next *selection.Chosen) error {
	group, err := c.groups.of(&next.Capture)
	if isAway(err) {
		c.report.Away.note(err)
		return nil
	}
	if err != nil {
		return err
	}
	if group.cut != nil {
		c.report.Away.note(group.cut)
	}
	if group.damaged != nil {
		c.report.Damaged.note(group.damaged)
	}
	if err := c.out.room(next.File, group.size+c.renewedSize(next, true), true); err != nil {
		return err
	}
	for _, member := range group.members {
		at, err := c.member(next, group, member)
		if err != nil {
			return err
		}
		if member == next.Location {
			if err := c.placed(next, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// member copies one record of a group, and returns its place.
func (c *copier) member(next *selection.Chosen, group group, member store.Location) (
	store.Location, error) {
	switch {
	case c.options.NoRevisits && member == next.Location && next.IsRevisit():
		return c.renew(next)
	case group.layout != warc.GzipMembers:
		return c.compress(member)
	}
	return c.out.append(member)
}

// isAway reports whether an error says that something is not in the collection any more.
func isAway(err error) bool { return errors.Is(err, readback.ErrMissing) }

// progress counts bytes that have been read.
func (c *copier) progress(n int64) error {
	c.done += n
	if c.into.Progress != nil {
		c.into.Progress(c.done)
	}
	return c.ctx.Err()
}

// copyTo copies a part of a file.
func (c *copier) copyTo(w io.Writer, from *readback.Range, at store.Location) error {
	n, err := io.CopyBuffer(w, &piece{c, from, at}, c.buf)
	if err == nil && n < at.Length {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// piece is the part of a file that is left to be copied.
type piece struct {
	*copier
	from *readback.Range
	at   store.Location
}

func (p *piece) Read(b []byte) (int, error) {
	if p.at.Length == 0 {
		return 0, io.EOF
	}
	n, err := p.from.ReadAt(b[:min(int64(len(b)), p.at.Length)], p.at.Offset)
	p.at.Offset, p.at.Length = p.at.Offset+int64(n), p.at.Length-int64(n)
	return n, errors.Join(err, p.progress(int64(n)))
}
