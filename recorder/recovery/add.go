package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// Added is what Add has done with one file.
type Added struct {
	Path     string    // path of the file as it was given
	Name     string    // base name in archive/
	Captures int       // number of captures that were put into the index
	Damaged  []Damaged // places without a whole exchange; the file stays as it is
	Known    bool      // nothing was done: the index had all of it
	Copied   bool      // whether it was copied into archive/, where it could not be linked
}

// Add adds WARC files that other tools have made to a collection, which it makes if there is none.
// It puts a hard link to each file into archive/, or with copies a copy where no link can be made,
// and reads the file's captures into the index. A file that cannot be taken is refused before
// anything is done. If reading fails, the next recovery goes on. The error wraps
// collection.ErrLocked if the collection is in use.
func Add(cfg Config, dir collection.Dir, paths []string, copies bool,
	log zerolog.Logger) ([]Added, error) {
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return nil, err
	}
	added, err := choose(paths, dir)
	if err != nil {
		return nil, err
	}
	if err := dir.Make(cfg.Mode); err != nil {
		return nil, err
	}
	r, unlock, err := newRecovery(cfg, dir, keyer, log)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if r.index, err = r.open(); err != nil {
		return nil, err
	}
	if err := r.noteCrash(r.index); err != nil {
		return nil, errors.Join(err, r.index.Close())
	}
	err = r.refuseKnown(added)
	for i := 0; i < len(added) && err == nil; i++ {
		err = added[i].link(copies, r.mode)
	}
	if err == nil {
		err = r.indexFiles(added)
	}
	return results(added), errors.Join(err, r.index.Close())
}

// addition is a file that is to be added.
type addition struct {
	Added
	from, to string   // paths of the file now, and in archive/; the same if it is there already
	file     warcFile // the file in archive/, as the index and the directory show it
}

// choose checks all files before anything is done.
func choose(paths []string, dir collection.Dir) ([]addition, error) {
	var added []addition
	for _, path := range paths {
		a, err := chooseOne(path, dir)
		if err != nil {
			return nil, err
		}
		same := slices.IndexFunc(added, func(b addition) bool { return b.Name == a.Name })
		switch {
		case same < 0:
			added = append(added, a)
		case added[same].from != a.from:
			return nil, fmt.Errorf("%s and %s have the same name: rename one of them", added[same].Path,
				path)
		}
	}
	return added, nil
}

// chooseOne returns what is to be done with a file, or an error that says why it cannot be added.
func chooseOne(path string, dir collection.Dir) (addition, error) {
	from, err := filepath.Abs(path)
	if err != nil {
		return addition{}, err
	}
	a := addition{Added: Added{Path: path, Name: filepath.Base(from)}}
	a.to = dir.WARC(a.Name)
	if !collection.IsWARC(a.Name) {
		return a, fmt.Errorf("%s: the name of a WARC file ends in %s: rename it", path,
			strings.Join(warc.Suffixes(), " or "))
	}
	// a link to a link would lead nowhere one day
	if a.from, err = filepath.EvalSymlinks(from); err != nil {
		return a, err
	}
	info, err := os.Stat(a.from)
	switch {
	case err != nil:
		return a, err
	case !info.Mode().IsRegular():
		return a, fmt.Errorf("%s is no regular file", path)
	}
	if err := checkKind(a.from); err != nil {
		return a, fmt.Errorf("%s: %w", path, err)
	}
	return a, a.meet()
}

// checkKind refuses files that are no WARC files, or none that we read.
func checkKind(path string) error {
	reader, err := warc.OpenForeign(path, 0)
	if err == nil {
		defer reader.Close()
		_, err = reader.Next()
	}
	damage := (*warc.Damage)(nil)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case !errors.As(err, &damage):
		return err
	case errors.Is(err, warc.ErrOld), errors.Is(err, warc.ErrARC):
		return damage.Reason
	}
	return nil // what is behind the damage may be good
}

