package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"warcorder/store/collection"
)

// ErrReplaced says that another index lies in the place of the one that was opened: what has been
// read so far cannot be gone on with.
var ErrReplaced = errors.New("the index was replaced while it was read")

// resting is an index that is read while nobody writes it. Its file is open, and locked for those
// who write, only while one reads a slice of it: so it keeps no recorder from starting. Once one
// has, reading it fails with collection.ErrLocked.
type resting struct {
	path string

	mu   sync.Mutex
	info fs.FileInfo // of the file
	txn  uint64      // the latest that was seen
}

// OpenReadOnly opens the index at path for reading: Commit and AddFile fail. It returns collection.ErrLocked
// at once when a recorder has it open, and an error that wraps fs.ErrNotExist when there is none.
// What is read is checked as it is come to: a page that is not sound shows as ErrDamaged, wrapped,
// then.
//
// The index is open only while it is read. A recorder may start between two slices of an Export,
// which then fails with collection.ErrLocked, or another index may come in its place, which is ErrReplaced.
func OpenReadOnly(path string) (*Bolt, error) {
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
	return b, nil
}

// read calls f with the index as it is at present. files becomes what that says of them.
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

// follow notices what has become of the index since it was read before.
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
