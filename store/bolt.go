package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
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
//	meta       "format"          ->  1(4)
//	           "captures"        ->  their number(8)
//
// Numbers are big endian. A reader of another format refuses to open the file.
type Bolt struct {
	// TempDir is where Export sorts what does not fit into memory; "" is os.TempDir. It may be changed only before the first Export.
	TempDir string

	db *bbolt.DB

	commit sync.Mutex // held by who writes
	batch  batch      // of the Commit that goes on

	files fileTable

	sortMemory int // what tests set
}

const format = 1

var (
	bucketCaptures = []byte("captures")
	bucketExtras   = []byte("extras")
	bucketFiles    = []byte("files")
	bucketMeta     = []byte("meta")
	metaFormat     = []byte("format")
	metaCaptures   = []byte("captures")
)

// Open opens the index at path for reading and writing and makes it if there is none. It returns ErrLocked at once when another process has it open.
func Open(path string) (*Bolt, error) {
	return open(path, &bbolt.Options{
		// Without a free list on disk every commit is cheaper, and an open a little dearer: it looks at every page, 0.6 s for 1 GB.
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		// When the file outgrows its mapping, the commit waits for all who read. 1 GiB is some 4 million captures; it is
		// address space, not memory. Windows would make the file that large, 32-bit systems may not have it.
		InitialMmapSize: initialMap(),
	})
}

// OpenReadOnly opens the index at path for reading: Commit and AddFile fail. It returns ErrLocked at once when a recorder has it open, and an error
// that wraps fs.ErrNotExist when there is no index.
func OpenReadOnly(path string) (*Bolt, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no index at %s, nothing has been recorded there: %w", path, fs.ErrNotExist)
	}
	return open(path, &bbolt.Options{ReadOnly: true})
}

func initialMap() int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return 1 << 30
}

func open(path string, options *bbolt.Options) (*Bolt, error) {
	options.Timeout = 1 // nanosecond: one try; zero would wait for ever
	options.NoStatistics = true
	db, err := bbolt.Open(path, 0o600, options)
	if errors.Is(err, berrors.ErrTimeout) {
		err = ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	b := &Bolt{db: db}
	if err := b.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open index %s: %w", path, err), db.Close())
	}
	return b, nil
}

// load makes the buckets of a new index, checks the format of an old one and reads its files.
func (b *Bolt) load() error {
	if !b.db.IsReadOnly() {
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

// create makes the buckets of a new index; it leaves any other file as it is.
func (b *Bolt) create() error {
	tx, err := b.db.Begin(true)
	if err != nil {
		return err
	}
	defer tx.Rollback() // an error once it is committed
	if name, _ := tx.Cursor().First(); name != nil {
		return nil
	}
	for _, name := range buckets() {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	if err := tx.Bucket(bucketMeta).Put(metaFormat, binary.BigEndian.AppendUint32(nil, format)); err != nil {
		return err
	}
	return tx.Commit()
}

// buckets returns the names of all buckets.
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
			return errors.New("this file is no index of captures")
		}
	}
	got := tx.Bucket(bucketMeta).Get(metaFormat)
	if len(got) != 4 || binary.BigEndian.Uint32(got) != format {
		return fmt.Errorf("its format is %x, and this version of warcorder knows only %d: use the version that made it", got, format)
	}
	return nil
}

// Close closes the index, once those who read have ended. Whatever Commit has returned for is on disk already.
func (b *Bolt) Close() error { return b.db.Close() }

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
	if err := b.db.Update(func(tx *bbolt.Tx) error { return putFile(tx, f) }); err != nil {
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
	err = b.db.Update(func(tx *bbolt.Tx) error {
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

// putCaptures stores the batch and counts what was not there before.
func putCaptures(tx *bbolt.Tx, rows *batch) error {
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
func (c cursor) get(key indexKey) []byte            { return c.keys.Get(key) }

// capture returns the key and the value of the capture to which a key of c and its value lead, and that key's text if it is a secondary one.
func (c cursor) capture(k indexKey, v []byte) (text []byte, key indexKey, value []byte, err error) {
	if c.name.primary() {
		return nil, k, v, nil
	}
	if text, key, err = decodeSecondary(nil, k, v); err != nil {
		return nil, nil, nil, err
	}
	if value = c.captures.Get(key); value == nil {
		return nil, nil, nil, fmt.Errorf("the index is damaged: a key %s without its capture", string(c.name))
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
