package recovery

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// sweep removes what an interrupted recovery has left half made: all of it copies of files that are
// still there. A file that was about to be removed gets its name back, to be judged anew.
func (r *recovery) sweep() error {
	entries, err := os.ReadDir(r.dir.Archive())
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path := r.path(entry.Name())
		switch state, of := collection.StateOf(entry.Name()); state {
		case collection.Removing:
			err = r.putBack(path, r.path(of))
		case collection.Recovering:
			err = r.sweepOne(path, r.path(of))
		case collection.Copying, collection.Rewritten:
			err = r.removeUnread(path)
		}
		if err != nil {
			return err
		}
	}
	return r.dir.SyncArchive()
}

// putBack gives a file that was about to be removed its name again.
func (r *recovery) putBack(path, name string) error {
	err := warc.Move(path, name)
	if errors.Is(err, fs.ErrExist) {
		r.left(filepath.Base(path),
			"this file was about to be removed, and something else has its name now: "+
				"look whether it is needed")
		return nil
	}
	return err
}

// sweepOne removes a file that was to take the place of another one, if the other one is there.
func (r *recovery) sweepOne(path, name string) error {
	for _, suffix := range []string{warc.OpenSuffix, ""} {
		there, err := warc.Look(name + suffix)
		if err == nil && there.File != nil {
			return r.removeUnread(path)
		}
	}
	r.left(filepath.Base(path),
		"this file was to take the place of another one, which is not there any more: "+
			"look whether it is needed")
	return nil
}

// removeUnread removes a file that a recovery or an index has begun to make.
func (r *recovery) removeUnread(path string) error {
	place, err := warc.Look(path)
	if err != nil {
		return err
	}
	if place.IsLink() {
		return nil // we make none
	}
	return os.Remove(path)
}
