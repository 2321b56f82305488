package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// noteName is the name of a note in the directory, while files are given their names there.
const noteName = ".warcorder-extract"

// note says which files a process is giving their names. A process that is killed meanwhile leaves
// it, and these files are no extract.
type note struct {
	PID   int      `json:"pid"`
	Names []string `json:"names"`
}

// publish gives all files their names, the lines last.
func (w *writer) publish() error {
	path := filepath.Join(w.dir, noteName)
	text, err := json.Marshal(note{os.Getpid(), w.names})
	if err == nil {
		err = collection.Write(path, collection.DefaultMode, func(out io.Writer) error {
			_, err := out.Write(text)
			return err
		})
	}
	if err == nil {
		err = w.syncDir(w.dir)
	}
	if err != nil {
		return err
	}
	for i, name := range w.names {
		err := warc.Move(filepath.Join(w.folder.Path, name), filepath.Join(w.dir, name))
		if errors.Is(err, fs.ErrExist) {
			err = w.isTaken(name)
		}
		if err != nil {
			return errors.Join(err, remove(w.dir, w.names[:i]), os.Remove(path))
		}
	}
	if err := w.syncDir(w.dir); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return w.syncDir(w.dir) // else a power cut brings the note back, and the next extract removes this one
}

// undo removes the files that a process which was killed was giving their names.
func undo(dir string) error {
	path := filepath.Join(dir, noteName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var left note
	if err := json.Unmarshal(text, &left); err != nil {
		return fmt.Errorf("%s is no note of ours: move it away, or name another directory", path)
	}
	if left.PID != os.Getpid() && collection.IsAlive(left.PID) {
		return fmt.Errorf("process %d writes an extract into %s: name another directory, or remove %s "+
			"if it does not", left.PID, dir, path)
	}
	return errors.Join(remove(dir, left.Names), os.Remove(path))
}

// remove removes files of a directory, as far as they are there.
func remove(dir string, names []string) (err error) {
	for _, name := range names {
		if name != filepath.Base(name) {
			continue
		}
		gone := os.Remove(filepath.Join(dir, name))
		if !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
