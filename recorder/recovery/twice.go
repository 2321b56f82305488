package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// twice deals with a file that is there under both names. A link from one to the other goes. If
// they are two files, someone has put a copy back: if one holds all that the other does, it is the
// file. Else both stay: the one that the index means keeps the name, and the other one gets a new
// one. Where it cannot be told which is the file, both names stay, and that is said.
func (r *recovery) twice(f warcFile) error {
	joined, err := warc.OneName(r.dir.Archive(), f.Name)
	switch {
	case err != nil:
		return err
	case joined == warc.Made:
		r.log.Warn().Str("file", f.Name).
			Msg("a WARC file had both its names: the one that was a link to the other is removed")
		return r.recoverNow(f.File)
	case joined == warc.Mounted:
		return r.keepBoth(f,
			"both names of a WARC file lead to one file, as if it were mounted there: take one of them away")
	}
	path := r.path(f.Name)
	final, err := warc.Look(path)
	if err != nil {
		return err
	}
	open, err := warc.Look(r.dir.OpenWARC(f.Name))
	if err != nil {
		return err
	}
	longer, shorter := final, open
	if open.File.Size() > final.File.Size() {
		longer, shorter = open, final
	}
	same, err := sameStart(shorter, longer)
	switch {
	case err != nil:
		return err
	case !same:
		return r.part(f)
	case longer.IsLink() && !shorter.IsLink():
		return r.keepBoth(f,
			"a WARC file and a link to a copy of it have its two names: take one of them away")
	}
	if err := errors.Join(shorter.Remove(longer), r.dir.SyncArchive()); err != nil {
		return err
	}
	r.log.Warn().Str("file", f.Name).
		Msg("a WARC file was there twice: the shorter copy is removed, the other one holds all of it")
	return r.recoverNow(f.File)
}

// recoverNow recovers a file as it is found now.
func (r *recovery) recoverNow(file store.File) error {
	f := warcFile{File: file, open: sizeAt(r.dir.OpenWARC(file.Name)),
		final: sizeAt(r.path(file.Name))}
	return r.recover(f)
}

// sizeAt is the size of the file that a name leads to, -1 if it leads to none.
func sizeAt(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// keepBoth leaves both names of a file, and reads it under the final one.
func (r *recovery) keepBoth(f warcFile, why string) error {
	r.left(f.Name, why)
	if f.Sealed && f.Committed == f.final || f.final < f.Committed {
		return nil
	}
	return r.addFinished(f)
}

// left says that a file is not as it should be, and stays so.
func (r *recovery) left(name, why string) {
	r.found.Left = append(r.found.Left, name)
	r.log.Error().Str("file", name).Msg(why)
}

// nameLink gives a link its final name that leads to a file elsewhere. What it leads to is never
// cut: it may be another's file.
func (r *recovery) nameLink(f warcFile, open warc.Place) error {
	if err := errors.Join(warc.Move(open.Path, r.path(f.Name)), r.dir.SyncArchive()); err != nil {
		return err
	}
	r.log.Warn().Str("file", f.Name).
		Msg("a link had the name of a file that is being written: it has the final one now, and what " +
			"it leads to stays as it is")
	return r.recoverNow(f.File)
}

// part gives one of two different files of the same name a new one, and recovers both.
func (r *recovery) part(f warcFile) error {
	from, suffix := r.path(f.Name), ""
	if f.Sealed || f.ID == 0 {
		suffix = warc.OpenSuffix
	}
	other, err := r.otherName(f.Name)
	if err != nil {
		return err
	}
	if err := errors.Join(warc.Move(from+suffix, r.path(other)+suffix),
		r.dir.SyncArchive()); err != nil {
		return err
	}
	r.log.Warn().Str("file", f.Name).Str("other", other).
		Msg("two different WARC files had the same name: one of them has a new one")
	return errors.Join(r.recoverNow(f.File), r.recoverNow(store.File{Name: other}))
}

// otherName is a free name like another.
func (r *recovery) otherName(name string) (string, error) {
	for n := 2; ; n++ {
		other := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, warc.Suffix), n, warc.Suffix)
		if free, err := IsFree(r.dir, other, r.index); err != nil || free {
			return other, err
		}
	}
}

// sameStart reports whether the longer one of two files begins with the shorter one.
func sameStart(shorter, longer warc.Place) (bool, error) {
	a, err := openPlace(shorter)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := openPlace(longer)
	if err != nil {
		return false, err
	}
	defer b.Close()
	n := shorter.File.Size()
	return warc.SameBytes(io.NewSectionReader(a, 0, n), io.NewSectionReader(b, 0, n))
}

// sweep removes what an interrupted recovery has left unfinished: copies of what is still there. A
// name that it was about to remove is put back, to be judged anew.
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
		case collection.Copying:
			err = r.removeUnread(path)
		}
		if err != nil {
			return err
		}
	}
	return r.dir.SyncArchive()
}

// putBack gives something its name again that was about to be removed.
func (r *recovery) putBack(path, name string) error {
	err := warc.Move(path, name)
	if errors.Is(err, fs.ErrExist) {
		r.left(filepath.Base(path),
			"this file was about to be removed, and something else has its name now:"+
				" look whether it is needed")
		return nil
	}
	return err
}

// sweepOne removes what was to take the place of a file that is still there.
func (r *recovery) sweepOne(path, name string) error {
	for _, suffix := range []string{warc.OpenSuffix, ""} {
		there, err := warc.Look(name + suffix)
		if err == nil && there.File != nil {
			return r.removeUnread(path)
		}
	}
	r.left(filepath.Base(path),
		"this file was to take the place of another one, which is not there any more:"+
			" look whether it is needed")
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
