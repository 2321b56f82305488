package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"go.etcd.io/bbolt"
)

// File is one WARC file as the index knows it.
type File struct {
	ID        uint32 // given by AddFile, and never to another file
	Name      string // final base name
	Committed int64  // length of the beginning of the file whose captures are in the index, in bytes
	Sealed    bool   // whether it is complete, and renamed to its final name
	Missing   bool   // whether it, or a part of it, is not where it must be: a gap says so
	Reduced   bool   // whether a person has had records removed from it: a tombstone in it says so

	// Remote is where it has a copy in object storage; nil if it has none. It is not to be changed:
	// SetRemote puts another one in its place, and whatever else stores the state of a file leaves it.
	Remote *Remote
}

// The value of a file in the index:
//
//	version(1)  1
//	flags(1)    1 sealed; 2 missing; 4 reduced
//	uvarint     committed
//	            the name, up to the end
const (
	fileVersion = 1
	fileSealed  = 1 << 0
	fileMissing = 1 << 1
	fileReduced = 1 << 2
)

// appendValue appends the value of f.
func (f File) appendValue(dst []byte) []byte {
	var flags byte
	if f.Sealed {
		flags |= fileSealed
	}
	if f.Missing {
		flags |= fileMissing
	}
	if f.Reduced {
		flags |= fileReduced
	}
	dst = binary.AppendUvarint(append(dst, fileVersion, flags), uint64(f.Committed))
	return append(dst, f.Name...)
}

// decodeFile returns the file of that key and value.
func decodeFile(key, value []byte) (File, error) {
	v := reader{rest: value}
	version, flags, committed := v.byte(), v.byte(), v.uvarint()
	if v.failed || version != fileVersion || len(key) != 4 || committed > math.MaxInt64 {
		return File{}, fmt.Errorf("%w: file %x is %q", ErrDamaged, key, value)
	}
	return File{
		ID:        binary.BigEndian.Uint32(key),
		Name:      string(v.rest),
		Committed: int64(committed),
		Sealed:    flags&fileSealed != 0,
		Missing:   flags&fileMissing != 0,
		Reduced:   flags&fileReduced != 0,
	}, nil
}

// putFiles stores the state of files.
func putFiles(tx *bbolt.Tx, files []File) error {
	bucket := tx.Bucket(bucketFiles)
	for _, f := range files {
		key := binary.BigEndian.AppendUint32(nil, f.ID)
		if err := bucket.Put(key, f.appendValue(nil)); err != nil {
			return err
		}
	}
	return nil
}

// readFiles returns the files of an index.
func readFiles(s snapshot) (files []File, err error) {
	remotes := s.bucket(bucketRemotes)
	w := s.bucket(bucketFiles).walk()
	for k, v := w.First(); k != nil; k, v = w.Next() {
		f, err := decodeFile(k, v)
		if err == nil {
			f.Remote, err = readRemote(remotes, k)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// fileTable is the files of an index, in memory, as the last commit has left them. Any number of
// goroutines may read it beside one that changes it.
type fileTable struct {
	mu    sync.RWMutex
	files []File // by ID - 1
	ids   map[string]uint32
}

// add adds the next file.
func (t *fileTable) add(f File) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.ID != uint32(len(t.files))+1 {
		return fmt.Errorf("%w: file %d follows %d others", ErrDamaged, f.ID, len(t.files))
	}
	if t.ids == nil {
		t.ids = make(map[string]uint32)
	}
	t.files = append(t.files, f)
	t.ids[f.Name] = f.ID
	return nil
}

// follow replaces the table by these files. It returns ErrReplaced if they are not what the files
// of the table can have become.
func (t *fileTable) follow(files []File) error {
	next := fileTable{}
	for _, f := range files {
		if err := next.add(f); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.files {
		if i >= len(files) || files[i].Name != f.Name {
			return ErrReplaced
		}
	}
	t.files, t.ids = next.files, next.ids
	return nil
}

// put changes files that are in the table.
func (t *fileTable) put(files []File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range files {
		t.files[f.ID-1] = f
	}
}

// setRemote changes where a file that is in the table has a copy.
func (t *fileTable) setRemote(id uint32, remote *Remote) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[id-1].Remote = remote
}

// size returns how many files have captures and are there, and how many bytes of them are in the
// index.
func (t *fileTable) size() (n int, bytes int64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := range t.files {
		if f := &t.files[i]; !f.Missing && f.Committed > 0 {
			n++
			bytes += f.Committed
		}
	}
	return n, bytes
}

// all returns a copy of the table.
func (t *fileTable) all() []File {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.files)
}

// named returns the file of that name, or else the one that would be added next.
func (t *fileTable) named(name string) (f File, known bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if id, known := t.ids[name]; known {
		return t.files[id-1], true
	}
	return File{ID: uint32(len(t.files)) + 1, Name: name}, false
}

// get returns the file with that ID.
func (t *fileTable) get(id uint32) (File, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if id == 0 || id > uint32(len(t.files)) {
		return File{}, fmt.Errorf("file %d of %d is not known", id, len(t.files))
	}
	return t.files[id-1], nil
}

// changed returns states under the names that their files have in the table.
func (t *fileTable) changed(states []File) ([]File, error) {
	files := make([]File, len(states))
	for i, f := range states {
		known, err := t.get(f.ID)
		if err != nil {
			return nil, err
		}
		if f.Committed < 0 {
			return nil, fmt.Errorf("%s: committed to %d", known.Name, f.Committed)
		}
		f.Name, f.Remote = known.Name, known.Remote
		files[i] = f
	}
	return files, nil
}
