package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"warcorder/store/fault"
)

// Bolt is the index of one collection, in one bbolt file. Its methods are safe for concurrent use: one Commit at a time, and any number
// of readers beside it.
//
//	captures   see key.go        ->  see value.go
//	extras     see extras.go     ->  see there
//	path       see secondary.go  ->  see there
//	wwwoffle   the same
//	form       the same
//	files      id(4)             ->  see files.go
//	gaps       number(8)         ->  see gaps.go
//	dedup      a hash(32)        ->  see original.go
//	meta       "format"          ->  1(4)
//	           "captures"        ->  their number(8)
//	           "gap " REASON     ->  how many gaps had that reason(8)
//	           "session"         ->  see session.go
//
// Numbers are big endian. A reader of another format refuses to open the file.
type Bolt struct {
	// TempDir is where Export sorts what does not fit into memory; "" is os.TempDir. It may be changed only before the first Export.
	TempDir string

	db *bbolt.DB

	commit  sync.Mutex // held by who writes
	batch   batch      // of the Commit that goes on
	session Session    // whose last transaction is noted; the zero Session if nobody records

	files fileTable

	sortMemory int // what tests set
}

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

// Options say how an index is opened.
type Options struct {
	NoSync bool // no transaction is synced, only Close is: for an index that is made anew and thrown away if that is interrupted
}

// Open opens the index at path for reading and writing and makes it if there is no file. It returns ErrLocked at once when another process has it open,
// and ErrDamaged, wrapped, when the file is no sound index.
func Open(path string, options Options) (*Bolt, error) {
	found, err := check(path)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	return open(path, !found, &bbolt.Options{
		// Without a free list on disk every commit is cheaper, and an open a little dearer: it looks at every page, 0.6 s for 1 GB.
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		// When the file outgrows its mapping, the commit waits for all who read. 1 GiB is some 4 million captures; it is
		// address space, not memory. Windows would make the file that large, 32-bit systems may not have it.
		InitialMmapSize: initialMap(),
		NoSync:          options.NoSync,
		NoGrowSync:      options.NoSync,
	})
}

// OpenReadOnly opens the index at path for reading: Commit and AddFile fail. It returns ErrLocked at once when a recorder has it open, ErrDamaged, wrapped,
// when the file is no sound index, and an error that wraps fs.ErrNotExist when there is none.
func OpenReadOnly(path string) (*Bolt, error) {
	found, err := check(path)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	if !found {
		return nil, fmt.Errorf("no index at %s, nothing has been recorded there: %w", path, fs.ErrNotExist)
	}
	return open(path, false, &bbolt.Options{ReadOnly: true})
}

func initialMap() int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return 1 << 30
}

func open(path string, create bool, options *bbolt.Options) (*Bolt, error) {
	db, err := openDB(path, options)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	b := &Bolt{db: db}
	if err := b.load(create); err != nil {
		return nil, errors.Join(fmt.Errorf("open index %s: %w", path, err), db.Close())
	}
	return b, nil
}

func openDB(path string, options *bbolt.Options) (*bbolt.DB, error) {
	options.Timeout = 1 // nanosecond: one try; zero would wait for ever
	options.NoStatistics = true
	db, err := bbolt.Open(path, 0o600, options)
	if errors.Is(err, berrors.ErrTimeout) {
		err = ErrLocked
	}
	return db, err
}

// check looks at every page of the file at path before bbolt does: bbolt panics, in goroutines of its own, when it comes to a page that is not sound, and
// dies of one that the file has no bytes for. No other process writes meanwhile.
func check(path string) (found bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, errors.New("it is no regular file")
	}
	var file *os.File
	db, err := openDB(path, &bbolt.Options{ReadOnly: true, OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}})
	if err != nil {
		return true, openError(err, info.Size())
	}
	defer db.Close()
	if info, err = file.Stat(); err != nil {
		return true, err
	}
	return true, checkPages(file, info.Size())
}

// openError tells a file of that size, of which bbolt has read the meta pages, from what the system refuses.
func openError(err error, size int64) error {
	system := syscall.Errno(0)
	if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrPermission) || size > 0 && errors.As(err, &system) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// load makes the buckets of a new index, checks the format of an old one and reads its files.
