// Package journal is the plan of a removal that has come to the point from which it goes forward:
// which files and which index take whose places, and what else goes. Whoever opens a collection
// calls [Resume] first.
//
// The journal is removal.json in the collection. It names no URL:
//
//	{"id": "<urn:uuid:…>", "files": [{"name": "X.warc.gz", "size": 17}], "rest": ["indexes/…"]}
//
// Invariant: while there is no journal, nothing of a removal has taken any place; when there is one,
// all that it names is on disk, or has taken its place already.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// Journal is what is left to do when everything is written.
type Journal struct {
	ID    string   `json:"id"`
	Files []File   `json:"files"` // whose new ones lie beside them
	Pages bool     `json:"pages"` // there is a new list of pages
	Rest  []string `json:"rest"`  // paths in the collection that go
}

// File is a file that takes the place of the one of that base name.
type File struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// maxSize is more bytes than a journal of ours has: of a million files.
const maxSize = 256 << 20

// Write writes the journal, durably. From then on the removal goes forward.
func (j *Journal) Write(dir collection.Dir, mode collection.Mode) error {
	if err := fault.At(fault.RemovePlan); err != nil {
		return err
	}
	err := collection.Write(dir.Removal(), mode, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(j)
	})
	if err == nil {
		err = dir.Sync()
	}
	if err != nil {
		return fmt.Errorf("write the plan of the removal: %w", err)
	}
	return fault.At(fault.RemovePlanned)
}

// read reads the journal; nil if there is none.
func read(dir collection.Dir) (*Journal, error) {
	file, err := collection.OpenRegular(dir.Removal())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	j := new(Journal)
	if err := json.NewDecoder(io.LimitReader(file, maxSize)).Decode(j); err != nil {
		return nil, err
	}
	return j, j.check()
}

// check refuses a journal that leads out of the collection.
func (j *Journal) check() error {
	for _, f := range j.Files {
		if f.Name != filepath.Base(f.Name) || !collection.IsWARC(f.Name) || f.Size < 0 {
			return fmt.Errorf("%q is no WARC file of a collection", f.Name)
		}
	}
	for _, path := range j.Rest {
		if _, is := collection.Dir("").Leftover(path); !is {
			return fmt.Errorf("%q is nothing that a removal takes away", path)
		}
	}
	return nil
}

// Place puts the new files and the new index into their places, as far as that is not done.
func (j *Journal) Place(dir collection.Dir) error {
	for _, f := range j.Files {
		if err := f.place(dir); err != nil {
			return err
		}
	}
	if err := dir.SyncArchive(); err != nil {
		return err
	}
	if err := j.placePages(dir); err != nil {
		return err
	}
	if err := fault.At(fault.RemoveSwap); err != nil {
		return err
	}
	err := store.Move(dir.NewIndex(), dir.Index())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := dir.Sync(); err != nil {
		return err
	}
	return fault.At(fault.RemoveSwapped)
}

// placePages puts the new list of pages into the place of the old one.
func (j *Journal) placePages(dir collection.Dir) error {
	if !j.Pages {
		return nil
	}
	err := os.Rename(dir.NewPages(), dir.Pages())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// place puts the new file into the place of the old one.
func (f File) place(dir collection.Dir) error {
	info, err := os.Lstat(dir.Rewritten(f.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != f.Size {
		return fmt.Errorf("%s has %d bytes, and not the %d that were written: a removal cannot go on",
			dir.Rewritten(f.Name), info.Size(), f.Size)
	}
	if err := fault.At(fault.RemoveRename); err != nil {
		return err
	}
	return os.Rename(dir.Rewritten(f.Name), dir.WARC(f.Name))
}

// End removes the rest; the journal is then that of the last removal, by which readers know that
// there was one.
func (j *Journal) End(dir collection.Dir) error {
	for _, path := range j.Rest {
		if err := fault.At(fault.RemoveRest); err != nil {
			return err
		}
		full, _ := dir.Leftover(path)
		err := os.Remove(full)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := errors.Join(dir.SyncArchive(), dir.SyncIndexes(), fault.At(fault.RemoveDone)); err != nil {
		return err
	}
	if err := os.Rename(dir.Removal(), dir.Removed()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return dir.Sync()
}

// Resume finishes a removal that has come to its journal and not to its end, and says that it has.
// Whoever opens a collection calls it first, with the collection locked and no index open.
func Resume(dir collection.Dir) (resumed bool, err error) {
	j, err := read(dir)
	if j == nil && err == nil {
		return false, nil
	}
	if err == nil {
		err = j.Place(dir)
	}
	if err == nil {
		err = j.End(dir)
	}
	if err != nil {
		return false, fmt.Errorf("finish the removal of %s, which was interrupted: %w", dir.Removal(), err)
	}
	return true, nil
}
