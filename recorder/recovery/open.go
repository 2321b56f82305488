package recovery

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/holdings"
	"warcorder/store/removal/journal"
)

// Config is what a recovery must know of how a collection is recorded. The zero Config is that of
// an empty configuration.
type Config struct {
	Keys  store.KeysConfig   // how captures get their keys
	Dedup record.DedupConfig // which responses later ones may refer to
	Style record.Style       // style of the warcinfo record of a file that is written anew
	Mode  collection.Mode    // mode of the files and directories that are made

	NoSync   bool     // whether transactions of the opened index are not forced to disk
	Group    int      // captures that one transaction puts into the index; 0 is 1000
	Progress Progress // called while files and the index are read; nil for nobody
}

// Opened is a collection in order: nobody else has it, and its files and its index agree.
type Opened struct {
	Index  *store.Bolt  // to be closed by the caller
	Unlock func() error // unlocks the collection; called when Index is closed
	Found  Found        // what the recovery has found and done; set after an error too
}

// ErrNoCollection is the error of Repair and Rebuild for a directory without a collection.
var ErrNoCollection = errors.New("there is no collection")

// Open opens a collection, which it makes if there is none, and brings its files and its index into
// agreement. If the last recorder has crashed, the time since its last transaction becomes a gap in
// the list. The error wraps collection.ErrLocked if the collection is in use. After an error
// nothing is open, and the collection is unlocked.
func Open(cfg Config, dir collection.Dir, log zerolog.Logger) (Opened, error) {
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return Opened{}, err
	}
	if err := dir.Make(cfg.Mode); err != nil {
		return Opened{}, err
	}
	r, unlock, err := newRecovery(cfg, dir, keyer, log)
	if err != nil {
		return Opened{}, err
	}
	return r.opened(unlock)
}

// Repair is Open for a collection that must be there, and of which nothing is taken on trust: the
// index is checked as a whole, even if it was closed well. The error wraps ErrNoCollection if there
// is no collection, and else is one of Open.
func Repair(cfg Config, dir collection.Dir, log zerolog.Logger) (Opened, error) {
	r, unlock, err := existing(cfg, dir, log)
	if err != nil {
		return Opened{}, err
	}
	return r.opened(unlock)
}

// Rebuild makes the index of a collection anew from its WARC files alone, here and where they are away,
// and takes the gap list over from the old index. If one that is away cannot be asked for, the old index
// stays as it is. The new index replaces the old one when it is whole and on disk. An old
// index that knows of files which are missing or shorter now is kept beside the new one
// (Found.Replaced). The errors are those of Repair.
func Rebuild(cfg Config, dir collection.Dir, log zerolog.Logger) (Found, error) {
	return rebuildWith(cfg, dir, new(listing), log)
}

// rebuildWith is Rebuild, with the files of a bucket.
func rebuildWith(cfg Config, dir collection.Dir, listed *listing, log zerolog.Logger) (Found, error) {
	r, unlock, err := existing(cfg, dir, log)
	if err != nil {
		return Found{}, err
	}
	defer unlock()
	r.listing, r.must = listed, true
	old, err := r.openOld()
	if err != nil {
		return r.found, err
	}
	if err := r.rebuild(old); err != nil {
		return r.found, err
	}
	index, err := store.Open(r.dir.Index(), r.options)
	if err == nil {
		err = errors.Join(r.noteCrash(index), r.noteAll(index), index.Close())
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
	if err := notNewer(dir); err != nil { // before anything is changed
		return nil, nil, errors.Join(err, unlock())
	}
	r = &recovery{
		dir: dir, host: host, keyer: keyer, log: log, progress: cfg.Progress,
		group: cmp.Or(cfg.Group, smallGroup),
		each:  fault.RecoverScan, style: &cfg.Style, mode: cfg.Mode,
		holdings: holdings.New(dir), listing: new(listing),
	}
	r.options.Wait, r.options.NoSync = readersWait, cfg.NoSync
	if cfg.Progress != nil {
		r.options.Progress = func(done, total int64) { cfg.Progress(collection.IndexName, done, total) }
	}
	if r.dedup, err = cfg.Dedup.WithDefaults(); err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	if resumed, left, err := journal.Resume(dir); err != nil {
		return nil, nil, errors.Join(err, unlock())
	} else if resumed {
		log.Warn().Msg("a removal was interrupted: it is finished now")
		for _, path := range left {
			log.Error().Str("file", path).Msg("a removal could not remove this file, which may have what was " +
				"to go: remove it")
		}
	}
	// of a rebuild or a removal that was interrupted
	if err := os.Remove(dir.NewIndex()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.Join(err, unlock())
	}
	return r, unlock, nil
}

// notNewer returns a *collection.Newer, wrapped, if a later version has written the collection.
func notNewer(dir collection.Dir) error {
	if err := dir.CheckLayout(); err != nil {
		return err
	}
	return store.CheckFormat(dir.Index())
}

// readersWait is how long those who read the index have to let go of it: they have it for a slice,
// of some milliseconds.
const readersWait = 2 * time.Second

// opened opens the index and notes whether the last recorder has come to its end. After an error
// the collection is unlocked.
func (r *recovery) opened(unlock func() error) (Opened, error) {
	index, err := r.open()
	if err == nil {
		if err = r.noteCrash(index); err != nil {
			err = errors.Join(err, index.Close())
		}
	}
	if err != nil {
		return Opened{Found: r.found}, errors.Join(err, unlock())
	}
	return Opened{index, unlock, r.found}, nil
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
		return r.openNew()
	}
	r.index = index
	if err := r.run(); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

// openNew opens an index that was made just now.
func (r *recovery) openNew() (*store.Bolt, error) {
	r.options.Check = false
	index, err := store.Open(r.dir.Index(), r.options)
	if err == nil {
		if err = r.noteAll(index); err != nil {
			err = errors.Join(err, index.Close())
		}
	}
	return index, err
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
	away, _, err3 := r.dir.Away()
	if len(sizes)+len(away) > 0 || errors.Is(err, store.ErrDamaged) {
		r.log.Warn().AnErr("damage", err).
			Msg("the index is missing or damaged: it is made anew from the WARC files; the list of gaps " +
				"from before is lost")
	}
	return nil, errors.Join(err2, err3)
}
