package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	if added, err = r.nameAll(i, files); err != nil {
		return nil, err
	}
	if err := syncImport(i); err != nil {
		return nil, err
	}
	if err := fault.At(fault.ImportReady); err != nil {
		return nil, err
	}
	if err = i.MarkReady(); err != nil && !i.IsReady() {
		return nil, err
	}
	if err == nil {
		err = r.takeImport(i)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: what was to be imported is added by the next warcorder recover", err)
	}
	return added, nil
}

// syncImport makes durable what an import has brought: its files are, and they have got names.
func syncImport(i collection.Import) error {
	if err := warc.SyncDir(i.Archive()); err != nil {
		return err
	}
	if _, err := os.Lstat(i.Pages()); err != nil {
		return nil
	}
	return syncFile(i.Pages())
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
