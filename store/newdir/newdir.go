// Package newdir writes a directory that appears as a whole, or not at all. Start with [Begin].
//
//	PARENT/
//	  NAME/                  the directory, when all of it is on disk
//	  .warcorder-new/        until then: in a temporary folder of the process that writes it
//
// Invariant: nothing has its name before all of it is on disk, and nothing that was there is touched
// or replaced but an empty directory of that name. What a process that was killed has left is removed
// by the next one with the same parent.
package newdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/behind"
	"warcorder/store/collection"
	"warcorder/store/scratch"
	"warcorder/store/warc"
)

// Dir is a directory that is being written. It is for one goroutine.
type Dir struct {
	path   string
	mode   collection.Mode // of its files
	made   bool            // the parent was not there
	holder string          // of the folder
	folder *scratch.Folder
	root   string // of what is written
	open   map[*File]bool
}

// Begin begins a directory, whose parent is made if it is not there. The directory itself must not be
// there yet, or have nothing in it.
func Begin(path string, mode collection.Mode) (*Dir, error) {
	path, err := whole(path)
	if err != nil {
		return nil, err
	}
	if err := checkFree(path); err != nil {
		return nil, err
	}
	d := &Dir{path: path, mode: mode, open: make(map[*File]bool)}
	parent := filepath.Dir(path)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		d.made = true
		if err := collection.MakeDir(parent, 0o755); err != nil {
			return nil, err
		}
	}
	d.holder = filepath.Join(parent, ".warcorder-new")
	if err := d.makeRoot(); err != nil {
		return nil, errors.Join(err, d.End())
	}
	return d, nil
}

// whole returns where a path really leads.
func whole(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Abs(path)
}

// checkFree refuses a path that is taken.
func checkFree(path string) error {
	left, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(left) == 0:
		return nil
	case err == nil || errors.Is(err, fs.ErrExist):
		return isTaken(path)
	}
	if info, there := os.Stat(path); there == nil && !info.IsDir() {
		return isTaken(path)
	}
	return err
}

// isTaken is the error of a path that is something else's.
func isTaken(path string) error {
	return fmt.Errorf("%s is there already: name another directory, or move it away", path)
}

// makeRoot makes the folder in which all is written. Another process may remove the holder, which is
// empty then, before there is anything in it.
func (d *Dir) makeRoot() (err error) {
	for range 100 {
		if err = os.Mkdir(d.holder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if d.folder, err = scratch.MakeFolderIn(d.holder, "new"); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	d.root = filepath.Join(d.folder.Path, filepath.Base(d.path))
	return os.Mkdir(d.root, 0o755)
}

// TempDir is a folder for temporary files.
func (d *Dir) TempDir() string { return d.folder.Path }

// File is a file of a directory.
type File struct {
	dir  *Dir
	file *os.File
	*behind.File
}

// Create begins a file. Its name may have folders before it, with slashes.
func (d *Dir) Create(name string) (*File, error) {
	path := filepath.Join(d.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	f := &File{d, file, behind.New(file)}
	d.open[f] = true
	return f, nil
}

// Close ends the file, all of which is on disk then.
func (f *File) Close() error {
	delete(f.dir.open, f)
	return errors.Join(f.dir.mode.Set(f.file.Name()), f.Sync(), f.file.Close())
}

// Publish gives the directory its name. All files are closed.
func (d *Dir) Publish() error {
	err := filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = warc.SyncDir(path)
		}
		return err
	})
	if err == nil {
		err = d.rename()
	}
	if err == nil {
		err = warc.SyncDir(filepath.Dir(d.path))
	}
	return err
}

// rename gives the directory its name. On Windows, none may be there.
func (d *Dir) rename() error {
	err := os.Rename(d.root, d.path)
	if err == nil {
		return nil
	}
	if info, there := os.Lstat(d.path); there != nil {
		return err
	} else if !info.IsDir() || os.Remove(d.path) != nil {
		return isTaken(d.path)
	}
	return os.Rename(d.root, d.path)
}

// End removes what has no name yet, and the parent if it was made for nothing.
func (d *Dir) End() (err error) {
	for f := range d.open {
		f.Stop()
		f.file.Close()
	}
	if d.folder != nil {
		err = d.folder.Remove()
	}
	os.Remove(d.holder) // it stays if another process writes there
	if d.made {
		os.Remove(filepath.Dir(d.path)) // it stays if there is anything in it
	}
	return err
}
