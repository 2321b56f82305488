package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// How many captures one transaction puts into the index: into the collection's own, where each
// transaction is forced to disk, and into a new index.
const (
	smallGroup = 1000
	largeGroup = 20_000
)

// rebuild makes a new index from the files and puts it in the place of the old one, which is nil if
// it is missing or damaged. It closes the old one.
func (r *recovery) rebuild(old *store.Bolt) error {
	path := r.dir.NewIndex()
	err := r.readBefore(old)
	if err == nil {
		err = r.make(path, old)
	}
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	if err != nil {
		err = fmt.Errorf("make a new index: %w", err)
		if rest := os.Remove(path); !errors.Is(rest, fs.ErrNotExist) {
			err = errors.Join(err, rest)
		}
		return err
	}
	if r.hasAway { // no earlier version may take the index for one of what is here
		if err := r.dir.RaiseLayout(r.mode); err != nil {
			return err
		}
	}
	if err := fault.At(fault.RebuildSwap); err != nil {
		return err
	}
	if old == nil {
		err = r.setAside(collection.DamagedSuffix)
	} else if len(r.found.Missing)+len(r.found.Short) > 0 {
		err = r.setAside(collection.OldSuffix) // it knows what the new one does not
	}
	if err != nil {
		return err
	}
	if err := errors.Join(store.Move(path, r.dir.Index()), r.dir.Sync()); err != nil {
		return err
	}
	if r.found.Rebuilt = r.found.Files > 0 || r.found.Replaced != "" || old != nil; r.found.Rebuilt {
		r.log.Info().Int("files", r.found.Files).Int("captures", r.found.Captures).
			Msg("the index was made anew from the WARC files")
	}
	return fault.At(fault.RebuildDone)
}

// readBefore reads which copies of files the old index knows.
func (r *recovery) readBefore(old *store.Bolt) error {
	if old == nil {
		return nil
	}
	files, err := old.Files()
	r.before = make(map[string]*store.Remote)
	for _, f := range files {
		if f.Remote != nil {
			r.before[f.Name] = f.Remote
		}
	}
	return err
}

// make makes a new index at path, durably. What the files do not hold is taken over from the old
// one, if there is one.
func (r *recovery) make(path string, old *store.Bolt) (err error) {
	if r.index, err = store.Open(path, store.Options{NoSync: true}); err != nil {
		return err
	}
	if err := r.mode.Of(r.dir.Index()).Set(path); err != nil {
		return errors.Join(err, r.index.Close())
	}
	r.group, r.each, r.making = largeGroup, fault.RebuildFile, true
	defer func() { r.making = false }()
	err = r.run()
	if err == nil {
		err = r.takeOver(old)
	}
	if err := errors.Join(err, r.index.Close()); err != nil {
		return err
	}
	return syncFile(path)
}

// takeOver takes over the gaps and the last session of the old index, and notes the files that it
// knows and that are not there any more.
func (r *recovery) takeOver(old *store.Bolt) error {
	if old == nil {
		return nil
	}
	files, err := old.Files()
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, there := r.index.File(file.Name); there || file.Committed == 0 {
			continue
		}
		r.found.Missing = append(r.found.Missing, file.Name)
		r.log.Error().Str("file", file.Name).Int64("committed", file.Committed).
			Msg("a WARC file is missing: the new index does not have its captures")
		if !file.Missing {
			r.gone = append(r.gone, file.Name)
		}
	}
	gaps, err := old.Gaps(0)
	if err != nil {
		return err
	}
	slices.Reverse(gaps.Latest) // the newest is the first
	for _, gap := range gaps.Latest {
		if gaps.Counts[gap.Reason]--; gaps.Counts[gap.Reason] == 0 {
			delete(gaps.Counts, gap.Reason)
		}
	}
	if err := r.index.AddGaps(append(gaps.Latest, r.goneGaps()...), gaps.Counts); err != nil {
		return err
	}
	last, err := old.Session()
	if err != nil || last.Started.IsZero() {
		return err
	}
	// the last transaction: one that is open would note the time of the next ones
	return r.index.SetSession(last)
}

// goneGaps are the gaps of the files that the old index knew, and the new one does not.
func (r *recovery) goneGaps() (gaps []store.Gap) {
	for _, name := range r.gone {
		gaps = append(gaps, store.Gap{Time: time.Now().UTC(), Reason: GapMissing, URL: name,
			Detail: "the WARC file is not in archive/, and not in the new index"})
	}
	return gaps
}

// setAside renames the index, if there is one, so that nothing is deleted that someone may still
// read.
func (r *recovery) setAside(suffix string) error {
	for n := 1; ; n++ {
		path := collection.Numbered(r.dir.Index()+suffix, n)
		if _, err := os.Lstat(path); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err := os.Rename(r.dir.Index(), path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			r.found.Replaced = path
			r.log.Warn().Str("copy", path).Msg("the index was set aside")
		}
		return err
	}
}
