package store

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"go.etcd.io/bbolt"

	"warcorder/store/boltcheck"
	"warcorder/store/fault"
)

// writing is an index that is open for writing. No other process reads or writes it.
type writing struct {
	db   *bbolt.DB
	file *os.File // of db

	mu     sync.Mutex
	broken error // since a transaction broke in bbolt's hands
}

// usable returns why the index cannot be used any more, or nil.
func (w *writing) usable() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// begin begins a transaction that reads. The caller has deferred caught, and rolls it back.
func (w *writing) begin() (*bbolt.Tx, error) {
	if err := w.usable(); err != nil {
		return nil, err
	}
	return w.db.Begin(false)
}

// read calls f with the index as it is at present.
func (w *writing) read(f func(snapshot) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err)
	tx, err := w.begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(transaction{tx})
}

// get appends the value of a key to dst; it returns nil if there is none. It does what read would
// do, and allocates less.
func (w *writing) get(bucket, key, dst []byte) (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err)
	tx, err := w.begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	if b := tx.Bucket(bucket); b != nil {
		if found := b.Get(key); found != nil {
			return append(dst, found...), nil
		}
	}
	return nil, nil
}

// update calls write in a transaction, which is durable when update returns nil.
func (w *writing) update(write func(*bbolt.Tx) error) error {
	if err := w.usable(); err != nil {
		return err
	}
	ended := false
	err := guarded(func() error {
		err := w.db.Update(func(tx *bbolt.Tx) error {
			if err := write(tx); err != nil {
				return err
			}
			return fault.At(fault.IndexCommit) // where the disk may be full
		})
		ended = true
		return err
	})
	if !ended {
		w.breaks(err)
	}
	if err != nil {
		return err
	}
	_ = fault.At(fault.IndexCommitted) // nothing can fail any more, but the process may end
	return nil
}

// breaks notes that bbolt has panicked within a transaction: its locks may be held for ever, and
// what it has in memory may be wrong.
func (w *writing) breaks(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = fmt.Errorf("%w: %w", ErrBroken, err)
}

// close closes the index, and marks it as closed well. Nobody writes meanwhile.
func (w *writing) close() error {
	if w.db.Path() == "" {
		return nil // closed before
	}
	w.writeFreelist()
	var err error
	if w.db.NoSync {
		err = w.db.Sync()
	}
	if err == nil {
		_ = writeMark(w.file, w.db.Path()) // without a mark the next Open reads every page
	}
	return errors.Join(err, w.db.Close())
}

// writeFreelist lets bbolt write its list of free pages, unless the one on disk is right. Where
// that cannot be, the next Open makes it.
func (w *writing) writeFreelist() {
	info, err := w.file.Stat()
	if err != nil {
		return
	}
	if meta, err := boltcheck.ReadMeta(w.file, info.Size()); err != nil || meta.HasFreelist() {
		return
	}
	w.db.NoFreelistSync = false
	_ = guarded(func() error { return w.db.Update(func(*bbolt.Tx) error { return nil }) })
}
