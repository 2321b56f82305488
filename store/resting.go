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

// resting is an index that is read while nobody writes it. Its file is locked for those who write
// only while a slice is read, so that a recorder can start at any time. After that a reading fails
// with collection.ErrLocked. The file stays open and mapped from one reading to the next, unless it
// has changed: to map it costs ten times as much as to find a capture in it.
type resting struct {
	path string

	mu   sync.Mutex
	info fs.FileInfo // of the file
	txn  uint64      // the latest transaction that was seen
	kept *keptFile   // the file that was read last; nil if none is open
}

// keptFile is a file that is open for several readings. It is locked while there are any.
type keptFile struct {
	*restingFile
	dir      *os.File // its directory
	readings int
	dropped  bool              // no other reading is to begin
	trees    []*boltcheck.Tree // that no reading uses
}

// read calls f with the index as it is at present. files becomes what the index says of them.
func (r *resting) read(files *fileTable, f func(snapshot) error) error {
	kept, err := r.begin()
	if err != nil {
		return err
	}
	file := kept.reader(&r.mu)
	err = r.follow(file, files)
	if err == nil {
		err = file.read(f)
	}
	if errors.Is(err, ErrDamaged) {
		_ = removeMark(r.path) // who opens it for writing must look at all of it
	}
	return errors.Join(err, r.end(kept, file.tree, err == nil))
}

// begin locks the file for a reading; it opens it first if it is not the one that lies open, or has
// changed since.
func (r *resting) begin() (*keptFile, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept != nil {
		still, err := r.kept.again(r.path)
		if err != nil {
			return nil, err
		}
		if still {
			return r.kept, nil
		}
		if err := r.drop(); err != nil {
			return nil, err
		}
	}
	kept, err := openKept(r.path)
	if err == nil && collection.CanRelock {
		r.kept = kept
	}
	return kept, err
}

// openKept opens the file at path for a first reading.
func openKept(path string) (*keptFile, error) {
	if err := collection.Dir(filepath.Dir(path)).Yield(); err != nil {
		return nil, err
	}
	file, err := openResting(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	k := &keptFile{restingFile: file, readings: 1, dropped: !collection.CanRelock}
	if k.dir, err = os.Open(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return k, nil
}

// Close closes the file.
func (k *keptFile) Close() error { return errors.Join(k.restingFile.Close(), k.dir.Close()) }

// again locks the file for another reading, if it is still what lies at path, and is what it was.
func (k *keptFile) again(path string) (still bool, err error) {
	if err := collection.Share(k.dir); err != nil {
		return false, err // whoever wants to write goes first
	}
	if err := collection.Unshare(k.dir); err != nil {
		return false, err
	}
	if k.readings == 0 {
		if err := collection.Share(k.file); err != nil {
			return false, err
		}
	}
	k.readings++
	info, err := os.Stat(path)
	if err == nil && os.SameFile(info, k.info) && info.Size() == k.info.Size() {
		meta, err := boltcheck.ReadMeta(k.file, info.Size())
		if err == nil && meta == k.tree.Meta() {
			return true, nil
		}
	}
	k.readings--
	return false, nil
}

// drop lets no other reading of the kept file begin.
func (r *resting) drop() error {
	kept := r.kept
	r.kept, kept.dropped = nil, true
	if kept.readings > 0 {
		return nil
	}
	return kept.Close()
}

// reader returns the file with a tree of its own, for one reading.
func (k *keptFile) reader(mu *sync.Mutex) *restingFile {
	mu.Lock()
	defer mu.Unlock()
	file := *k.restingFile
	if last := len(k.trees) - 1; last >= 0 {
		file.tree, k.trees = k.trees[last], k.trees[:last]
	} else {
		file.tree = k.tree.Clone()
	}
	return &file
}

// end ends a reading, with the tree that it had; sound says whether that was read without error.
func (r *resting) end(kept *keptFile, tree *boltcheck.Tree, sound bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sound {
		kept.trees = append(kept.trees, tree)
	} else if r.kept == kept {
		r.kept, kept.dropped = nil, true // it is opened anew
	}
	kept.readings--
	switch {
	case kept.readings > 0:
		return nil
	case kept.dropped:
		return kept.Close()
	}
	return collection.Unshare(kept.file)
}

// close closes the file, once those who read it have ended.
func (r *resting) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		return nil
	}
	return r.drop()
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
	system, step := syscall.Errno(0), new(fs.PathError)
	written := size == 0 && errors.As(err, &step) && step.Op == "write" // by bbolt, as a new one
	if errors.Is(err, collection.ErrLocked) || errors.Is(err, fs.ErrPermission) && !written ||
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
