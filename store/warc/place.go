package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Place is what a name led to when it was looked at. Whoever removes, cuts or renames by a name
// compares what is there by then with the Place: people link, copy, mount and put back files
// beside us, and one name more or less can be the only way to the only copy.
type Place struct {
	Path  string
	Entry fs.FileInfo // of the name itself: of a link, the link
	File  fs.FileInfo // of what it leads to; nil if it leads nowhere
}

// RemovingSuffix is appended to a name while what bore it is compared a last time, before it goes.
const RemovingSuffix = ".removing"

// ErrReplaced says that a name leads to something else than before, or to a file that has changed.
var ErrReplaced = errors.New("it was replaced or changed meanwhile")

// Look looks where a name leads. The error wraps fs.ErrNotExist if there is no such name.
func Look(path string) (Place, error) {
	entry, err := os.Lstat(path)
	if err != nil {
		return Place{}, err
	}
	os.SameFile(entry, entry) // Windows reads the identity now, not when the name is another's
	file, err := os.Stat(path)
	if err != nil && (entry.Mode().Type() != 0 || errors.Is(err, fs.ErrNotExist)) {
		return Place{path, entry, nil},
			nil // a link to nothing, to itself, or to where we may not look
	}
	return Place{path, entry, file}, err
}

// IsLink reports whether the name is a symbolic link, or something else that is no file itself.
func (p Place) IsLink() bool { return !p.Entry.Mode().IsRegular() }

// Leads reports whether two names lead to the same file.
func (p Place) Leads(q Place) bool {
	return p.File != nil && q.File != nil && os.SameFile(p.File, q.File)
}

// Still returns an error that wraps ErrReplaced unless the name leads to the same file as before,
// with the same content as far as size and time tell.
func (p Place) Still() error {
	now, err := Look(p.Path)
	if err == nil && !p.same(now) {
		err = fmt.Errorf("%s: %w", p.Path, ErrReplaced)
	}
	return err
}

// same reports whether another look has found the same, under whatever name.
func (p Place) same(now Place) bool {
	if !os.SameFile(p.Entry, now.Entry) || (p.File == nil) != (now.File == nil) {
		return false
	}
	return p.File == nil || os.SameFile(p.File, now.File) && p.File.Size() == now.File.Size() &&
		p.File.ModTime().Equal(now.File.ModTime())
}

// Remove removes the name, if it and each of rest, which hold what it leads to, are what they were.
// It takes the name away before it compares: what someone puts there meanwhile is put back. Of a
// link the link alone goes. The entry is not made durable.
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

// taken is same for a link, too, that leads nowhere from its new name.
func (p Place) taken(now Place) bool {
	return p.IsLink() && os.SameFile(p.Entry, now.Entry) || p.same(now)
}

// Joined says what OneName has found.
type Joined int

const (
	Apart   Joined = iota // the two names lead to two files, or there is only one of them
	Made                  // they led to one file, and one of them is left
	Mounted               // they lead to one file, and which of them is the file cannot be told
)

// OneName leaves a file in dir one name, if both its final one and that with OpenSuffix lead to it:
// people make the other one to read a file that is being written. It removes a link to the file,
// never the file, and of two hard links the one with OpenSuffix. It reads nothing of the file.
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

// lookBoth looks at both names of a file. The Entry of one that is not there is nil.
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

// maxLinks is how many links lead to a file, one after another, before the system gives up.
const maxLinks = 255

// leadsThrough reports whether p is a link that leads to where it does by way of the link q.
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
	return true // better take it for one that does
}

// Names is how many names the file has, as hard links; 1 if the system does not tell.
func (p Place) Names() int { return names(p.Entry, p.Path) }
