// Package delta is what has come to a collection since lines of it were exported last: the lines of
// new captures, and lines that say which of the earlier ones are void. Start with [Begin].
//
// What was exported is a [Token]: the names of the files and how far each was committed, and of those
// from which something was removed, what tells one state of them from another. No number of the index is
// in it: after a rebuild it means the same.
//
// A delta is sorted as an export is. Beside lines of captures, which are as those of an export, it has
//
//	!removed TS {"filename":"X.warc.gz","unlisted":"3"}
//	key TS {"url":"…","digest":"…","filename":"X.warc.gz","removed":"2026-11-24T20:18:06Z"}
//	key TS {…all of the line…,"removed":"whole"}
//
// The first says that all earlier lines of a file are void: it was written anew by a removal (TS is when),
// or it is gone (0). Those that still hold come again, with the places that they have now. So whoever
// keeps lines by file needs nothing else. unlisted is how many captures went of which nothing is known,
// since the removal was to forget them.
//
// The second says of one capture that was removed that its line is void, for those who keep lines by URL
// and time: it stands where the line of a GET did. What was posted is known no more, so that the key of
// another method is that of its URL. What is still there of the same key and second comes again; and so
// do the parts of that key, whose whole may be what was removed.
//
// The third says of the line of a part that is void since the whole has come: see store/parts.go. The
// key of such a line is the URL key; in the order of another key there are none of the second and third.
//
// Invariant: a Token says exactly what was written: captures that are committed while a delta is written
// come with the next one, and none twice. Memory is bounded: lines that are void are sorted on the disk
// when there are many; of each removed capture 16 bytes are kept, of four million at most.
package delta

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/extsort"
	"warcorder/store/holdings"
)

// ErrOther says that a token is of another collection.
var ErrOther = errors.New("the token is of another collection: it names files, and this collection has " +
	"none of them; to begin anew, give an empty token")

// ErrChanged says that what is taken up again is not there any more.
var ErrChanged = errors.New("the collection has changed while its lines were written: run this again")

// Ask says what is wanted.
type Ask struct {
	Since Token
	Until *Token // nil: what there is; else what an earlier Delta has begun to write

	// Finished leaves out what has come to files that are still written: it comes when they are finished.
	Finished bool

	// Ends are those that were read for an earlier Delta of the collection; nil: none were.
	Ends *Ends
}

// Done is what was written.
type Done struct {
	store.Exported `json:"-"`

	Removed   int64 `json:"removed"`   // lines of captures that were removed
	Unlisted  int64 `json:"unlisted"`  // captures that were removed and have no line
	Rewritten int   `json:"rewritten"` // files that were written anew
	Gone      int   `json:"gone"`      // files that are gone
}

// Delta is what has come since a token.
type Delta struct {
	ends    *Ends
	reading collection.Reading
	index   *store.Bolt
	query   store.Query
	now     Token
	done    Done
	sorter  extsort.Sorter // lines that say what is void
	void    *extsort.Lines
}

// Begin finds out what has come, of the captures that q selects; its Since is not looked at. Once its
// Context is done, nothing is asked of object storage any more. The Delta must be closed.
func Begin(dir collection.Dir, index *store.Bolt, q store.Query, ask Ask) (*Delta, error) {
	d := &Delta{ends: ask.Ends, reading: dir.Reading(), index: index, query: q}
	if d.ends == nil {
		d.ends = NewEnds(holdings.New(dir))
	}
	d.sorter.Dir = index.TempDir
	err := d.begin(ask)
	if err == nil {
		d.void, err = d.sorter.Sorted()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Delta) begin(ask Ask) error {
	now, err := d.tokenNow(ask)
	if err != nil {
		return err
	}
	if ask.Until != nil {
		if !now.follows(ask.Until) {
			return ErrChanged
		}
		now = ask.Until.clone()
	}
	d.now = now
	return d.compare(ask.Since)
}

// Token is what is written when the Delta is.
func (d *Delta) Token() Token { return d.now }

// IsEmpty reports whether there is nothing to write.
func (d *Delta) IsEmpty() bool { return d.query.Since.IsEmpty() && !d.void.More() }

// Close removes what is kept of the Delta.
func (d *Delta) Close() error { return d.sorter.Close() }

// Write writes the lines, as Export does. If something was removed meanwhile, the error is
// store.ErrReplaced.
func (d *Delta) Write(w io.Writer, progress func(lines int64)) (Done, error) {
	merged := newMerger(w, d.void)
	var err error
	d.done.Exported, err = d.index.Export(merged, d.query, progress)
	if err == nil {
		err = merged.end()
	}
	d.done.Lines += merged.void
	if err == nil && !d.reading.IsSame() {
		err = store.ErrReplaced
	}
	return d.done, err
}

// compare says what is to be selected, by what there was and what there is.
func (d *Delta) compare(since Token) error {
	selected := &store.Since{Files: make(map[string]store.Stretch, len(d.now.files))}
	d.query.Since = selected
	known := 0
	for i := range d.now.files {
		f := &d.now.files[i]
		old := since.find(f.name)
		stretch := store.Stretch{To: f.committed}
		switch {
		case old == nil:
		case f.follows(old):
			stretch.From = old.committed
		default:
			stretch.Again = true
			if err := d.rewritten(f, old); err != nil {
				return fmt.Errorf("read what was removed from %s: %w", f.name, err)
			}
		}
		if old != nil {
			known++
		}
		selected.Files[f.name] = stretch
	}
	if known == 0 && len(since.files) > 0 {
		return ErrOther
	}
	return d.missing(since)
}

// missing adds the lines of the files that are gone.
func (d *Delta) missing(since Token) error {
	for i := range since.files {
		if name := since.files[i].name; d.now.find(name) == nil {
			d.done.Gone++
			if err := d.addFile(name, "", 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// addFile adds the line that says that all earlier lines of a file are void.
func (d *Delta) addFile(name, removed string, unlisted int64) error {
	line := append([]byte("!removed "), cmp.Or(seconds(removed), "0")...)
	return d.sorter.Add(appendFile(append(line, ' '), name, unlisted))
}
