// Package journal is the plan of a removal that has come to the point from which it goes forward:
// which files and which index take whose places, and what else goes. Whoever opens a collection
// calls [Resume] first.
//
// The journal is a file in the collection, whose name says how far the removal has come:
//
//	removal.json       it is decided: what the journal names takes its place
//	removal-rest.json  all of that is in its place: the rest goes
//	removed.json       the removal has ended; readers know by it that there was one
//
// It names no URL:
//
//	{"id": "<urn:uuid:…>", "files": [{"name": "X.warc.gz", "size": 17}], "index": 32768,
//	 "rest": ["indexes/…"]}
//
// Invariant: while there is no removal.json, nothing takes any place; when there is one, all that it
// names is on disk, or has taken its place already. From then on files are renamed and removed, and
// nothing is written: a full disk ends no removal that is decided. What stops it, as a directory in
// which nothing can be renamed, takes it back, if that comes before the first file has its place.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// Journal is what is left to do when everything is written.
type Journal struct {
	ID    string   `json:"id"`
	Files []File   `json:"files"` // whose new ones lie beside them
	Index int64    `json:"index"` // size of the new index
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

// Begin returns an error while an earlier removal has not taken its places: what it has written must
// not be mixed with what is written now. One of which only the rest is left is ended.
func Begin(dir collection.Dir) error {
	if _, err := os.Lstat(dir.Removal()); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("an earlier removal has not come to its end (%s): start the recorder "+
			"again, or let warcorder recover run, which finishes it", dir.Removal()), err)
	}
	_, _, err := endLeft(dir)
	return err
}

// Write writes the journal, when all that it names is on disk. From then on the removal goes forward;
// after an error there is no journal. [Journal.Place] makes its name durable.
func (j *Journal) Write(dir collection.Dir, mode collection.Mode) error {
	if err := fault.At(fault.RemovePlan); err != nil {
		return err
	}
	info, err := os.Stat(dir.NewIndex())
	if err == nil {
		j.Index = info.Size()
		err = collection.Write(dir.Removal(), mode, func(w io.Writer) error {
			return json.NewEncoder(w).Encode(j)
		})
	}
	if err != nil {
		return fmt.Errorf("write the plan of the removal: %w", err)
	}
	return nil
}

// read reads the journal at path; nil if there is none.
func read(path string) (*Journal, error) {
	file, err := collection.OpenRegular(path)
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

// Place puts the new files and the new index into their places, as far as that is not done, durably.
func (j *Journal) Place(dir collection.Dir) error {
	if err := errors.Join(dir.Sync(), fault.At(fault.RemovePlanned)); err != nil {
		return err
	}
	for _, f := range j.Files {
		if err := f.place(dir); err != nil {
			return err
		}
	}
	if err := dir.SyncArchive(); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return j.placePages(dir) },
		func() error { return j.placeIndex(dir) },
		dir.Sync,
		func() error { return fault.At(fault.RemoveSwapped) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := os.Rename(dir.Removal(), dir.RemovalRest()); err != nil {
		return err
	}
	return dir.Sync()
}

// Undo takes the journal away, durably, if nothing that it names has taken its place, and reports
// whether that is so: it is for when Place has failed.
func (j *Journal) Undo(dir collection.Dir) (undone bool, err error) {
	waiting := []string{dir.NewIndex()}
	if j.Pages {
		waiting = append(waiting, dir.NewPages())
	}
	for _, f := range j.Files {
		waiting = append(waiting, dir.Rewritten(f.Name))
	}
	for _, path := range waiting {
		if _, err := os.Lstat(path); err != nil {
			return false, nil // a name that cannot be read may be gone
		}
	}
	if err := os.Remove(dir.Removal()); err != nil {
		return false, fmt.Errorf("take the removal back: %w", err)
	}
	if err := dir.Sync(); err != nil {
		return false, fmt.Errorf("take the removal back, which is durable once the disk can be written to: %w", err)
	}
	return true, nil
}

// placeIndex puts the new index into the place of the old one.
func (j *Journal) placeIndex(dir collection.Dir) error {
	info, err := os.Lstat(dir.NewIndex())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != j.Index {
		return notWritten(dir.NewIndex(), info, j.Index)
	}
	if err := fault.At(fault.RemoveSwap); err != nil {
		return err
	}
	return store.Move(dir.NewIndex(), dir.Index())
}

// notWritten is the error of a file that is not what was written.
func notWritten(path string, info fs.FileInfo, size int64) error {
	return fmt.Errorf("%s has %d bytes, and not the %d that were written: a removal cannot go on", path,
		info.Size(), size)
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
		return notWritten(dir.Rewritten(f.Name), info, f.Size)
	}
	if err := errors.Join(fault.At(fault.RemoveRename), dir.MarkStale(f.Name)); err != nil {
		return err
	}
	return os.Rename(dir.Rewritten(f.Name), dir.WARC(f.Name))
}

// End removes the rest, and returns the paths of what it could not remove, which people must do: that
// is no reason to leave a removal without an end. The journal is then that of the last removal. An
// export may have ended since the journal was planned: its lines go too.
func (j *Journal) End(dir collection.Dir) (left []string, err error) {
	found, err := dir.Leftovers()
	if err != nil {
		return nil, err
	}
	rest := slices.Clone(j.Rest)
	for _, path := range found.Exports {
		within := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		if !slices.Contains(rest, within) {
			rest = append(rest, within)
		}
	}
	for _, path := range rest {
		if err := removeRest(dir, path); err != nil {
			left = append(left, path)
		}
	}
	if err := errors.Join(dir.SyncArchive(), dir.SyncIndexes(), fault.At(fault.RemoveDone)); err != nil {
		return left, err
	}
	if err := os.Rename(dir.RemovalRest(), dir.Removed()); err != nil {
		return left, err
	}
	return left, dir.Sync()
}

// removeRest removes a file of the rest, if it is there still.
func removeRest(dir collection.Dir, path string) error {
	if err := fault.At(fault.RemoveRest); err != nil {
		return err
	}
	full, _ := dir.Leftover(path)
	info, err := os.Lstat(full)
	if err == nil && !info.Mode().IsRegular() {
		return nil // none of ours: somebody has put it there since
	}
	if err == nil {
		err = os.Remove(full)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// endLeft ends a removal of which only the rest is left, if there is one.
func endLeft(dir collection.Dir) (ended bool, left []string, err error) {
	j, err := read(dir.RemovalRest())
	if j == nil || err != nil {
		return false, nil, err
	}
	left, err = j.End(dir)
	return err == nil, left, err
}

// Resume finishes a removal that has come to its journal and not to its end, and says that it has,
// with the paths of what could not be removed. Whoever opens a collection calls it first, with the
// collection locked and no index open.
func Resume(dir collection.Dir) (resumed bool, left []string, err error) {
	j, err := read(dir.Removal())
	if j != nil && err == nil {
		err = j.Place(dir)
	}
	if err == nil {
		resumed, left, err = endLeft(dir)
	}
	if err != nil {
		return false, nil, fmt.Errorf("finish the removal of %s, which was interrupted: %w", dir.Removal(), err)
	}
	return resumed, left, nil
}
