package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/objects"
	"warcorder/store/summing"
)

// object is object storage as a check asks it.
type object struct {
	storage *objects.Storage
	failed  error // why it cannot be asked, which ends the check; nil if it can
}

// copies are where files of a collection have copies in object storage.
type copies struct {
	index map[string]*store.Remote // by the index
	notes map[string]*store.Remote // by the notes beside it
}

// of returns the copy of a file; nil if it has none.
func (c copies) of(name string) *store.Remote {
	if remote := c.index[name]; remote != nil {
		return remote
	}
	return c.notes[name]
}

// names are those of all files that have copies, sorted.
func (c copies) names() (names []string) {
	for _, remotes := range []map[string]*store.Remote{c.index, c.notes} {
		for name := range remotes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isAmong reports whether a name is one of those, which are sorted.
func isAmong(names []string, name string) bool {
	_, is := slices.BinarySearch(names, name)
	return is
}

// copiesOf returns where the files of a collection have copies. A note that is none is a finding.
func (c *Checker) copiesOf(dir collection.Dir, known []store.File) (copies, error) {
	all := copies{make(map[string]*store.Remote), make(map[string]*store.Remote)}
	for _, f := range known {
		if f.Remote != nil {
			all.index[f.Name] = f.Remote
		}
	}
	names, _, err := dir.Away()
	if err != nil {
		return all, err
	}
	for _, name := range names {
		remote := new(store.Remote)
		err := dir.ReadNote(dir.AwayNote(name), remote)
		if err == nil {
			err = remote.Check(name)
		}
		if err != nil {
			c.report(Finding{File: name, Code: Read, Text: fmt.Sprintf(
				"the note of where it has a copy is none that warcorder writes: %v", err)})
			continue
		}
		all.notes[name] = remote
	}
	return all, nil
}

// addAway adds the object of a file that is not here to what is to be checked, or counts the file as one
// that is not checked. The number is that of the target; -1 for none.
func (c *Checker) addAway(targets *[]target, remote *store.Remote) (number int) {
	c.summary.Away++
	if !c.Remote {
		c.away = true
		return -1
	}
	t := c.objectTarget(remote)
	*targets = append(*targets, t)
	return t.number
}

// addCopy adds the object of a file that is here, too: it is summed up.
func (c *Checker) addCopy(targets *[]target, remote *store.Remote) {
	if !c.Remote || remote == nil {
		return
	}
	t := c.objectTarget(remote)
	t.copied = true
	*targets = append(*targets, t)
}

func (c *Checker) objectTarget(remote *store.Remote) target {
	url := remote.URL()
	return target{number: c.number(url), name: url, path: url, size: remote.Size, remote: remote}
}

// openObject opens an object, which is summed up while it is read.
func (f *fileCheck) openObject() error {
	storage, err := f.objectStorage()
	if err != nil {
		return err
	}
	object := summing.Of(context.Background(), storage, f.remote)
	partSize := int64(0)
	if f.remote.HasParts() { // else there would be as many sums as an index that is damaged wants
		partSize = f.remote.PartSize
	}
	f.sums = summing.New(object, f.remote.Size, partSize)
	f.file, f.close = f.sums, object.Close
	return nil
}

// errWentAway says that a file has gone away since the check began, and that its object is not read.
var errWentAway = errors.New("it is away by now")

// openGone opens the object of a file that was here when the check began: a recorder beside it lets files go.
// Where it has none, that is the error.
func (f *fileCheck) openGone(err error) error {
	name, remote := filepath.Base(f.path), new(store.Remote)
	if f.dir == "" || f.dir.ReadNote(f.dir.AwayNote(name), remote) != nil || remote.Check(name) != nil ||
		remote.Size != f.size {
		return err
	}
	f.mu.Lock()
	f.summary.Away++
	f.away = f.away || !f.Remote
	f.mu.Unlock()
	if !f.Remote {
		return errWentAway
	}
	f.remote = remote
	if err := f.openObject(); err != nil {
		return err
	}
	return f.open()
}

// objectStorage is what the environment names, for all files.
func (c *Checker) objectStorage() (*objects.Storage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.object.storage == nil && c.object.failed == nil {
		c.object.storage, c.object.failed = objects.Open(context.Background())
	}
	return c.object.storage, c.object.failed
}

// sumUp reads what is left of an object, and compares it with what was uploaded.
func (f *fileCheck) sumUp() {
	if f.sums == nil || f.failed != nil || f.gone {
		return
	}
	sums, err := f.sums.Sums()
	if err != nil {
		f.readFailed(0, err)
		return
	}
	if f.remote.SHA256 != sums.Whole {
		f.lost()
		f.add(0, Object, "the object has another SHA-256 than the file that was uploaded%s: %s",
			f.otherParts(sums.Parts), f.remedy())
	}
	f.advance(f.size)
}

// otherParts names the parts that are not what was uploaded.
func (f *fileCheck) otherParts(parts []store.Sum) string {
	var other []string
	if !f.remote.HasParts() {
		return ""
	}
	for i, sum := range f.remote.Parts {
		if i >= len(parts) || parts[i] != sum {
			other = append(other, fmt.Sprint(i+1))
		}
	}
	switch n := len(other); {
	case n == 0:
		return ""
	case n > maxParts:
		other = append(other[:maxParts], "…")
	}
	return fmt.Sprintf(" (of %d parts of %d bytes these: %s)", len(f.remote.Parts), f.remote.PartSize,
		strings.Join(other, ", "))
}

// maxParts is how many parts of an object are named.
const maxParts = 10

// readFailed deals with a read error: a finding, unless object storage cannot be asked. That ends the
// check, of which nobody could say what it is worth.
func (f *fileCheck) readFailed(offset int64, err error) {
	switch {
	case errors.Is(err, errWentAway):
		f.beBlind()
		return
	case f.remote == nil:
		f.add(offset, Read, "%v", err)
		return
	case errors.Is(err, fs.ErrNotExist):
		f.lost()
		f.add(0, Object, "the object is gone: %s", f.remedy())
	case errors.Is(err, objects.ErrChanged), errors.Is(err, io.ErrUnexpectedEOF):
		f.lost()
		f.add(0, Object, "the object is not what was uploaded (%v): %s", err, f.remedy())
	default:
		f.failed = fmt.Errorf("object storage cannot be read: %w", err)
	}
	f.gone = true
	if f.failed == nil {
		f.beBlind()
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.object.failed = f.failed
}

// beBlind notes that nothing is compared with what a file has.
func (f *fileCheck) beBlind() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blind == nil {
		f.blind = make(map[int]bool)
	}
	f.blind[f.number] = true
}

// lost tells of an object that is not what it must be, of a file that is here.
func (f *fileCheck) lost() {
	if f.copied && f.Lost != nil {
		f.Lost(f.remote)
	}
}

// remedy says what to do about an object that is not what it must be.
func (f *fileCheck) remedy() string {
	if f.copied {
		return "the file is here as well; let warcorder upload send it anew"
	}
	return "put it back from a backup or a former version of it: its captures cannot be read till then, " +
		"or not all"
}
