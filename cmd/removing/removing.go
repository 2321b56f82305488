// Package removing carries out a removal in a collection that a recorder has open, whether it records
// or has only opened it for that: the recorder stands aside, package removal writes files anew, and
// the recorder takes them over with a new index.
//
// Invariant: after an error nothing has changed, unless the error says that the collection has to be
// opened again: then the removal has been decided, and the next start finishes it.
package removing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/feed"
	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/removal"
)

// Wish is what is to be done.
type Wish struct {
	// Choose makes the order of a removal from what the collection has at that moment. It may be
	// called several times.
	Choose func(index *store.Bolt, files *readback.Files) (removal.Order, error)

	DryRun  bool                                         // nothing is changed
	Look    bool                                         // files are finished only if anything may go
	Confirm func(*removal.Summary) (yes bool, err error) // nil: yes
	Reason  string

	// Plan, if it is not "", is the Fingerprint of the Summary that somebody has confirmed: where
	// something else would go by now, nothing goes, and Removed says so.
	Plan string

	Forget bool

	Progress func(Progress) // is told how far it is; nil: nobody asks
}

// step tells how far it is.
func (w *Wish) step(step string) {
	if w.Progress != nil {
		w.Progress(Progress{Step: step})
	}
}

// Removed is what was done, or with DryRun would be.
type Removed struct {
	removal.Summary
	ID   string `json:"id,omitempty"` // of the removal, as its tombstones have it; "" if nothing went
	Done bool   `json:"done"`         // it was no dry run, it was confirmed, and there was something

	Changed bool `json:"changed,omitempty"` // nothing went: it was not what Wish.Plan says

	// Left are paths in the collection, of Rest, that could not be removed: people must do that.
	Left []string `json:"left,omitempty"`

	// Took reports of what was done whether it has taken anything of a URL: see [removal.Plan.Took]. It
	// holds on to what is known of all that went.
	Took func(url string, cut bool) bool `json:"-"`
}

// Remove carries out a wish. A panic of it is an error, and noted with those of the recorder: recording
// goes on, as after any other error.
func Remove(ctx context.Context, rec *recorder.Recorder, dir collection.Dir, mode collection.Mode,
	wish Wish) (done Removed, err error) {
	defer rec.Panics().Catch(&err)
	if len(wish.Reason) > removal.MaxReason {
		return done, fmt.Errorf("the reason has %d bytes, and may have %d", len(wish.Reason),
			removal.MaxReason)
	}
	if dir, err = dir.Abs(); err != nil {
		return done, err
	}
	if wish.DryRun {
		if err := noteGaps(rec); err != nil {
			return done, err
		}
		return Look(ctx, rec.Index(), dir, wish)
	}
	if wish.Look {
		var may bool
		if done.Summary, may, err = wish.mayRemove(ctx, rec, dir); err != nil || !may {
			return done, err
		}
	}
	for range mostTries {
		wish.step(Finishes)
		err = rec.Alone(ctx, func() error {
			return wish.carryOut(ctx, rec, dir, mode, &done)
		})
		if !errors.Is(err, removal.ErrAgain) {
			break
		}
	}
	if err != nil {
		return done, fmt.Errorf("remove: %w", err)
	}
	return done, nil
}

// Look is Remove with DryRun for a collection of which the index is open, for reading only, say.
func Look(ctx context.Context, index *store.Bolt, dir collection.Dir, wish Wish) (done Removed, err error) {
	plan, files, err := wish.planOf(ctx, index, dir)
	if err != nil {
		return done, fmt.Errorf("remove: %w", err)
	}
	done.Summary = plan.Summary
	return done, files.Close()
}

// mostTries is how often a removal begins anew because something has come meanwhile that refers to
// what goes.
const mostTries = 3

// plan plans the removal.
func (w *Wish) plan(ctx context.Context, rec *recorder.Recorder, dir collection.Dir) (
	*removal.Plan, *readback.Files, error) {
	if err := noteGaps(rec); err != nil {
		return nil, nil, err
	}
	return w.planOf(ctx, rec.Index(), dir)
}

// noteGaps lets the index have the gaps that wait.
func noteGaps(rec *recorder.Recorder) error {
	_, err := rec.Gaps(1)
	return err
}

// planOf plans the removal by an index.
func (w *Wish) planOf(ctx context.Context, index *store.Bolt, dir collection.Dir) (
	plan *removal.Plan, files *readback.Files, err error) {
	opened := readback.New(dir, index)
	defer func() {
		if files == nil { // after a panic too
			err = errors.Join(err, opened.Close())
		}
	}()
	order, err := w.Choose(index, opened)
	if err != nil {
		return nil, nil, err
	}
	var ids record.IDSource
	id := ids.Next()
	order.ID, order.Time, order.Reason, order.Forget = id.String(), time.Now(), w.Reason, w.Forget
	if plan, err = removal.Make(ctx, dir, index, opened, order); err != nil {
		return nil, nil, err
	}
	return plan, opened, nil
}

