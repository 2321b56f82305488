package recovery

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// readersWait is how long those who read the index have to let go of it: they have it for a slice,
// of some milliseconds.
const readersWait = 2 * time.Second

// How many captures go into the index at once: into the collection's own, where each group is
// forced to disk, and into a new one.
const (
	smallGroup = 1000
	largeGroup = 20_000
)

// Rebuild makes the index of a collection anew from its WARC files alone. The old one is replaced
// when that has succeeded, and kept beside it if it knows of files that are not there any more; the
// list of gaps is taken over. The errors are those of Repair.
func Rebuild(cfg Config, dir collection.Dir, log zerolog.Logger) (Found, error) {
	r, unlock, err := existing(cfg, dir, log)
	if err != nil {
		return Found{}, err
	}
	defer unlock()
	old, err := r.openOld()
	if err != nil {
		return r.found, err
	}
	if err := r.rebuild(old); err != nil {
		return r.found, err
	}
	index, err := store.Open(r.dir.Index(), r.options)
	if err == nil {
		err = errors.Join(r.noteCrash(index), index.Close())
	}
	return r.found, err
}

// existing is newRecovery for a collection that must be there.
func existing(cfg Config, dir collection.Dir,
	log zerolog.Logger) (r *recovery, unlock func() error, err error) {
	if _, err := os.Stat(dir.Archive()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w in %s", ErrNoCollection, dir)
	} else if err != nil {
		return nil, nil, err
	}
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return nil, nil, err
	}
	r, unlock, err = newRecovery(cfg, dir, keyer, log)
	if err == nil {
		r.options.Check = true // who repairs does not take anybody's word
	}
	return r, unlock, err
}

// newRecovery returns a recovery of a collection. Until unlock is called no other one begins, and
// no recorder starts.
func newRecovery(cfg Config, dir collection.Dir, keyer *store.Keyer,
	log zerolog.Logger) (r *recovery, unlock func() error, err error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, nil, fmt.Errorf("host name for WARC files: %w", err)
	}
	if dir, err = dir.Abs(); err != nil {
		return nil, nil, err
	}
	if unlock, err = dir.Lock(); err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	r = &recovery{
		dir: dir, host: host, keyer: keyer, log: log, progress: cfg.Progress,
		group: cmp.Or(cfg.Group, smallGroup),
		each:  fault.RecoverScan, style: &cfg.Style, mode: cfg.Mode,
	}
	r.options.Wait, r.options.NoSync = readersWait, cfg.NoSync
	if cfg.Progress != nil {
		r.options.Progress = func(done, total int64) { cfg.Progress(collection.IndexName, done, total) }
	}
	if r.dedup, err = cfg.Dedup.WithDefaults(); err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	// of a rebuild that was interrupted
	if err := os.Remove(dir.NewIndex()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.Join(err, unlock())
	}
	return r, unlock, nil
}

// open opens the index, in agreement with the files. One that is missing or damaged is made anew;
// so is that of a new collection, which has no files yet, so that there is never half an index.
func (r *recovery) open() (*store.Bolt, error) {
	index, err := r.openOld()
	if err != nil {
		return nil, err
	}
	if index == nil {
		if err := r.rebuild(nil); err != nil {
			return nil, err
		}
		r.options.Check = false // it was made just now
		return store.Open(r.dir.Index(), r.options)
	}
	r.index = index
	if err := r.run(); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

// openOld opens the index as it is. It returns nil if that is missing or damaged.
func (r *recovery) openOld() (*store.Bolt, error) {
	_, err := os.Stat(r.dir.Index())
	if err == nil {
		var index *store.Bolt
		if index, err = store.Open(r.dir.Index(), r.options); err == nil {
			return index, nil
		}
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrDamaged) {
		return nil, err
	}
	sizes, err2 := r.dir.Sizes()
	// made, and nothing came of it
	maps.DeleteFunc(sizes, func(_ string, size int64) bool { return size == 0 })
	if len(sizes) > 0 || errors.Is(err, store.ErrDamaged) {
		r.log.Warn().AnErr("damage", err).
			Msg("the index is missing or damaged: it is made anew from the WARC files; the list of gaps " +
				"from before is lost")
	}
	return nil, err2
}

// rebuild makes a new index from the files and puts it in the place of the old one, which is nil if
// it is missing or damaged. It closes the old one.
func (r *recovery) rebuild(old *store.Bolt) error {
	path := r.dir.NewIndex()
	err := r.make(path, old)
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make a new index: %w", err), os.Remove(path))
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

// make makes a new index at path, durably. What the files do not hold is taken over from the old
// one, if there is one.
func (r *recovery) make(path string, old *store.Bolt) (err error) {
	if r.index, err = store.Open(path, store.Options{NoSync: true}); err != nil {
		return err
	}
	if err := r.mode.Of(r.dir.Index()).Set(path); err != nil {
		return errors.Join(err, r.index.Close())
	}
	r.group, r.each = largeGroup, fault.RebuildFile
	err = r.run()
	if err == nil {
		err = r.takeOver(old)
	}
	if err := errors.Join(err, r.index.Close()); err != nil {
		return err
	}
	return syncFile(path)
}

// takeOver takes the gaps of the old index over, and notes which files it knows that are not there
// any more.
func (r *recovery) takeOver(old *store.Bolt) error {
	if old == nil {
		return nil
	}
	files, err := old.Files()
	if err != nil {
		return err
	}
	there, err := r.index.Files()
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.Committed == 0 ||
			slices.ContainsFunc(there, func(f store.File) bool { return f.Name == file.Name }) {
			continue
		}
		r.found.Missing = append(r.found.Missing, file.Name)
		r.log.Error().Str("file", file.Name).Int64("committed", file.Committed).
			Msg("a WARC file is missing: the new index does not have its captures")
		if !file.Away {
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

// goneGaps are those of the files that the old index knew, and the new one does not.
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
