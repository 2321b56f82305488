package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"warcorder/store/boltcheck"
	"warcorder/store/collection"
)

// Options say how an index is opened.
type Options struct {
	// NoSync lets no transaction be synced, only Close: for an index that is made anew and thrown
	// away if that is interrupted.
	NoSync bool

	// Check lets every page be read, also of an index that was closed when all was well.
	Check bool

	// Wait is how long those who read the index may take to close it; 0 does not wait.
	Wait time.Duration

	// Progress, if it is not nil, is told how many bytes have been read of those that must be
	// before the index can be opened.
	Progress func(done, total int64)
}

// Open opens the index at path for reading and writing and makes it if there is no file. It reads a
// few pages if the index was closed by Close and nobody has touched its file since, and else all of
// them. It returns collection.ErrLocked when another process has the index open, and ErrDamaged,
// wrapped, when the file is no sound index.
func Open(path string, options Options) (*Bolt, error) {
	b, err := openForWriting(path, options)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	return b, nil
}

func openForWriting(path string, options Options) (*Bolt, error) {
	found, err := isThere(path)
	if err != nil {
		return nil, err
	}
	if found {
		if err := lockable(path, options.Wait); err != nil {
			return nil, err // before every page is read for nothing
		}
		if err := prepare(path, options); err != nil {
			return nil, err
		}
	}
	db, file, err := openDB(path, &bbolt.Options{
		// Without a free list on disk every commit is cheaper. Close writes one.
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		// When the file outgrows its mapping, the commit waits for all who read. 1 GiB is some 4
		// million captures; it is address space, not memory. Windows would make the file that
		// large, 32-bit systems may not have it.
		InitialMmapSize: initialMap(),
		NoSync:          options.NoSync,
		NoGrowSync:      options.NoSync,
		Timeout:         options.Wait,
	}, os.OpenFile)
	if err != nil {
		return nil, err
	}
	b := &Bolt{writing: &writing{db: db, file: file}, options: options}
	if err := errors.Join(removeMark(path), b.load(options)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return b, nil
}

func initialMap() int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return 1 << 30
}

// isThere reports whether there is a file at path, which must then be a regular one.
func isThere(path string) (found bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, errors.New(
			"it is no regular file: take it away, and warcorder recover makes it anew")
	}
	return true, nil
}

// lockable returns collection.ErrLocked if another process has the index at path open, and has not
// closed it when wait is over: those who read have it open for a slice at a time.
func lockable(path string, wait time.Duration) error {
	for until := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		err := collection.TryLock(path)
		if !errors.Is(err, collection.ErrLocked) || time.Now().After(until) {
			return err
		}
	}
}

// prepare looks at an index before bbolt opens it for writing: bbolt panics, in goroutines of its
// own, when it comes to a page that is not sound. No other process writes meanwhile.
func prepare(path string, options Options) (err error) {
	rest, err := openResting(path, os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rest.Close()) }()
	if err := rest.checkFormat(); err != nil {
		return err // one of a later version is not for us to judge
	}
	if !options.Check && isMarked(rest.file, path) {
		return nil
	}
	used, err := checkPages(rest.file, rest.info.Size(), options.Progress)
	if err != nil {
		return err
	}
	sync := rest.file.Sync
	if options.NoSync {
		sync = func() error { return nil }
	}
	// Without a list bbolt finds the free pages by itself, if it takes its time.
	_ = boltcheck.WriteFreelist(rest.file, rest.info.Size(), used, sync)
	return nil
}

// CheckFormat returns a *collection.Newer, wrapped, if there is an index at path that a later version
// has written. Of one that cannot be read it says nothing: Open judges that.
func CheckFormat(path string) error {
	rest, err := openResting(path, os.O_RDONLY)
	if err != nil {
		return nil
	}
	err = rest.checkFormat()
	if _, newer := errors.AsType[*collection.Newer](err); newer {
		return errors.Join(fmt.Errorf("open index %s: %w", path, err), rest.Close())
	}
	return rest.Close()
}

// OpenReadOnly opens the index at path for reading: what writes returns ErrReadOnly. It returns
// collection.ErrLocked at once when a recorder has it open, an error that wraps fs.ErrNotExist when
// there is none, one that wraps ErrInterrupted where a removal was interrupted, and a *collection.Newer,
// wrapped, where a later version has written the index or its directory. Pages are checked when they
// are come to: one that is not sound shows as ErrDamaged, wrapped, then.
//
// The index is locked only while it is read. A recorder may start between two slices of an Export,
// which then fails with collection.ErrLocked, or another index may come in its place, which is
// ErrReplaced.
func OpenReadOnly(path string) (*Bolt, error) {
	dir := collection.Dir(filepath.Dir(path))
	if err := dir.CheckLayout(); err != nil {
		return nil, err
	}
	found, err := isThere(path)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	if !found {
		return nil, fmt.Errorf("no index at %s, nothing has been recorded there: %w", path,
			fs.ErrNotExist)
	}
	b := &Bolt{resting: &resting{path: path}}
	if err := b.read(checkFormat); err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	if _, err := os.Lstat(dir.Removal()); err == nil {
		return nil, fmt.Errorf("open index %s: %w", path, ErrInterrupted)
	}
	return b, nil
}

// load makes the buckets that are not there, reads the files, and counts what is not counted.
func (b *Bolt) load(options Options) error {
	if err := addBuckets(b.writing.db); err != nil {
		return err
	}
	most := int64(countedAtOpen)
	if options.Check {
		most = math.MaxInt64 // all pages have been read in any case
	}
	if err := b.recount(most); err != nil {
		return err
	}
	return b.read(func(s snapshot) error {
		if err := checkFormat(s); err != nil {
			return err
		}
		files, err := readFiles(s)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := b.files.add(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// addBuckets makes all buckets of a new index, and those that one of an older version does not
// have; the index is of the present format then.
func addBuckets(db *bbolt.DB) error {
	current := binary.BigEndian.AppendUint32(nil, Format)
	missing := false
	err := db.View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		missing = meta == nil || !bytes.Equal(meta.Get(metaFormat), current)
		for _, name := range buckets() {
			missing = missing || tx.Bucket(name) == nil
		}
		return nil
	})
	if err != nil || !missing {
		return err
	}
	return db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(metaFormat, current)
	})
}

// buckets returns the names of all buckets. An index of an older version may not have them all.
func buckets() [][]byte {
	names := [][]byte{bucketCaptures, bucketExtras, bucketTimeline, bucketFiles, bucketRemotes, bucketMeta,
		bucketGaps, bucketDedup}
	for _, key := range secondaryKeys {
		names = append(names, []byte(key))
	}
	return names
}

// Check reads every page of an index that was opened for reading, and returns an error that wraps
// ErrDamaged if one is not sound. progress, if not nil, is told how many bytes have been read.
func (b *Bolt) Check(progress func(done, total int64)) error {
	file, err := openResting(b.resting.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	_, err = checkPages(file.file, file.info.Size(), progress)
	if errors.Is(err, ErrDamaged) {
		_ = removeMark(b.resting.path)
	}
	return errors.Join(err, file.Close())
}

// Close closes the index, once those who read have ended. Whatever Commit has returned for is on
// disk already; with NoSync it is when Close returns nil.
func (b *Bolt) Close() error {
	if b.resting != nil {
		return b.resting.close()
	}
	b.swap.RLock()
	err := b.writing.usable()
	b.swap.RUnlock()
	if err != nil {
		return err // bbolt may hold its locks for ever
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	return b.writing.close()
}