// mayRemove reports whether anything goes, or may go when files are finished.
func (w *Wish) mayRemove(ctx context.Context, rec *recorder.Recorder, dir collection.Dir) (
	found removal.Summary, may bool, err error) {
	plan, files, err := w.plan(ctx, rec, dir)
	if err != nil {
		return found, false, fmt.Errorf("remove: %w", err)
	}
	return plan.Summary, !plan.IsEmpty() || plan.Waiting > 0, files.Close()
}

// carryOut plans the removal and, if that is confirmed, carries it out. A panic of it leaves in done what
// was done before.
func (w *Wish) carryOut(ctx context.Context, rec *recorder.Recorder, dir collection.Dir,
	mode collection.Mode, done *Removed) error {
	w.step(Plans)
	*done = Removed{}
	plan, files, err := w.plan(ctx, rec, dir)
	if err != nil {
		return err
	}
	defer files.Close()
	done.Summary = plan.Summary
	if plan.IsEmpty() {
		return nil
	}
	if done.Changed = w.Plan != "" && w.Plan != plan.Fingerprint; done.Changed {
		return nil
	}
	if w.Confirm != nil {
		if yes, err := w.Confirm(&plan.Summary); err != nil || !yes {
			return err
		}
	}
	place := func() error {
		// some systems rename no file that is open
		return errors.Join(files.Close(), plan.Place())
	}
	if done.Gaps, err = w.replace(ctx, rec, dir, plan, place, mode); err != nil {
		return err
	}
	done.Done, done.ID, done.Pages, done.Took = true, plan.ID(), plan.Pages, plan.Took
	done.Left, err = plan.End()
	return errors.Join(err, dir.SweepImports())
}

// replace writes the files anew, and has the recorder take them over.
func (w *Wish) replace(ctx context.Context, rec *recorder.Recorder, dir collection.Dir, plan *removal.Plan,
	place func() error, mode collection.Mode) (gaps int64, err error) {
	if w.Progress != nil {
		plan.Progress = func(done, of int64) { w.Progress(Progress{Writes, done, of}) }
	}
	written, err := plan.Write(ctx, mode, rec.MinFreeSpace())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, plan.Discard()) }() // unless it is decided; after a panic too
	w.step(Indexes)
	what := recorder.Renewal{
		Check: plan.Check,
		Decide: func() error {
			if err := noteCopies(rec, dir, mode, written); err != nil {
				return err
			}
			return plan.Decide(mode)
		},
		Place: place,
		Undo:  plan.Undo,
		Drop: func(g *store.Gap) bool {
			goes := plan.DropsGap(g)
			if goes {
				gaps++
			}
			return goes
		},
	}
	for _, f := range written {
		what.IDs = append(what.IDs, f.ID)
		what.Files = append(what.Files,
			recovery.Anew{Name: f.Name, Path: f.Path, Size: f.Size, Captures: f.Captures})
	}
	what.Told = told(plan, written)
	err = rec.Renew(ctx, what)
	switch {
	case err == nil:
		return gaps, nil
	case plan.IsDecided():
		return 0, fmt.Errorf("%w: it is decided, and not at its end: start the recorder, or warcorder "+
			"recover, which finishes it", err)
	}
	return 0, err
}

// told is what the recorder tells of it, to who has heard of what went.
func told(plan *removal.Plan, written []removal.Written) (what feed.Renewal) {
	what.Gap = func(e *feed.Event) bool {
		return plan.GoesGap(&store.Gap{URL: e.URL, Time: time.UnixMicro(e.Time), Reason: e.Reason,
			Detail: e.Detail})
	}
	for i := range written {
		file := feed.Anew{File: written[i].Name, Now: written[i].Now}
		if stays := written[i].Stays(feed.MostStretches); stays != nil {
			file.Stays = make([]feed.Stretch, len(stays))
			for j, s := range stays {
				file.Stays[j] = feed.Stretch(s)
			}
		}
		what.Files = append(what.Files, file)
	}
	return what
}

// noteCopies makes sure that it is noted where the files that are to be replaced have copies in object
// storage: from their notes it is known, wherever this ends, what is to be deleted there.
func noteCopies(rec *recorder.Recorder, dir collection.Dir, mode collection.Mode,
	written []removal.Written) error {
	for _, w := range written {
		f, _ := rec.FileNow(w.Name)
		if f.Remote == nil {
			continue
		}
		note := dir.AwayNote(w.Name)
		if err := dir.ReadNote(note, new(store.Remote)); err == nil {
			continue
		}
		if err := dir.WriteNote(note, mode, f.Remote); err != nil {
			return err
		}
	}
	return nil
}