// meet deals with a file that archive/ has under that name already. If that is the same file, or
// one of the same content, no link is needed; else the error says so.
func (a *addition) meet() error {
	there, err := warc.Look(a.to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	from, err := warc.Look(a.from)
	switch {
	case err != nil:
		return err
	case there.File == nil:
		return fmt.Errorf(
			"%s: the collection has a link of that name that leads nowhere, %s: remove it, or bring back "+
				"what it leads to",
			a.Path, a.to)
	}
	same := from.Leads(there)
	if !same && from.File.Size() == there.File.Size() {
		if same, err = sameStart(from, there); err != nil {
			return err
		}
	}
	if !same {
		return fmt.Errorf(
			"%s: the collection has another file of that name, with other content: rename this one", a.Path)
	}
	a.from = a.to
	return nil
}

// refuseKnown refuses a file that has the name of one which is missing from archive/: whether it is
// the missing one cannot be told any more, and the index would take it for that.
func (r *recovery) refuseKnown(added []addition) error {
	for _, a := range added {
		file, known := r.index.File(a.Name)
		if _, err := os.Lstat(a.to); !known || file.Committed == 0 || err == nil {
			continue
		}
		return fmt.Errorf(
			"%s: the collection had a file of that name, which is missing: if it is this one, put it into "+
				"%s and let warcorder recover run; else rename it",
			a.Path, filepath.Dir(a.to))
	}
	return nil
}

// link brings the file into archive/.
func (a *addition) link(copies bool, mode collection.Mode) error {
	if err := a.meet(); err != nil || a.from == a.to { // recovery may have brought one of that name
		return err
	}
	err := os.Link(a.from, a.to)
	if err == nil {
		return warc.SyncDir(filepath.Dir(a.to))
	}
	if !copies {
		return fmt.Errorf(
			"%s cannot be linked into the collection (%w): say --copy to have a copy of it there, "+
				"or move it to %s",
			a.Path, reason(err), filepath.Dir(a.to))
	}
	a.Copied = true
	return a.copy(mode)
}

// reason is an error of the system without the paths, which stand in the sentence around it.
func reason(err error) error {
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}

// copy copies the file into archive/.
func (a *addition) copy(mode collection.Mode) error {
	in, err := os.Open(a.from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := collection.Copy(a.to, mode, in); err != nil {
		return fmt.Errorf("copy %s: %w", a.Path, err)
	}
	return nil
}

// indexFiles reads the files that the index does not know, as many at a time as there are
// processors.
func (r *recovery) indexFiles(added []addition) error {
	todo, err := r.unknown(added)
	if err != nil {
		return err
	}
	var bytesOf meter
	for _, a := range todo {
		bytesOf.total += a.file.final
	}
	bytesOf.report, bytesOf.read = r.progress, make(map[string]int64)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, a := range todo {
		group.Go(func() error {
			one := *r // with findings of its own
			one.found, one.read, one.group, one.progress = Found{}, nil, largeGroup, bytesOf.of
			one.done, one.total = 0, a.file.final
			if err := one.recover(a.file); err != nil {
				return fmt.Errorf("index %s: %w", a.Path, err)
			}
			if len(one.found.Short) > 0 {
				return fmt.Errorf("index %s: it has %d bytes, and had %d when it was indexed", a.Path,
					a.file.final, a.file.Committed)
			}
			one.report(a.Name, a.file.final)
			a.Captures, a.Damaged = one.found.Captures, one.found.Damaged
			return nil
		})
	}
	return group.Wait()
}

// unknown returns the files that are still to be read, which the index then knows by name.
func (r *recovery) unknown(added []addition) (todo []*addition, err error) {
	files, err := r.warcFiles()
	if err != nil {
		return nil, err
	}
	for i := range added {
		a := &added[i]
		at := slices.IndexFunc(files, func(f warcFile) bool { return f.Name == a.Name })
		if at < 0 {
			return nil, fmt.Errorf("%s is gone", a.to)
		}
		a.file = files[at]
		if read, ok := r.read[a.Name]; ok {
			a.Captures, a.Damaged = read.captures, read.damaged
			continue
		}
		if a.Known = r.agrees(a.file); a.Known {
			continue
		}
		if a.file.ID == 0 {
			if a.file.File, err = r.index.AddFile(a.Name); err != nil {
				return nil, err
			}
		}
		todo = append(todo, a)
	}
	return todo, nil
}

// results returns what callers may know of the additions.
func results(added []addition) []Added {
	var all []Added
	for _, a := range added {
		all = append(all, a.Added)
	}
	return all
}

// meter adds up how far the reading of several files has come.
type meter struct {
	mu     sync.Mutex
	read   map[string]int64 // bytes read, by the file's base name
	done   int64            // bytes read of all files
	total  int64            // bytes to be read
	report Progress         // or nil
}

// of is the Progress of one file.
func (m *meter) of(file string, done, _ int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += done - m.read[file]
	m.read[file] = done
	if m.report != nil {
		m.report(file, m.done, m.total)
	}
}
