package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"go.etcd.io/bbolt"

	"warcorder/store/boltcheck"
	"warcorder/store/collection"
)

// resting is an index that is read while nobody writes it. Its file is open, and locked for those
// who write, only while a slice is read, so that a recorder can start at any time. After that a
// reading fails with collection.ErrLocked.
type resting struct {
	path string

	mu   sync.Mutex
	info fs.FileInfo // of the file
	txn  uint64      // the latest transaction that was seen
}

// read calls f with the index as it is at present. files becomes what the index says of them.
func (r *resting) read(files *fileTable, f func(snapshot) error) error {
	if err := collection.Dir(filepath.Dir(r.path)).Yield(); err != nil {
		return err
	}
	file, err := openResting(r.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	err = r.follow(file, files)
	if err == nil {
		err = file.read(f)
	}
	if errors.Is(err, ErrDamaged) {
		_ = removeMark(r.path) // who opens it for writing must look at all of it
	}
	return errors.Join(err, file.Close())
}

// follow brings files up to date if the index has changed since it was read before. It returns
// ErrReplaced if that is another index.
func (r *resting) follow(file *restingFile, files *fileTable) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.info != nil {
		if !os.SameFile(r.info, file.info) || file.tree.Meta().TxnID < r.txn {
			return ErrReplaced
		}
		if file.tree.Meta().TxnID == r.txn {
			return nil
		}
	}
	var now []File
	err := file.read(func(s snapshot) (err error) {
		now, err = readFiles(s)
		return err
	})
	if err == nil {
		err = files.follow(now)
	}
	if err != nil {
		return err
	}
	r.info, r.txn = file.info, file.tree.Meta().TxnID
	return nil
}

// restingFile is the file of an index while nobody can write it. bbolt maps it into memory and
// locks it, and reads nothing of it but the meta pages.
type restingFile struct {
	tree *boltcheck.Tree
	db   *bbolt.DB
	file *os.File // of db
	info fs.FileInfo
}

// openResting opens the file of an index, as flag says. Until the file is closed nobody else can
// write it.
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

// Close unlocks the file.
func (f *restingFile) Close() error { return f.db.Close() }

// treeOf returns the tree in a file of that size, which bbolt has mapped into memory.
func treeOf(db *bbolt.DB, file *os.File, size int64) (*boltcheck.Tree, error) {
	meta, err := boltcheck.ReadMeta(file, size)
	if err != nil {
		return nil, judged(err)
	}
	mapping := db.Info().Data // an address that Go's collector knows nothing of
	return boltcheck.NewTree(unsafe.Slice(*(**byte)(unsafe.Pointer(&mapping)), size), meta), nil
}

// openError lets an error of opening a file of that size wrap ErrDamaged, unless the system has
// refused it.
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

// read calls read with the index in the file.
func (f *restingFile) read(read func(snapshot) error) error {
	err := guarded(func() error { return read(restingTree{f.tree}) })
	if damage := f.tree.Err(); damage != nil {
		return judged(damage) // after it nothing that was read means anything
	}
	return err
}

func (f *restingFile) checkFormat() error { return f.read(checkFormat) }
