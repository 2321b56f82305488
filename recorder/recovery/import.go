package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/pagelist"
	"warcorder/store/warc"
)

// Brought is a WARC file that an import has in its directory.
type Brought struct {
	Path string // where it lies now
	Said string // what it is called in messages
	Name string // base name that it is to have in archive/
	From string // put into that name where another file has it
}

// Import adds all that an import has brought to a collection, or nothing: WARC files, and the list
// of pages at i.Pages(). When the directory of the import is marked as ready, the files move into
// archive/; who is killed before leaves the collection as it was, and who is killed behind it leaves
// the rest to the next recovery:
//
//	step                                  a kill behind it leaves
//	1 the files get their names           the directory, which the next import or recovery removes
//	2 mark the directory as ready         the directory, which the next recovery adds
//	3 each file moves into archive/       files in archive/ that the index does not know
//	4 the pages are merged into the list  pages that are merged once more, which changes nothing
//	5 the directory is removed            what the next recovery puts into the index
//
// A file whose name and content archive/ has is not added again. The error wraps
// collection.ErrLocked if the collection is in use.
func Import(cfg Config, dir collection.Dir, i collection.Import, files []Brought,
	log zerolog.Logger) ([]Added, error) {
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := checkBrought(f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Said, err)
		}
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
	added, err := r.takeBrought(i, files)
	if err == nil {
		err = r.indexFiles(added)
	}
	return results(added), errors.Join(err, r.index.Close())
}

// checkBrought refuses a file that could not be one of archive/.
func checkBrought(f Brought) error {
	if name := nameFor(f.Name, f.From, 2); !collection.IsWARC(name) || name != filepath.Base(name) {
		return fmt.Errorf("%q is no name of a WARC file: rename it", f.Name)
	}
	return checkKind(f.Path)
}

// takeBrought brings all files of an import into archive/, and its pages into the list.
func (r *recovery) takeBrought(i collection.Import, files []Brought) (added []addition, err error) {
	if err := os.Mkdir(i.Archive(), 0o700); err != nil {
		return nil, err
	}
	known, err := r.knownNames()
	if err != nil {
		return nil, err
	}
	taken := make(map[string]bool, len(files))
	for _, f := range files {
		name, err := r.nameBrought(i, f, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Said, err)
		}
		to := r.path(name)
		if taken[name] {
			continue // the same once more
		}
		taken[name] = true
		added = append(added, addition{Added: Added{Path: f.Said, Name: name}, from: to, to: to})
	}
	if err := warc.SyncDir(i.Archive()); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(i.Pages()); err == nil {
		if err := syncFile(i.Pages()); err != nil {
			return nil, err
		}
	}
	if err := fault.At(fault.ImportReady); err != nil {
		return nil, err
	}
	if err := i.MarkReady(); err != nil {
		return nil, err
	}
	if err := r.takeImport(i); err != nil {
		return nil, fmt.Errorf("%w: what was to be imported is added by the next warcorder recover", err)
	}
	return added, nil
}

// knownNames are the base names of the files that the index knows.
func (r *recovery) knownNames() (map[string]bool, error) {
	files, err := r.index.Files()
	known := make(map[string]bool, len(files))
	for _, file := range files {
		known[file.Name] = true
	}
	return known, err
}

// mostOfName is how many files of one name may be told apart by numbers: each is compared with all
// before it.
const mostOfName = 1000

// nameBrought gives a file the name in the import's archive/ that it is to have in that of the
// collection, and returns it. Where the file is there under that name, it is only removed.
func (r *recovery) nameBrought(i collection.Import, f Brought,
	known map[string]bool) (string, error) {
	if err := errors.Join(r.mode.Set(f.Path), syncFile(f.Path)); err != nil {
		return "", err
	}
	for n := 1; n <= mostOfName; n++ {
		name := nameFor(f.Name, f.From, n)
		for _, path := range []string{i.WARC(name), r.path(name)} {
			same, err := sameContent(f.Path, path)
			if err != nil {
				return "", err
			}
			if same {
				return name, os.Remove(f.Path)
			}
		}
		if _, err := os.Lstat(i.WARC(name)); err == nil {
			continue
		}
		if free, err := r.dir.IsFree(name); err != nil {
			return "", err
		} else if free && !known[name] {
			return name, warc.Move(f.Path, i.WARC(name))
		}
	}
	return "", fmt.Errorf("the collection has %d files of that name: rename it", mostOfName)
}

