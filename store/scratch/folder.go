package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder is a temporary folder of this process, which only its owner may enter.
type Folder struct {
	Path string

	mark *os.File // the system lets go of it when the process ends
}

// MakeFolder is MakeFolderIn for os.TempDir.
func MakeFolder(kind string) (*Folder, error) { return MakeFolderIn(os.TempDir(), kind) }

// MakeFolderIn makes a folder in dir, whose name has the kind in it: warcorder-KIND-RANDOM. It first
// removes those of the kind whose process was killed, and could not remove them.
//
// Whoever makes a folder marks it, and whoever sweeps marks it too: a folder that is swept before
// its maker has marked it is made again.
//
// Its path is whole: programs that it is told to may have gone elsewhere.
func MakeFolderIn(dir, kind string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	sweep(dir, kind)
	for {
		path, err := os.MkdirTemp(dir, prefix(kind)+"*")
		if err != nil {
			return nil, err
		}
		mark, err := markFolder(path)
		if errors.Is(err, errMarked) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
		return &Folder{path, mark}, nil
	}
}

// errMarked says that another process has marked a folder.
var errMarked = errors.New("the folder is another process's")

// Mark is the file that says that the folder is in use. On Unix, a child that inherits it keeps the
// folder from being swept for as long as that child lives.
func (f *Folder) Mark() *os.File { return f.mark }

// Remove removes the folder with all that is in it.
func (f *Folder) Remove() error { return remove(f.Path, f.mark) }

// remove removes a folder, and only then lets go of its mark. Where files that are open cannot be
// removed, the mark goes when it is closed, and the folder after it.
func remove(path string, mark *os.File) error {
	err := os.RemoveAll(path)
	mark.Close()
	if err != nil {
		err = os.RemoveAll(path)
	}
	if err != nil && isSwept(path) {
		return nil
	}
	return err
}

// isSwept reports whether another process removes a folder, or has done so: where files that are
// open cannot be removed, it may have marked the folder before this one came to its end.
func isSwept(path string) bool {
	mark, err := markFolder(path)
	if err != nil {
		return errors.Is(err, errMarked) || errors.Is(err, fs.ErrNotExist)
	}
	mark.Close()
	return os.RemoveAll(path) == nil
}

func prefix(kind string) string { return "warcorder-" + kind + "-" }

// sweep removes the folders of a kind that dead processes of this user have left in dir. What cannot
// be removed is left to the next one.
func sweep(dir, kind string) {
	left, _ := os.ReadDir(dir)
	for _, one := range left {
		path := filepath.Join(dir, one.Name())
		if !strings.HasPrefix(one.Name(), prefix(kind)) {
			continue
		}
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || !isOwn(info) {
			continue
		}
		if mark, err := markFolder(path); err == nil {
			remove(path, mark)
		}
	}
}
