package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
)

// collectionFlags say which collection a command works on.
type collectionFlags struct {
	Collection string `default:"default" placeholder:"NAME"`
	Dir        string `default:"collections" type:"path"`
}

// dir returns the collection's directory. One that a newer version has written is no command's.
func (f *collectionFlags) dir() (collection.Dir, error) {
	dir, err := collection.In(f.Dir, f.Collection)
	if err != nil {
		return dir, fmt.Errorf("--collection %w", err)
	}
	return dir, dir.CheckLayout()
}

// mostNames is how many collections an error names.
const mostNames = 10

// noCollection says that there is no such collection, and which ones are there; or who may look.
func noCollection(dir collection.Dir) error {
	if _, err := os.Stat(dir.Archive()); errors.Is(err, fs.ErrPermission) {
		return explainRead(err, dir)
	}
	names, more, err := collection.Names(filepath.Dir(string(dir)), mostNames)
	return noneOf(dir, names, more, err)
}

// noneOf is noCollection where those names are there, and maybe more, or an error is.
func noneOf(dir collection.Dir, names []string, more bool, err error) error {
	all := printable(filepath.Dir(string(dir)))
	text := "there is no collection " + printable(dir.Name())
	switch {
	case errors.Is(err, fs.ErrPermission):
		return explainRead(err, dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w (--dir names another directory)", text, err)
	case len(names) == 0:
		return fmt.Errorf("%s: nothing was recorded into %s yet: %s begins, or --dir names another directory",
			text, all, commandFor(dir, "browser URL"))
	}
	list := printable(strings.Join(names, ", "))
	if more {
		list += " and others"
	}
	return fmt.Errorf("%s: %s holds %s (--collection names one)", text, all, list)
}

// nobodyRecords is the error of a step that needs a recorder.
func nobodyRecords(step string, dir collection.Dir) error {
	if !dir.Exists() {
		return fmt.Errorf("%s: %w", step, noCollection(dir))
	}
	return fmt.Errorf("%s: nobody records %s: start a recorder, or name another collection with "+
		"--collection and --dir", step, dir)
}

// explainRead says what to do about an index that cannot be read.
func explainRead(err error, dir collection.Dir) error {
	if err == nil {
		return nil
	}
	files, _ := dir.Sizes()
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(files) > 0:
		return fmt.Errorf("the index of %s is missing: %s makes it anew from the %s", dir,
			commandFor(dir, "recover"), count(len(files), "WARC file"))
	case errors.Is(err, fs.ErrNotExist) && dir.Exists():
		return fmt.Errorf("nothing was recorded into %s yet: it has neither WARC files nor an index", dir)
	case errors.Is(err, fs.ErrNotExist):
		return noCollection(dir)
	case errors.Is(err, store.ErrDamaged):
		return fmt.Errorf("%w: %s makes it anew from the WARC files", err, commandFor(dir, "recover"))
	case errors.Is(err, store.ErrInterrupted):
		return fmt.Errorf("%w: %s finishes it, and so does the next recording", err,
			commandFor(dir, "recover"))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: run this as the user who recorded it, or have archive-mode let others read",
			err)
	}
	return err
}

// lockPatience is how long a command waits for a collection that another process has open, unless
// that is a recorder: readers are done in a moment.
const lockPatience = 5 * time.Second

// whenFree opens a collection. While other processes have the collection open it tries again, for
// lockPatience; the error then says which processes they are.
func whenFree(dir collection.Dir, open func() error) error {
	for until := time.Now().Add(lockPatience); ; time.Sleep(100 * time.Millisecond) {
		err := open()
		if !errors.Is(err, collection.ErrLocked) {
			return err
		}
		if who, running := dir.Recorder(); running {
			return recordedBy(dir, who)
		}
		if time.Now().After(until) {
			return fmt.Errorf(
				"collection %s is in use by %s: wait until it has ended, or record to another --collection",
				dir, holders(dir))
		}
	}
}

// recordedBy is the error of who wants a collection that another process records.
func recordedBy(dir collection.Dir, who collection.Running) error {
	return &recordedError{dir, who}
}

// recordedError says that another process records a collection.
type recordedError struct {
	dir collection.Dir
	who collection.Running
}

func (e *recordedError) Error() string {
	return fmt.Sprintf("collection %s is already being recorded by process %d at %s: use that proxy, "+
		"stop it, or record to another --collection", e.dir, e.who.PID,
		strings.Join(e.who.Addresses, ", "))
}

// Is reports that a command may use that process's recorder.
func (e *recordedError) Is(target error) bool { return target == errAnother }

// holders names the processes that have a collection open, as far as the system tells.
func holders(dir collection.Dir) string {
	names := dir.Holders()
	if len(names) == 0 {
		return "another process (a recover or rebuild?)"
	}
	return printable(strings.Join(names, " and "))
}