func (b *Bolt) load(create bool) error {
	if create {
		if err := b.create(); err != nil {
			return err
		}
	}
	return b.db.View(func(tx *bbolt.Tx) error {
		if err := checkFormat(tx); err != nil {
			return err
		}
		return tx.Bucket(bucketFiles).ForEach(func(k, v []byte) error {
			f, err := decodeFile(k, v)
			if err != nil {
				return err
			}
			return b.files.add(f)
		})
	})
}

// create makes the buckets of a new index.
func (b *Bolt) create() error {
	return b.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(metaFormat, binary.BigEndian.AppendUint32(nil, format))
	})
}

// buckets returns the names of all buckets that every index has. Those of the gaps and of the originals are made when the first one comes: they were
// not in the indexes of version 1.0.
func buckets() [][]byte {
	names := [][]byte{bucketCaptures, bucketExtras, bucketFiles, bucketMeta}
	for _, key := range secondaryKeys {
		names = append(names, []byte(key))
	}
	return names
}

func checkFormat(tx *bbolt.Tx) error {
	for _, name := range buckets() {
		if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: there is no bucket %q", ErrDamaged, name)
		}
	}
	got := tx.Bucket(bucketMeta).Get(metaFormat)
	if len(got) != 4 || [3]byte(got) != [3]byte{} || got[3] == 0 { // no version will come that far
		return fmt.Errorf("%w: its format is %x", ErrDamaged, got)
	}
	if binary.BigEndian.Uint32(got) != format {
		return fmt.Errorf("its format is %x, and this version of warcorder knows only %d: use the version that made it", got, format)
	}
	return nil
}

// Close closes the index, once those who read have ended. Whatever Commit has returned for is on disk already; with NoSync it is when Close returns nil.
func (b *Bolt) Close() error {
	if !b.db.NoSync {
		return b.db.Close()
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	return errors.Join(b.db.Sync(), b.db.Close())
}

// Files returns all files in the order in which they were added.
func (b *Bolt) Files() ([]File, error) { return b.files.all(), nil }

// AddFile makes a file known to the index, before its first byte is committed; the transaction is synced. A name that is known already gives the File as it
// is. The name must be a base name, and the final one.
func (b *Bolt) AddFile(name string) (File, error) {
	if name == "" || name != filepath.Base(name) {
		return File{}, fmt.Errorf("add file %q: no base name", name)
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	f, known := b.files.named(name)
	if known {
		return f, nil
	}
	if err := fault.At(fault.IndexAddFile); err != nil {
		return File{}, fmt.Errorf("add file %s: %w", name, err)
	}
	if err := b.update(func(tx *bbolt.Tx) error { return putFile(tx, f) }); err != nil {
		return File{}, fmt.Errorf("add file %s: %w", name, err)
	}
	return f, b.files.add(f)
}

// Commit stores captures and the state of files (Committed and Sealed, by ID) in one synced transaction: all of it is durable when Commit returns nil,
// none of it is visible before. The bytes of the captures must be on disk. Committing a capture (its URLKey, Time, File and Offset) again replaces it,
// and its secondary keys.
// Commit keeps neither slice.
func (b *Bolt) Commit(captures []Capture, files []File) error {
	if len(captures) == 0 && len(files) == 0 {
		return nil
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	files, err := b.files.changed(files)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer b.batch.release()
	if err := b.batch.fill(captures, &b.files); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	err = b.update(func(tx *bbolt.Tx) error {
		for _, f := range files {
			if err := putFile(tx, f); err != nil {
				return err
			}
		}
		return putCaptures(tx, &b.batch)
	})
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	b.files.put(files)
	return nil
}

// update calls write in a transaction, which is durable when update returns nil.
func (b *Bolt) update(write func(*bbolt.Tx) error) error {
	err := b.db.Update(func(tx *bbolt.Tx) error {
		if err := write(tx); err != nil {
			return err
		}
		if b.session.Open {
			b.session.Last = FourDigitYear(time.Now())
			if err := tx.Bucket(bucketMeta).Put(metaSession, b.session.appendValue(nil)); err != nil {
				return err
			}
		}
		return fault.At(fault.IndexCommit) // where the disk may be full
	})
	if err != nil {
		return err
	}
	_ = fault.At(fault.IndexCommitted) // nothing can fail any more, but the process may end
	return nil
}

// putCaptures stores the batch and counts what was not there before.
func putCaptures(tx *bbolt.Tx, rows *batch) error {
	if len(rows.originals) > 0 {
		bucket, err := tx.CreateBucketIfNotExists(bucketDedup)
		if err == nil {
			err = rows.putOriginals(bucket)
		}
		if err != nil {
			return err
		}
	}
	added, err := rows.put(tablesOf(tx))
	if err != nil || added == 0 {
		return err
	}
	count := binary.BigEndian.AppendUint64(nil, uint64(count(tx)+int64(added)))
	return tx.Bucket(bucketMeta).Put(metaCaptures, count)
}

// tables are the buckets of the captures, in one transaction.
type tables struct {
	captures, extras *bbolt.Bucket
	secondary        map[Key]*bbolt.Bucket
}

func tablesOf(tx *bbolt.Tx) tables {
	t := tables{tx.Bucket(bucketCaptures), tx.Bucket(bucketExtras), make(map[Key]*bbolt.Bucket)}
	t.extras.FillPercent = 0.9 // their keys come in order, as a rule
	for _, name := range secondaryKeys {
		t.secondary[name] = tx.Bucket([]byte(name))
	}
	return t
}

func count(tx *bbolt.Tx) int64 {
	n := tx.Bucket(bucketMeta).Get(metaCaptures)
	if len(n) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(n))
}

// Count returns how many captures the index holds.
func (b *Bolt) Count() (n int64, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		n = count(tx)
		return nil
	})
	return n, err
}

