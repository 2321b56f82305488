package recovery

import (
	"errors"
	"fmt"
	"strings"

	"warcorder/store"
	"warcorder/store/warc"
)

// twice deals with a file that is there under both names. A link from one to the other goes. If
// they are two files, someone has put a copy back: if one holds all that the other does, it is the
// file. Else both stay: the one that the index means keeps the name, and the other one gets a new
// one. Where it cannot be told which is the file, both names stay, and that is said.
func (r *recovery) twice(f warcFile) (again []store.File, err error) {
	joined, err := warc.OneName(r.dir.Archive(), f.Name)
	switch {
	case err != nil:
		return nil, err
	case joined == warc.Made:
		r.log.Warn().Str("file", f.Name).
			Msg("a WARC file had both its names: the one that was a link to the other is removed")
		return []store.File{f.File}, nil
	case joined == warc.Mounted:
		return nil, r.keepBoth(f,
			"both names of a WARC file lead to one file, as if it were mounted there: take one of them away")
	}
	path := r.path(f.Name)
	final, err := warc.Look(path)
	if err != nil {
		return nil, err
	}
	open, err := warc.Look(r.dir.OpenWARC(f.Name))
	if err != nil {
		return nil, err
	}
	longer, shorter := final, open
	if open.File.Size() > final.File.Size() {
		longer, shorter = open, final
	}
	same, err := sameStart(shorter, longer)
	switch {
	case err != nil:
		return nil, err
	case !same:
		return r.part(f)
	case longer.IsLink() && !shorter.IsLink():
		return nil, r.keepBoth(f,
			"a WARC file and a link to a copy of it have its two names: take one of them away")
	}
	if err := errors.Join(shorter.Remove(longer), r.dir.SyncArchive()); err != nil {
		return nil, err
	}
	r.log.Warn().Str("file", f.Name).
		Msg("a WARC file was there twice: the shorter copy is removed, the other one holds all of it")
	return []store.File{f.File}, nil
}

// keepBoth leaves both names of a file, and reads it under the final one.
func (r *recovery) keepBoth(f warcFile, why string) error {
	r.left(f.Name, why)
	if f.Sealed && f.Committed == f.final || f.final < f.Committed {
		return nil
	}
	return r.addFinished(f)
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
	return nil
}

// part gives one of two different files of the same name a new one, and recovers both.
func (r *recovery) part(f warcFile) ([]store.File, error) {
	from, suffix := r.path(f.Name), ""
	if f.Sealed || f.ID == 0 {
		suffix = warc.OpenSuffix
	}
	other, err := r.otherName(f.Name)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(warc.Move(from+suffix, r.path(other)+suffix),
		r.dir.SyncArchive()); err != nil {
		return nil, err
	}
	r.log.Warn().Str("file", f.Name).Str("other", other).
		Msg("two different WARC files had the same name: one of them has a new one")
	return []store.File{f.File, {Name: other}}, nil
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
