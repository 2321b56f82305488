package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"warcorder/store/boltcheck"
	"warcorder/store/collection"
)

const format = 1

var (
	bucketCaptures = []byte("captures")
	bucketExtras   = []byte("extras")
	bucketFiles    = []byte("files")
	bucketGaps     = []byte("gaps")
	bucketDedup    = []byte("dedup")
	bucketMeta     = []byte("meta")
	metaFormat     = []byte("format")
	metaCaptures   = []byte("captures")
	metaGap        = []byte("gap ")
)

// ErrReadOnly says that an index that was opened for reading cannot be written.
var ErrReadOnly = errors.New("the index is open for reading only")

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
// them. It returns collection.ErrLocked when another process has the index open, and ErrDamaged, wrapped,
// when the file is no sound index.
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
	b := new(Bolt)
	b.db, b.file, err = openDB(path, &bbolt.Options{
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
	if err := errors.Join(removeMark(path), b.load()); err != nil {
		return nil, errors.Join(err, b.db.Close())
	}
	return b, nil
}

func initialMap() int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return 1 << 30
}

// openFile is os.OpenFile, or does what it does.
type openFile func(name string, flag int, mode fs.FileMode) (*os.File, error)

// openDB opens a file of bbolt, at once or not at all. A file that has no sound meta page is
// damaged.
func openDB(
	path string, options *bbolt.Options, open openFile,
) (db *bbolt.DB, file *os.File, err error) {
	options.Timeout = max(options.Timeout, 1) // nanosecond: one try; zero would wait for ever
	options.NoStatistics = true
	options.OpenFile = func(name string, flag int, mode fs.FileMode) (_ *os.File, err error) {
		file, err = open(name, flag, mode)
		return file, err
	}
	err = guarded(func() (err error) {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if errors.Is(err, berrors.ErrTimeout) {
		err = collection.ErrLocked
	}
	if err != nil && file != nil {
		file.Close() // unless bbolt has done so, which panics now and then
	}
	return db, file, err
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

// restingFile is an index in its file while nobody can write it.
type restingFile struct {
	tree *boltcheck.Tree
	db   *bbolt.DB
	file *os.File
	info fs.FileInfo
}

// openResting opens the file of an index, as flag says. Until it is closed nobody else can write
// it. It reads nothing but the meta pages.
func openResting(path string, flag int) (*restingFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	open := func(name string, _ int, mode fs.FileMode) (*os.File, error) {
		return os.OpenFile(name, flag, mode)
	}
	db, file, err := openDB(path, &bbolt.Options{ReadOnly: true}, open)
	if err != nil {
		return nil, openError(err, info.Size())
	}
	f := &restingFile{db: db, file: file}
	if f.info, err = file.Stat(); err == nil {
		f.tree, err = treeOf(db, file, f.info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return f, nil
}

func (f *restingFile) Close() error { return f.db.Close() }

// treeOf returns the tree in a file of that size, which bbolt has mapped into memory.
func treeOf(db *bbolt.DB, file *os.File, size int64) (*boltcheck.Tree, error) {
	meta, err := boltcheck.ReadMeta(file, size)
	if err != nil {
		return nil, judged(err)
	}
	mapping := db.Info().Data // an address outside of what Go manages
	return boltcheck.NewTree(unsafe.Slice(*(**byte)(unsafe.Pointer(&mapping)), size), meta), nil
}

// openError tells a file of that size, of which bbolt has read the meta pages, from what the system
// refuses.
func openError(err error, size int64) error {
	system := syscall.Errno(0)
	if errors.Is(err, collection.ErrLocked) || errors.Is(err, fs.ErrPermission) ||
		size > 0 && errors.As(err, &system) {
		return err
	}
	if size == 0 {
		return damaged("it is empty")
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// read calls f with the index in the file.
func (f *restingFile) read(read func(snapshot) error) error {
	err := guarded(func() error { return read(restingTree{f.tree}) })
	if damage := f.tree.Err(); damage != nil {
		return judged(damage) // after it nothing that was read means anything
	}
	return err
}

func (f *restingFile) checkFormat() error { return f.read(checkFormat) }

// load makes the buckets that are not there and reads the files.
func (b *Bolt) load() error {
	if err := b.addBuckets(); err != nil {
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
// have.
func (b *Bolt) addBuckets() error {
	isNew, missing := false, false
	err := b.db.View(func(tx *bbolt.Tx) error {
		isNew = tx.Bucket(bucketMeta) == nil
		for _, name := range buckets() {
			missing = missing || tx.Bucket(name) == nil
		}
		return nil
	})
	if err != nil || !missing {
		return err
	}
	return b.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if !isNew {
			return nil
		}
		return tx.Bucket(bucketMeta).Put(metaFormat, binary.BigEndian.AppendUint32(nil, format))
	})
}

// buckets returns the names of all buckets. An index of an older version may not have them all.
func buckets() [][]byte {
	names := [][]byte{bucketCaptures, bucketExtras, bucketFiles, bucketMeta, bucketGaps, bucketDedup}
	for _, key := range secondaryKeys {
		names = append(names, []byte(key))
	}
	return names
}

// checkFormat returns an error if the index is of another format.
func checkFormat(s snapshot) error {
	got := s.bucket(bucketMeta).Get(metaFormat)
	if len(got) != 4 || [3]byte(got) != [3]byte{} || got[3] == 0 { // no version will come that far
		return damaged("its format is %x", got)
	}
	if found := binary.BigEndian.Uint32(got); found != format {
		return fmt.Errorf("its format is %d, and this version of warcorder knows only %d: "+
			"use the version that made it", found, format)
	}
	return nil
}

// Close closes the index, once those who read have ended. Whatever Commit has returned for is on
// disk already; with NoSync it is when Close returns nil.
func (b *Bolt) Close() error {
	if b.resting != nil {
		return nil
	}
	if err := b.broken(); err != nil {
		return err // bbolt may hold its locks for ever
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	if b.db.Path() == "" {
		return nil // closed before
	}
	b.writeFreelist()
	var err error
	if b.db.NoSync {
		err = b.db.Sync()
	}
	if err == nil {
		_ = writeMark(b.file, b.db.Path()) // without a mark the next Open reads every page
	}
	return errors.Join(err, b.db.Close())
}

// writeFreelist lets bbolt write its list of free pages, unless the one on disk is right. Where
// that cannot be, the next Open makes it.
func (b *Bolt) writeFreelist() {
	info, err := b.file.Stat()
	if err != nil {
		return
	}
	if meta, err := boltcheck.ReadMeta(b.file, info.Size()); err != nil || meta.HasFreelist() {
		return
	}
	b.db.NoFreelistSync = false
	_ = guarded(func() error { return b.db.Update(func(*bbolt.Tx) error { return nil }) })
}
