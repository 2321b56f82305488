package recovery

import (
	"errors"
	"fmt"
	"strings"

	"warcorder/store"
	"warcorder/store/warc"
)

// twice deals with a file that is there under both names, X and X.open, and returns the files that
// are to be recovered as they are then:
//
//	X and X.open are                        what is done
//	one file, since one is a link to it     the link is removed
//	one file, mounted under both names      both names stay; X is read
//	two files, one begins with the other    the shorter one is removed: somebody put a copy back
//	  and the longer one alone is a link    both names stay; X is read
//	two files with different content        the one that the index means keeps its name, and the
//	                                        other one gets a new name
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

// nameLink gives its final name to a link that leads to a file elsewhere. The file is never cut: it
// may be somebody else's.
func (r *recovery) nameLink(f warcFile, open warc.Place) error {
	if err := errors.Join(warc.Move(open.Path, r.path(f.Name)), r.dir.SyncArchive()); err != nil {
		return err
	}
	r.log.Warn().Str("file", f.Name).
		Msg("a link had the name of a file that is being written: it has the final one now, and what " +
			"it leads to stays as it is")
	return nil
}

// part gives one of two different files of the same name a new name. Both are to be recovered.
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

// otherName is a free name that is the given one with a number.
func (r *recovery) otherName(name string) (string, error) {
	for n := 2; ; n++ {
		other := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, warc.Suffix), n, warc.Suffix)
		if free, err := IsFree(r.dir, other, r.index); err != nil || free {
			return other, err
		}
	}
}
