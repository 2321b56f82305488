package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/feed"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
)

// ErrAlone is the error of Alone while another has the finished files for itself.
var ErrAlone = errors.New("something is being removed already: wait until that has ended")

// Alone finishes the open files and calls work, which then has all files that are finished for itself:
// what is recorded meanwhile goes into others, and refers to nothing that was there before. It is for
// work that writes files anew, see Renew.
func (r *Recorder) Alone(ctx context.Context, work func() error) error {
	if !r.alone.TryLock() {
		return ErrAlone
	}
	defer r.alone.Unlock()
	r.finished.Lock() // whoever has it keeps it for a moment only
	defer r.finished.Unlock()
	r.originals.rest(true)
	defer r.originals.rest(false)
	if _, err := r.Rotate(ctx); err != nil {
		return err
	}
	return work()
}

// WithFinished calls work while nobody has the finished files for itself; if somebody has, it does nothing.
// It is for steps that take a moment, and that take a file away.
func (r *Recorder) WithFinished(work func() error) (done bool, err error) {
	if !r.finished.TryLock() {
		return false, nil
	}
	defer r.finished.Unlock()
	return true, work()
}

// FileNow is a file as the index knows it, for whom nothing is to be waited for.
func (r *Recorder) FileNow(name string) (f store.File, known bool) { return r.index.File(name) }

// MinFreeSpace is how many bytes of the disk are to stay free, so that recording goes on.
func (r *Recorder) MinFreeSpace() int64 { return r.cfg.Load().MinFreeSpace }

// Renewal is how files that were written anew take the places of old ones.
type Renewal struct {
	Files []recovery.Anew
	IDs   []uint32 // of these files, in the index

	// Check is called with each capture that was committed meanwhile; an error of it ends the renewal.
	Check func(*store.Capture) error

	Drop func(*store.Gap) bool // gaps that are not kept

	// Told is what is told of it, when it is done: the files with what stays of them, and the gaps. The
	// recorder has told of these before, and tells nobody any more.
	Told feed.Renewal

	// Decide is called when everything is written, durably: from then on it goes forward. After an
	// error of it nothing has changed.
	Decide func() error

	// Place puts files and index into their places. An error that it returns, or that comes behind it,
	// makes the index unusable, unless Undo takes the decision back: recording stops, and the next start
	// goes on with the work.
	Place func() error

	// Undo is called when Place has failed, and reports whether nothing has taken any place and it was
	// taken back that anything is to: then recording goes on, as if there had been no renewal.
	Undo func() (undone bool, err error)
}

// Renew makes a new index, in which the files that were written anew are as they are now, and then
// lets files and index take their places. Whoever calls it is within Alone, and has written the files
// beside the old ones, durably. It is recorded meanwhile, but for the moment of Place.
func (r *Recorder) Renew(ctx context.Context, what Renewal) (err error) {
	if err := os.Remove(r.dir.NewIndex()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // what an earlier renewal could not remove must not become a part of this one
	}
	renewal, err := r.index.Renew(r.dir.NewIndex(), what.IDs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, renewal.Abandon()) }() // also when something panics
	renewal.Check = what.Check
	err = r.makeIndex(ctx, renewal, what.Files)
	if err == nil {
		err = errors.Join(r.noteGone(renewal), r.gaps.flush(), ctx.Err())
	}
	if err == nil {
		err = r.takePlaces(renewal, what)
	}
	if err != nil {
		return err
	}
	r.telling.feed.Renew(what.Told, time.Now().UnixMicro())
	return nil
}

// makeIndex makes the new index.
func (r *Recorder) makeIndex(ctx context.Context, renewal *store.Renewal, anew []recovery.Anew) error {
	if err := r.mode.Of(r.dir.Index()).Set(r.dir.NewIndex()); err != nil {
		return err
	}
	err := renewal.Fill(func() error {
		return recovery.Reread(ctx, r.cfg.Load().recovery(), r.dir, renewal.Index(), anew)
	})
	if err == nil {
		err = renewal.Copy(ctx)
	}
	if err == nil {
		err = renewal.Synced()
	}
	return err
}

// takePlaces lets files and index take their places.
func (r *Recorder) takePlaces(renewal *store.Renewal, what Renewal) error {
	began := time.Now()
	r.swapping.Store(true)
	defer r.swapping.Store(false)
	err := renewal.Take(what.Drop, what.Decide, what.Place, what.Undo)
	if err != nil {
		return err
	}
	if info, err := os.Stat(r.dir.Index()); err == nil {
		r.watched.Store(&info)
	}
	r.originals.forgetAll()
	r.chains.forgetAll()
	r.shared.Withdrawn()
	r.log.Info().Int64("ms", time.Since(began).Milliseconds()).Int("files", len(what.Files)).
		Msg("files that were written anew, and a new index, have taken their places")
	return nil
}

// AtRest opens a collection that nobody records, after a recovery of it, and lets work work with it:
// nothing is recorded but what a crash has left. It returns an error that wraps collection.ErrLocked
// if the collection is in use, and one that wraps recovery.ErrNoCollection if there is none.
func AtRest(cfg Config, dir collection.Dir, log zerolog.Logger, work func(*Recorder) error) error {
	if _, err := atRest(cfg, dir, log, work); err != nil {
		return fmt.Errorf("work on %s: %w", dir, err)
	}
	return nil
}