// Original returns the original with that key, if there is one.
func (b *Bolt) Original(key OriginalKey) (original Original, found bool, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketDedup)
		if bucket == nil {
			return nil
		}
		value := bucket.Get(key[:])
		if value == nil {
			return nil
		}
		found = true
		o, id, err := decodeOriginal(key, value)
		if err != nil {
			return err
		}
		file, err := b.files.get(id)
		original, original.File = o, file.Name
		return err
	})
	return original, found, err
}

// File returns the file of that name, if the index knows it.
func (b *Bolt) File(name string) (f File, known bool) { return b.files.named(name) }

// Newest returns the latest capture of a URL that fits. It looks at the newest 1000 captures of the URL's key only, and at none whose key does not fit into one of the
// index.
func (b *Bolt) Newest(url string, fits func(*Capture) bool) (newest Capture, found bool, err error) {
	s, err := Query{URL: url}.span()
	if err != nil || s.long {
		return Capture{}, false, err
	}
	return b.newestOf(s.start, s.end, fits)
}

// At returns a capture of a URL at that time, to the millisecond, that fits. It looks where Newest does.
func (b *Bolt) At(url string, t time.Time, fits func(*Capture) bool) (capture Capture, found bool, err error) {
	s, err := Query{URL: url}.span()
	if err != nil || s.long {
		return Capture{}, false, err
	}
	surt := s.start[:len(s.start)-1]
	return b.newestOf(appendKey(nil, surt, t, 0, 0), appendKey(nil, surt, t.Add(time.Millisecond), 0, 0), fits)
}

// newestOf returns the last capture that fits of those whose keys are from start to before end.
func (b *Bolt) newestOf(start, end []byte, fits func(*Capture) bool) (newest Capture, found bool, err error) {
	var d decoder
	err = b.view(URLKey, func(c cursor) error {
		key, value := c.before(end)
		for n := 0; n < maxNewest && key != nil && bytes.Compare(key, start) >= 0; n++ {
			capture, err := d.decode(key, value)
			if err != nil {
				return err
			}
			if fits(&capture) {
				file, err := b.files.get(key.file())
				capture.File = file.Name
				newest, found = capture, err == nil
				return err
			}
			key, value = c.cursor.Prev()
		}
		return nil
	})
	return newest, found, err
}

