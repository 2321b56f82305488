package store

import (
	"go.etcd.io/bbolt"

	"warcorder/store/boltcheck"
)

// snapshot is the index at one moment: a transaction of bbolt while the index is open for writing
// (writing.go), the file itself while nobody writes (resting.go).
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

// transaction is a snapshot of an index that is open for writing.
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
