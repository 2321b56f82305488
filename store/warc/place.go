package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Place is what a name led to when Look looked at it. Before a file is removed, cut or renamed by
// its name, the Place is compared with what is there by then: people link, copy, mount and put back
// files while a recorder runs, and a single name can be the only way to the only copy.
type Place struct {
	Path  string
	Entry fs.FileInfo // of the name itself: for a link, of the link
	File  fs.FileInfo // of the file that the name leads to; nil if it leads nowhere
}

// RemovingSuffix is appended to the name of a file that is about to be removed, while Remove looks
// at the file a last time.
const RemovingSuffix = ".removing"

// ErrReplaced says that a name leads to another file than before, or that the file has changed.
var ErrReplaced = errors.New("it was replaced or changed meanwhile")

// Look looks where a name leads. The error wraps fs.ErrNotExist if there is no such name.
func Look(path string) (Place, error) {
	entry, err := os.Lstat(path)
	if err != nil {
		return Place{}, err
	}
	// On Windows the first SameFile reads the identity: now, not when the name is another file's.
	os.SameFile(entry, entry)
	file, err := os.Stat(path)
	if err != nil && (entry.Mode().Type() != 0 || errors.Is(err, fs.ErrNotExist)) {
		// a link to nothing, to itself, or to where we may not look
		return Place{path, entry, nil}, nil
	}
	if err == nil {
		os.SameFile(file, file) // that of what the name leads to
	}
	return Place{path, entry, file}, err
}

// IsLink reports whether the name is a symbolic link, or anything else that is no regular file.
func (p Place) IsLink() bool { return !p.Entry.Mode().IsRegular() }

// Leads reports whether two names lead to the same file.
func (p Place) Leads(q Place) bool {
	return p.File != nil && q.File != nil && os.SameFile(p.File, q.File)
}

// Still looks again. Unless the name leads to the same file, with the same content as far as size
// and time tell, the error wraps ErrReplaced.
func (p Place) Still() error {
	now, err := Look(p.Path)
	if err == nil && !p.same(now) {
		err = fmt.Errorf("%s: %w", p.Path, ErrReplaced)
	}
	return err
}

// same reports whether a later look, by whatever name, has found the same file unchanged.
func (p Place) same(now Place) bool {
	if !os.SameFile(p.Entry, now.Entry) || (p.File == nil) != (now.File == nil) {
		return false
	}
	return p.File == nil || os.SameFile(p.File, now.File) && p.File.Size() == now.File.Size() &&
		p.File.ModTime().Equal(now.File.ModTime())
}

// Remove removes the name, if its file and the files of rest, which have the same content, are
// still what they were. The file is renamed before it is compared, and gets its name back if it is
// another one. Of a link only the link is removed. The directory is not synced.
func (p Place) Remove(rest ...Place) error {
	aside := p.Path + RemovingSuffix
	if err := Move(p.Path, aside); err != nil {
		return err
	}
	taken, err := Look(aside)
	if err == nil && !p.taken(taken) {
		err = fmt.Errorf("%s: %w", p.Path, ErrReplaced)
	}
	for _, q := range rest {
		err = errors.Join(err, q.Still())
	}
	if err != nil {
		return errors.Join(err, Move(aside, p.Path))
	}
	return os.Remove(aside)
}

// taken is same, and also true for a link that leads nowhere from its new name.
func (p Place) taken(now Place) bool {
	return p.IsLink() && os.SameFile(p.Entry, now.Entry) || p.same(now)
}

// Joined is what OneName has found.
type Joined int

const (
	Apart   Joined = iota // the two names lead to two files, or only one of them exists
	Made                  // both names led to one file; one name is left
	Mounted               // both names lead to one file, and nothing tells which is the file's own
)

// OneName leaves a file in dir one name, if both the final name and the name with OpenSuffix lead
// to it: people make the second one to read a file that is being written. OneName removes a link to
// the file, never the file; of two hard links it removes the one with OpenSuffix. It does not read
// the file.
func OneName(dir, name string) (Joined, error) {
	final, open, err := lookBoth(dir, name)
	if err != nil || final.Entry == nil || open.Entry == nil || !final.Leads(open) {
		return Apart, err
	}
	var gone, stays Place
	switch {
	case final.IsLink() && !open.IsLink():
		gone, stays = final, open
	case open.IsLink() && !final.leadsThrough(open):
		gone, stays = open, final
	case final.IsLink():
		gone, stays = final, open
	case names(final.Entry, final.Path) > 1 && !isMount(final.Path) && !isMount(open.Path):
		gone, stays = open, final
	default:
		return Mounted, nil
	}
	if err := gone.Remove(stays); err != nil {
		return Apart, err
	}
	return Made, SyncDir(dir)
}

// lookBoth looks at both names of a file. The Entry of a name that does not exist is nil.
func lookBoth(dir, name string) (final, open Place, err error) {
	for _, one := range []struct {
		place *Place
		path  string
	}{{&final, filepath.Join(dir, name)}, {&open, openPath(dir, name)}} {
		found, err := Look(one.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return final, open, err
		}
		*one.place = found
	}
	return final, open, nil
}

// maxLinks is no less than the number of links in a row that any system follows.
const maxLinks = 255

// leadsThrough reports whether p is a link that leads to its file by way of the link q.
func (p Place) leadsThrough(q Place) bool {
	path := p.Path
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		entry, err := os.Lstat(to)
		if err != nil {
			return false
		}
		if os.SameFile(entry, q.Entry) {
			return true
		}
		path = to
	}
	return true // the careful answer: q then stays
}

// Names returns the number of the file's hard links; 1 if the system does not tell.
func (p Place) Names() int { return names(p.Entry, p.Path) }