// nameFor is the n-th name to try: NAME.warc.gz, NAME-from-FROM.warc.gz, NAME-from-FROM-2.warc.gz …
func nameFor(name, from string, n int) string {
	suffix := ""
	for _, one := range warc.Suffixes() {
		if strings.HasSuffix(name, one) {
			suffix = one
		}
	}
	stem := strings.TrimSuffix(name, suffix)
	if n > 1 && from != "" {
		stem += "-from-" + from
		n--
	}
	if n > 1 {
		stem = fmt.Sprintf("%s-%d", stem, n)
	}
	return stem + suffix
}

// sameContent reports whether there is a regular file at other, of the same content as that at path.
func sameContent(path, other string) (bool, error) {
	there, err := warc.Look(other)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	here, err := warc.Look(path)
	if err != nil || there.File == nil || there.File.Size() != here.File.Size() {
		return false, err
	}
	return sameStart(here, there)
}

// takeImports adds what imports have left that were killed when all of it was there, and removes what
// others have left.
func (r *recovery) takeImports() error {
	ready, err := r.dir.ReadyImports()
	if err != nil {
		return err
	}
	for _, i := range ready {
		if err := r.takeImport(i); err != nil {
			return fmt.Errorf("add what an import has left in %s: %w", i, err)
		}
		r.log.Warn().Str("directory", filepath.Base(string(i))).
			Msg("an import was interrupted: what it had brought is added now")
	}
	return errors.Join(r.dir.SweepImports(), pagelist.Sweep(r.dir))
}

// takeImport moves the files of an import that is ready into archive/, and merges its pages into the
// list.
func (r *recovery) takeImport(i collection.Import) error {
	names, err := namesOf(i)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.moveBrought(i.WARC(name), name); err != nil {
			return err
		}
	}
	if err := r.dir.SyncArchive(); err != nil {
		return err
	}
	if err := fault.At(fault.ImportPages); err != nil {
		return err
	}
	if err := pagelist.Merge(r.dir, r.mode, i.Pages()); err != nil {
		return err
	}
	if err := fault.At(fault.ImportDone); err != nil {
		return err
	}
	return errors.Join(i.Done(), r.dir.Sync())
}

// namesOf returns the names of the files that an import has brought. All of them must be such as
// archive/ takes: the directory of the import goes with what is left in it.
func namesOf(i collection.Import) (names []string, err error) {
	info, err := os.Lstat(i.Archive())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.IsDir() { // a link could lead to other files
		err = fmt.Errorf("%s is no directory: put the one in its place that was there", i.Archive())
	}
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(i.Archive())
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if !collection.IsWARC(file.Name()) || !file.Type().IsRegular() {
			return nil, fmt.Errorf("%s is no WARC file: move it elsewhere, and let warcorder recover run",
				i.WARC(file.Name()))
		}
		names = append(names, file.Name())
	}
	return names, nil
}

// moveBrought moves a file into archive/. If another one has got its name since that was chosen, it
// gets the next one.
func (r *recovery) moveBrought(path, name string) error {
	for n := 1; ; n++ {
		if err := fault.At(fault.ImportMove); err != nil {
			return err
		}
		to := r.path(nameFor(name, "", n))
		err := r.moveOrCopy(path, to)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if same, err := sameContent(path, to); err != nil {
			return err
		} else if same {
			return os.Remove(path)
		}
	}
}

// moveOrCopy moves a file, or copies it where archive/ lies on another disk.
func (r *recovery) moveOrCopy(path, to string) error {
	moved := warc.Move(path, to)
	if moved == nil || errors.Is(moved, fs.ErrExist) || errors.Is(moved, fs.ErrNotExist) {
		return moved
	}
	in, err := collection.OpenRegular(path)
	if err != nil {
		return errors.Join(moved, err)
	}
	defer in.Close()
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	if err := collection.Copy(to, r.mode, in); err != nil {
		return errors.Join(moved, err)
	}
	return os.Remove(path)
}
