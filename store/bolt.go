package store

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"warcorder/store/fault"
)

// Bolt is the index of one collection, in one bbolt file. Its methods are safe for concurrent use:
// one Commit at a time, and any number of readers beside it.
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
// Numbers are big endian. A program that does not know a format refuses to open the file; buckets
// that an older program did not make are added.
type Bolt struct {
	// TempDir is where Export sorts what does not fit into memory; "" is os.TempDir. It may be
	// changed only before the first Export.
	TempDir string

	// An index is either open for writing, or it rests: nobody writes it, and it is open only while
	// one reads.
	db      *bbolt.DB
	file    *os.File // of db
	resting *resting

	commit  sync.Mutex // held by who writes
	batch   batch      // of the Commit that goes on
	session Session    // whose last transaction is noted; the zero Session if nobody records

	failure struct { // of a transaction that broke in bbolt's hands
		sync.Mutex
		err error
	}

	files fileTable

	sortMemory int // what tests set
}

// Files returns all files in the order in which they were added.
func (b *Bolt) Files() ([]File, error) { return b.files.all(), nil }

// AddFile makes a file known to the index, before its first byte is committed; the transaction is
// synced. A name that is known already gives the File as it is. The name must be a base name, and
// the final one.
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

// Commit stores captures and the state of files (Committed and Sealed, by ID) in one synced
// transaction: all of it is durable when Commit returns nil, none of it is visible before. The
// bytes of the captures must be on disk. Committing a capture (its URLKey, Time, File and Offset)
// again replaces it, and its secondary keys. Commit keeps neither slice.
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
	if b.resting != nil {
		return ErrReadOnly
	}
	if err := b.broken(); err != nil {
		return err
	}
	ended := false
	err := guarded(func() error {
		err := b.db.Update(func(tx *bbolt.Tx) error {
			if err := b.write(tx, write); err != nil {
				return err
			}
			return fault.At(fault.IndexCommit) // where the disk may be full
		})
		ended = true
		return err
	})
	if !ended {
		b.breaks(err)
	}
	if err != nil {
		return err
	}
	_ = fault.At(fault.IndexCommitted) // nothing can fail any more, but the process may end
	return nil
}

// write calls write, and notes the time if somebody records.
func (b *Bolt) write(tx *bbolt.Tx, write func(*bbolt.Tx) error) error {
	if err := write(tx); err != nil || !b.session.Open {
		return err
	}
	b.session.Last = FourDigitYear(time.Now())
	return tx.Bucket(bucketMeta).Put(metaSession, b.session.appendValue(nil))
}

// breaks notes that bbolt has panicked within a transaction: its locks may be held for ever, and
// what it has in memory may be wrong.
func (b *Bolt) breaks(err error) {
	b.failure.Lock()
	defer b.failure.Unlock()
	b.failure.err = fmt.Errorf("%w: %w", ErrBroken, err)
}

// broken returns why the index cannot be used any more, or nil.
func (b *Bolt) broken() error {
	b.failure.Lock()
	defer b.failure.Unlock()
	return b.failure.err
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
	before := count(transaction{tx})
	count := binary.BigEndian.AppendUint64(nil, uint64(before+int64(added)))
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

func count(s snapshot) int64 {
	n := s.bucket(bucketMeta).Get(metaCaptures)
	if len(n) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(n))
}

// Count returns how many captures the index holds.
func (b *Bolt) Count() (n int64, err error) {
	err = b.read(func(s snapshot) error {
		n = count(s)
		return nil
	})
	return n, err
}

func putFile(tx *bbolt.Tx, f File) error {
	return tx.Bucket(bucketFiles).Put(binary.BigEndian.AppendUint32(nil, f.ID), f.appendValue(nil))
}