// maxNewest is how far Newest looks.
const maxNewest = 1000

// gapTables are the buckets of the gaps, in one transaction. The first is nil as long as there was none.
type gapTables struct {
	gaps, meta *bbolt.Bucket
}

func (b *Bolt) updateGaps(write func(gapTables) error) error {
	return b.update(func(tx *bbolt.Tx) error {
		t, err := gapTablesOf(tx)
		if err != nil {
			return err
		}
		return write(t)
	})
}

// updateFiles stores the state of files, and gaps.
func (b *Bolt) updateFiles(files []File, gaps []Gap) error {
	return b.update(func(tx *bbolt.Tx) error {
		for _, f := range files {
			if err := putFile(tx, f); err != nil {
				return err
			}
		}
		t, err := gapTablesOf(tx)
		if err != nil {
			return err
		}
		return t.addGaps(gaps, nil)
	})
}

// gapTablesOf makes the bucket of the gaps if there is none.
func gapTablesOf(tx *bbolt.Tx) (gapTables, error) {
	gaps, err := tx.CreateBucketIfNotExists(bucketGaps)
	if err != nil {
		return gapTables{}, err
	}
	gaps.FillPercent = 0.9 // its keys come in order
	return gapTables{gaps, tx.Bucket(bucketMeta)}, nil
}

func (b *Bolt) viewGaps(read func(gapTables) error) error {
	return b.db.View(func(tx *bbolt.Tx) error { return read(gapTables{tx.Bucket(bucketGaps), tx.Bucket(bucketMeta)}) })
}

func putFile(tx *bbolt.Tx, f File) error {
	return tx.Bucket(bucketFiles).Put(binary.BigEndian.AppendUint32(nil, f.ID), f.appendValue(nil))
}

// view calls read with a cursor over the keys of that name, in a transaction: what the cursor gives is good until read returns.
func (b *Bolt) view(name Key, read func(cursor) error) error {
	return b.db.View(func(tx *bbolt.Tx) error {
		c := cursor{name: name, captures: tx.Bucket(bucketCaptures)}
		c.keys = c.captures
		if !name.primary() {
			c.keys = tx.Bucket([]byte(name))
		}
		c.cursor = c.keys.Cursor()
		return read(c)
	})
}

// cursor reads the keys of one name, as they are at one moment. Where there is none, it gives a nil key.
type cursor struct {
	name     Key
	keys     *bbolt.Bucket
	captures *bbolt.Bucket
	cursor   *bbolt.Cursor
}

func (c cursor) seek(key []byte) (indexKey, []byte) { return c.cursor.Seek(key) }
func (c cursor) next() (indexKey, []byte)           { return c.cursor.Next() }

// before returns the last key before that one.
func (c cursor) before(key []byte) (indexKey, []byte) {
	if k, _ := c.cursor.Seek(key); k == nil {
		return c.cursor.Last()
	}
	return c.cursor.Prev()
}
func (c cursor) get(key indexKey) []byte { return c.keys.Get(key) }

// capture returns the key and the value of the capture to which a key of c and its value lead, and that key's text if it is a secondary one.
func (c cursor) capture(k indexKey, v []byte) (text []byte, key indexKey, value []byte, err error) {
	if c.name.primary() {
		return nil, k, v, nil
	}
	if text, key, err = decodeSecondary(nil, k, v); err != nil {
		return nil, nil, nil, err
	}
	if value = c.captures.Get(key); value == nil {
		return nil, nil, nil, fmt.Errorf("%w: a key %s without its capture", ErrDamaged, string(c.name))
	}
	return text, key, value, nil
}

// readExtras fills the extras of c.
func (b *Bolt) readExtras(c *Capture) error {
	file, known := b.files.named(c.File)
	if !known {
		return fmt.Errorf("extras of %s: file %q is not known", c.URL, c.File)
	}
	return b.db.View(func(tx *bbolt.Tx) error {
		return decodeExtras(c, tx.Bucket(bucketExtras).Get(appendLocation(nil, file.ID, c.Offset)))
	})
}
