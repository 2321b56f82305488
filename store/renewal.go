package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"warcorder/store/collection"
	"warcorder/store/fault"
)

// Renewal makes a new index that takes the place of one that is open for writing: without what the
// index has of some files, and without the free pages in which that would still stand. Captures are
// committed to the old index meanwhile, and read from it.
//
//	Renew   makes the new index, with the files, and begins to take down what is committed
//	Copy    copies all rows but those of the files that are left out, then what was committed
//	Fill    lets the caller commit captures to the new index: of what lies in these files now
//	Take    puts the rest into the new index and, if that is decided, lets it take the old one's place
//	Abandon removes the new index, unless it was decided
//
// What is read in more than one step, of captures or of moments, is of one index: who has read a part
// of the old one gets ErrReplaced. Who asks for one thing after another compares the removals
// ([collection.Dir.Reading]): nothing here can tell that both are of one work.
type Renewal struct {
	// Check, if it is not nil, is called with each capture that was committed to the old index since
	// Renew, before Take puts the new one into its place. An error of it ends the Renewal.
	Check func(*Capture) error

	from, to *Bolt
	path     string // of the new index
	without  map[uint32]bool
	skipped  tally // captures that were not copied
	filled   tally // captures that Fill has brought
	noted    []Capture
	ended    bool
}

