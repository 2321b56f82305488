package store

import (
	"errors"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"warcorder/store/boltcheck"
)

// snapshot is the index at one moment: a transaction of bbolt while the index is written, a resting
// file while nobody writes (tree.go).
type snapshot interface {
	bucket(name []byte) table // one without keys if the index has no such bucket
}

// table is a bucket that is read. What it gives is good as long as the snapshot.
type table interface {
	Get(key []byte) []byte // nil if there is no such key
	walk() walker
}

// walker goes through the keys of a table, as a cursor of bbolt does: a nil key is the end.
type walker interface {
	First() (key, value []byte)
	Last() (key, value []byte)
	Next() (key, value []byte)
	Prev() (key, value []byte)
	Seek(key []byte) (found, value []byte)
}

// transaction is a snapshot of an index that can be written.
type transaction struct{ tx *bbolt.Tx }

func (t transaction) bucket(name []byte) table {
	if b := t.tx.Bucket(name); b != nil {
		return written{b}
	}
	return empty{}
}

// written is a bucket of bbolt.
type written struct{ *bbolt.Bucket }

func (w written) walk() walker { return w.Cursor() }

// restingTree is a snapshot of an index that nobody writes.
type restingTree struct{ tree *boltcheck.Tree }

func (t restingTree) bucket(name []byte) table {
	if b := t.tree.Bucket(name); b != nil {
		return atRest{b}
	}
	return empty{}
}

// atRest is a bucket of a file that nobody writes.
type atRest struct{ *boltcheck.Bucket }

func (r atRest) walk() walker { return r.Cursor() }

// empty is a bucket that the index does not have: one of an older version.
type empty struct{}

func (empty) Get([]byte) []byte         { return nil }
func (empty) walk() walker              { return empty{} }
func (empty) First() (_, _ []byte)      { return nil, nil }
func (empty) Last() (_, _ []byte)       { return nil, nil }
func (empty) Next() (_, _ []byte)       { return nil, nil }
func (empty) Prev() (_, _ []byte)       { return nil, nil }
func (empty) Seek([]byte) (_, _ []byte) { return nil, nil }

// read calls f with the index as it is at present.
func (b *Bolt) read(f func(snapshot) error) error {
	if b.resting != nil {
		return b.resting.read(&b.files, f)
	}
	if err := b.broken(); err != nil {
		return err
	}
	return guarded(func() error {
		return b.db.View(func(tx *bbolt.Tx) error { return f(transaction{tx}) })
	})
}

// guarded calls f, and returns as an error what would end the process: bbolt panics when it comes
// to a page that is not sound, and a page that the disk does not give, or of a file that was cut,
// is a fault.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errUnreadable
		default:
			err = damaged("%v", p)
		}
	}()
	return f()
}

// errUnreadable says that a page of the index could not be had from the disk.
var errUnreadable = errors.New(
	"a page of the index cannot be read: the disk fails, or the file was cut")

// cursor reads the keys of one name, as they are at one moment. Where there is none, it gives a nil
// key.
type cursor struct {
	name     Key
	keys     table
	captures table
	extras   table
	walker   walker
}

// view calls read with a cursor over the keys of that name: what the cursor gives is good until
// read returns.
func (b *Bolt) view(name Key, read func(cursor) error) error {
	return b.read(func(s snapshot) error {
		c := cursor{name: name, captures: s.bucket(bucketCaptures), extras: s.bucket(bucketExtras)}
		c.keys = c.captures
		if !name.primary() {
			c.keys = s.bucket([]byte(name))
		}
		c.walker = c.keys.walk()
		return read(c)
	})
}

func (c cursor) seek(key []byte) (indexKey, []byte) { return c.walker.Seek(key) }
func (c cursor) next() (indexKey, []byte)           { return c.walker.Next() }

// before returns the last key before that one.
func (c cursor) before(key []byte) (indexKey, []byte) {
	if k, _ := c.walker.Seek(key); k == nil {
		return c.walker.Last()
	}
	return c.walker.Prev()
}

func (c cursor) get(key indexKey) []byte { return c.keys.Get(key) }

// capture returns the key and the value of the capture to which a key of c and its value lead, and
// that key's text if it is a secondary one.
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
