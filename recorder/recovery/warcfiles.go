package recovery

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// warcFile is a WARC file as the index and the directory show it.
type warcFile struct {
	store.File       // ID 0 if the index does not know it
	open       int64 // size of the file under its name while it is written; -1 if there is none
	final      int64 // the same under its final name
}

// warcFiles returns all files that the index knows, the directory shows or a copy is known of, in the
// order of their names.
func (r *recovery) warcFiles() ([]warcFile, error) {
	all := make(map[string]*warcFile)
	get := func(name string) *warcFile {
		if all[name] == nil {
			all[name] = &warcFile{File: store.File{Name: name}, open: -1, final: -1}
		}
		return all[name]
	}
	known, err := r.index.Files()
	if err != nil {
		return nil, err
	}
	for _, file := range known {
		get(file.Name).File = file
	}
	sizes, err := r.dir.Sizes()
	if err != nil {
		return nil, err
	}
	if err := inOurSpelling(r.dir, known, sizes); err != nil {
		return nil, err
	}
	for name := range r.copies.known {
		get(name)
	}
	for name, size := range sizes {
		if final, open := strings.CutSuffix(name, warc.OpenSuffix); open {
			get(final).open = size
		} else {
			get(name).final = size
		}
	}
	var files []warcFile
	for _, name := range slices.Sorted(maps.Keys(all)) {
		files = append(files, *all[name])
	}
	return files, nil
}

// agrees reports whether the index, the directory and what is known of a copy agree on the file: there
// is nothing to do.
func (r *recovery) agrees(f warcFile) bool {
	note := r.copies.noted[f.Name]
	noted := f.Remote != nil && note != nil && isSameCopy(f.Remote, note)
	switch copied := r.copyOf(f.File); {
	case f.isThere():
		return copied == nil || noted
	case f.final < 0 && copied == nil: // it was planned, and nothing came of it
		return f.isSettled() && f.Committed == 0
	}
	return f.isSettled() && f.final < 0 && f.IsAway() && noted
}

// isSettled reports whether the index calls the file finished, and knows of nothing else.
func (f warcFile) isSettled() bool { return f.ID > 0 && f.Sealed && f.open < 0 && !f.Missing }

// isThere reports whether the file is here, and all of it is in the index.
func (f warcFile) isThere() bool { return f.isSettled() && f.final == f.Committed }

// inOurSpelling gives files the names that the index knows them by, where a directory takes several
// spellings of a name for one, and a restore has brought another one: else they would be missing
// and there at once.
func inOurSpelling(dir collection.Dir, known []store.File, sizes map[string]int64) error {
	for _, file := range known {
		_, final := sizes[file.Name]
		_, open := sizes[file.Name+warc.OpenSuffix]
		if final || open || file.Committed == 0 {
			continue
		}
		for _, name := range []string{file.Name, file.Name + warc.OpenSuffix} {
			if err := respell(dir, name, sizes); err != nil {
				return err
			}
		}
	}
	return nil
}

// respell gives the file that name leads to, if there is one, that name in sizes.
func respell(dir collection.Dir, name string, sizes map[string]int64) error {
	there, err := os.Lstat(dir.WARC(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for other, size := range sizes {
		if !strings.EqualFold(other, name) {
			continue
		}
		info, err := os.Lstat(dir.WARC(other))
		if err == nil && os.SameFile(info, there) {
			sizes[name] = size
			delete(sizes, other)
			return nil
		}
	}
	return nil
}

// IsFree reports whether a new WARC file may have that base name: no file has it in the index or in
// the collection, and none has left a copy under it. The error is one of the index or the system.
func IsFree(dir collection.Dir, name string, index *store.Bolt) (bool, error) {
	files, err := index.Files()
	if err != nil || slices.ContainsFunc(files, func(f store.File) bool { return f.Name == name }) {
		return false, err
	}
	return dir.IsFree(name)
}