// Renew begins to make a new index at path, where there is none, without the rows of these files,
// of which nothing may be committed until the Renewal has ended. The index is read by nobody else,
// and none of it is forced to disk before Take.
func (b *Bolt) Renew(path string, without []uint32) (*Renewal, error) {
	if b.resting != nil {
		return nil, ErrReadOnly
	}
	to, err := Open(path, Options{NoSync: true})
	if err != nil {
		return nil, err
	}
	r := &Renewal{from: b, to: to, path: path, without: make(map[uint32]bool)}
	for _, id := range without {
		r.without[id] = true
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	if b.renewal != nil {
		return nil, errors.Join(errors.New("the index is being made anew already"), r.discard())
	}
	if err := r.addFiles(); err != nil {
		return nil, errors.Join(err, r.discard())
	}
	b.renewal = r
	return r, nil
}

// addFiles makes the files known that the new index does not know; those that are left out as if
// nothing of them had been committed.
func (r *Renewal) addFiles() error {
	known := len(r.to.files.all())
	files := r.from.files.all()[known:]
	for i := range files {
		if r.without[files[i].ID] {
			files[i].Committed, files[i].Sealed, files[i].Remote = 0, false, nil
		}
	}
	if len(files) == 0 {
		return nil
	}
	if err := r.to.update(func(tx *bbolt.Tx) error { return putFiles(tx, files) }); err != nil {
		return err
	}
	for _, f := range files {
		if err := r.to.files.add(f); err != nil {
			return err
		}
	}
	return nil
}

// note takes captures down that were committed to the old index, whose commit lock is held.
func (r *Renewal) note(captures []Capture) {
	if r != nil {
		r.noted = append(r.noted, captures...)
	}
}

// Index is the new index, which File and Commit may be called of within Fill.
func (r *Renewal) Index() *Bolt { return r.to }

// Copy copies the rows of all files but those that are left out. The old index is read in slices,
// so that whoever commits to it waits for none of them longer than for any other reader.
func (r *Renewal) Copy(ctx context.Context) error {
	for _, name := range copied() {
		rows := rows{bucket: name, from: []byte{}}
		for !rows.done {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.copySlice(&rows); err != nil {
				return fmt.Errorf("copy the index: %w", err)
			}
			if err := r.catchUp(); err != nil {
				return err
			}
			if err := fault.At(fault.RemoveIndex); err != nil {
				return err
			}
		}
	}
	return nil
}

// catchUp commits to the new index what was committed to the old one since it was done last.
func (r *Renewal) catchUp() error {
	r.from.commit.Lock()
	noted := r.noted
	r.noted = nil
	err := r.addFiles()
	r.from.commit.Unlock()
	if err != nil {
		return err
	}
	return r.put(noted)
}

// put commits captures to the new index that were committed to the old one.
func (r *Renewal) put(noted []Capture) error {
	for i := range noted {
		if r.Check != nil {
			if err := r.Check(&noted[i]); err != nil {
				return err
			}
		}
	}
	return r.to.Commit(noted, nil)
}

// Fill lets fill commit captures to the new index, those of the files that were left out, with the
// state of these files.
func (r *Renewal) Fill(fill func() error) error {
	before := *r.to.tally.Load()
	if err := fill(); err != nil {
		return err
	}
	after := *r.to.tally.Load()
	r.filled = tally{
		captures: after.captures - before.captures, revisits: after.revisits - before.revisits,
		timed: after.timed - before.timed,
	}
	return nil
}

// Committed returns how many captures the old index has of the files that are left out, as Copy has
// counted them, and how many Fill has put into the new one.
func (r *Renewal) Committed() (before, now int64) { return r.skipped.captures, r.filled.captures }

// Synced forces to disk what the new index has, so that Take has little to do.
func (r *Renewal) Synced() error {
	if err := r.catchUp(); err != nil {
		return err
	}
	return r.to.writing.db.Sync()
}

// Take brings the new index up to date, with all gaps but those that drop says, closes it, durably,
// and calls decide, and then place, which is to rename it. Nothing is committed meanwhile, and from
// when place is called nothing is read. An error before place leaves the old index as it is, in use.
// When place fails, undo is called, and says whether it has taken the decision back: then the old
// index is opened again, as it was. Any other error of place, or behind it, makes the index unusable:
// the collection has to be opened anew. So does a panic of decide, or behind it: nobody knows what is
// decided, and which index is in its place.
func (r *Renewal) Take(drop func(*Gap) bool, decide, place func() error,
	undo func() (undone bool, err error)) error {
	b := r.from
	b.commit.Lock()
	defer b.commit.Unlock()
	if err := b.writing.usable(); err != nil {
		return err
	}
	if err := r.finish(drop); err != nil {
		return err
	}
	if err := errors.Join(r.to.Close(), collection.Dir(filepath.Dir(r.path)).Sync()); err != nil {
		return err
	}
	r.ended, b.renewal = true, nil // the new index is needed, whatever comes
	known := false                 // what has become of it
	defer func() {
		if !known {
			b.writing.breaks(errBrokeOff)
		}
	}()
	if err := decide(); err != nil {
		r.ended, known = false, true
		return err
	}
	b.swap.Lock()
	defer b.swap.Unlock()
	next, err := r.swapped(place, undo)
	known = true
	if next == nil {
		b.writing.breaks(err)
		return err
	}
	r.ended = err == nil // else nobody needs the new index any more
	b.writing = next.writing
	b.files.put(next.files.all())
	b.tally.Store(next.tally.Load())
	return err
}

// errBrokeOff is why an index cannot be used behind a panic of decide, place or undo.
var errBrokeOff = errors.New("a fault of warcorder's own, while a new index was to take the old one's place")

// swapped closes the old index, lets place put the new one into its place, and opens that. After an
// error of place it is nil, or the old index, opened again, if undo has taken the decision back.
func (r *Renewal) swapped(place func() error, undo func() (bool, error)) (*Bolt, error) {
	path := r.from.writing.db.Path()
	failed := r.from.writing.close() // with its mark, so that it is soon open again if it must be
	if failed == nil {
		failed = place()
	}
	if failed != nil {
		if undone, err := undo(); err != nil || !undone {
			return nil, errors.Join(failed, err)
		}
	}
	options := r.from.options
	options.Check, options.Progress = false, nil
	next, err := Open(path, options)
	return next, errors.Join(failed, err)
}

// finish puts into the new index what is not copied row by row. The commit lock of the old one is
// held.
func (r *Renewal) finish(drop func(*Gap) bool) error {
	if err := r.addFiles(); err != nil {
		return err
	}
	if err := r.put(r.noted); err != nil {
		return err
	}
	r.noted = nil
	now := r.tally()
	return r.from.read(func(s snapshot) error {
		return r.to.update(func(tx *bbolt.Tx) error {
			if err := r.putStates(tx); err != nil {
				return err
			}
			if err := copyGaps(tx, s, drop); err != nil {
				return err
			}
			if err := copyMeta(tx.Bucket(bucketMeta), s.bucket(bucketMeta)); err != nil {
				return err
			}
			return now.put(tx)
		})
	})
}

// tally is what the new index has, by what the old one has: what was committed meanwhile is in both.
func (r *Renewal) tally() tally {
	now := *r.from.tally.Load()
	now.captures += r.filled.captures - r.skipped.captures
	now.revisits += r.filled.revisits - r.skipped.revisits
	now.timed += r.filled.timed - r.skipped.timed
	return now
}

// putStates stores the states of the files as the old index has them, but of those that were left out.
func (r *Renewal) putStates(tx *bbolt.Tx) error {
	states := slices.DeleteFunc(r.from.files.all(), func(f File) bool { return r.without[f.ID] })
	for _, f := range states { // what is written anew has another copy elsewhere, or none
		if f.Remote == nil {
			continue
		}
		if err := putRemote(tx, f.ID, f.Remote); err != nil {
			return err
		}
	}
	return putFiles(tx, states)
}

// copyGaps copies the gaps that are not to be dropped, under their numbers.
func copyGaps(tx *bbolt.Tx, s snapshot, drop func(*Gap) bool) error {
	bucket := tx.Bucket(bucketGaps)
	w := s.bucket(bucketGaps).walk()
	for k, v := w.First(); k != nil; k, v = w.Next() {
		gap, err := decodeGap(v)
		if err != nil {
			return err
		}
		if drop(&gap) {
			continue
		}
		if err := bucket.Put(k, v); err != nil {
			return err
		}
	}
	return nil
}

// copyMeta copies the session, and how many gaps there were.
func copyMeta(to *bbolt.Bucket, from table) error {
	w := from.walk()
	for k, v := w.First(); k != nil; k, v = w.Next() {
		switch string(k) {
		case string(metaFormat), string(metaCaptures), string(metaRevisits), string(metaTimeline):
			continue // tally.put stores them
		}
		if err := to.Put(k, v); err != nil {
			return err
		}
	}
	return nil
}

// Abandon ends a Renewal, and removes the new index unless it was decided that it takes the old one's
// place: whoever opens the collection next needs it then.
func (r *Renewal) Abandon() error {
	if r.ended {
		return nil
	}
	r.ended = true
	r.from.commit.Lock()
	r.from.renewal = nil
	r.from.commit.Unlock()
	return r.discard()
}

// discard closes the new index and removes it.
func (r *Renewal) discard() error {
	err := r.to.Close()
	if err2 := removeMark(r.path); err2 != nil {
		err = errors.Join(err, err2)
	}
	if err2 := os.Remove(r.path); err2 != nil && !errors.Is(err2, os.ErrNotExist) {
		err = errors.Join(err, err2)
	}
	return err
}
