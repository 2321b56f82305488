// Package pushing gives others what is new of a collection, by token: an index server the lines, a table
// its parts. Start with [Push], which does so once, or [Feeds], which do so beside a recording. Who reads
// the index, and what is said of it, is their caller's.
//
// Invariant: what a token file says was given is there, and was answered for; what breaks off is given
// again, at least once, to the same lines and parts. Of one token file one push is at work, in whatever
// process. Nobody who records waits for a push: it reads as all readers do, in slices that stand back.
package pushing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

// Source writes the lines of what has come to the collection. It calls began with the token of what it
// writes before the first line comes.
type Source func(ctx context.Context, w io.Writer, ask delta.Ask, began func(delta.Token)) (delta.Done, error)

// ErrRemoved is the error of a Source of which something was removed while it wrote.
var ErrRemoved = errors.New("something was removed from the collection while its lines were written")

// ErrAtWork is the error of a Push whose token file another one has.
var ErrAtWork = errors.New("another push is at work")

// Push is what is given to whom.
type Push struct {
	Target Target
	Source Source
	Kept   string          // the token file: what was given, and what was begun
	Mode   collection.Mode // of it, and of parts in a directory

	// Finished leaves out what lies in files that are still written.
	Finished bool

	Name    string // of the collection, as a table says it
	Version string // of warcorder
	TempDir string // for temporary files; "" is the system's

	Sent  func(Sent)       // is told what was given, after each delta
	Stale func(why string) // is told why the target has what is not there any more, at once

	asOf time.Time // all that was captured before was given; zero if that is not known
}

// Sent is what was given.
type Sent struct {
	Lines   int64 // that were added, or written
	Deleted int64 // lines that were deleted

	LeftOut map[string]int64 // lines that were not given, by why not
	Before  int64            // lines that were there before, of a push that broke off
	Digests int64            // lines that were given without their digest

	Parts, Dropped int // parts of a table that were written, and that were taken away
}

// Hold lets one push at a time have a token file: of two, the older one might add what the other has
// deleted already. The error wraps ErrAtWork.
func (p *Push) Hold() (release func() error, err error) {
	release, err = collection.Hold(p.Kept + ".lock")
	if errors.Is(err, collection.ErrLocked) {
		err = fmt.Errorf("%w with %s: run this again when it has ended", ErrAtWork, p.Kept)
	}
	return release, err
}

// Run gives all that is new. The token file is the caller's: see Hold.
func (p *Push) Run(ctx context.Context) error {
	began := time.Now()
	p.asOf = p.AsOf()
	if err := p.run(ctx); err != nil {
		return err
	}
	return p.allBefore(began)
}

func (p *Push) run(ctx context.Context) error {
	if p.Target.server != nil {
		s := indexServer{Push: p, server: p.Target.server}
		return s.all(ctx)
	}
	t := table{Push: p}
	return t.all(ctx)
}

// AsOf is when all that had been captured was given; zero if that is not known. It is the time of the
// token file.
func (p *Push) AsOf() time.Time {
	at, err := pushedAt(p.Kept)
	info, statErr := os.Stat(p.Kept)
	if cmp.Or(err, statErr) != nil || at.since.IsZero() {
		return time.Time{}
	}
	return info.ModTime()
}

// allBefore notes that all was given that was captured before a time.
func (p *Push) allBefore(t time.Time) error {
	if p.Finished { // open files may have something that is as old as what was given before
		return nil
	}
	p.asOf = t
	err := os.Chtimes(p.Kept, t, t)
	if errors.Is(err, fs.ErrNotExist) { // nothing was ever given
		return nil
	}
	return err
}

// isEmpty reports whether there is nothing to give.
func (p *Push) isEmpty(ctx context.Context, ask func(context.Context, delta.Ask) (bool, error)) (bool, error) {
	at, err := pushedAt(p.Kept)
	if err != nil || at.until != nil {
		return false, err
	}
	return ask(ctx, delta.Ask{Since: at.since, Finished: p.Finished})
}

// keep writes the token file, whose time stays.
func (p *Push) keep(at pushed) error {
	if err := at.keep(p.Kept, p.Mode); err != nil {
		return err
	}
	return os.Chtimes(p.Kept, p.asOf, p.asOf) // a zero time changes nothing
}

// lines has the source write lines until ctx ends.
func (p *Push) lines(ctx context.Context, w io.Writer, ask delta.Ask, began func(delta.Token)) (
	delta.Done, error) {
	return p.Source(ctx, untilEnd{ctx, w}, ask, began)
}

// untilEnd is a writer that has an error when a context ends.
type untilEnd struct {
	ctx context.Context
	out io.Writer
}

func (w untilEnd) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.out.Write(b)
}

// isChanged reports whether something was removed while lines were given: the token file says of which.
func isChanged(err error) bool {
	return errors.Is(err, ErrRemoved) || errors.Is(err, store.ErrReplaced) || errors.Is(err, delta.ErrChanged)
}
