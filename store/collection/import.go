package collection

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warcorder/store/warc"
)

const importPrefix = "import-"

// madeByName is a file in each directory that NewImport makes. It tells the directory from one that a
// person has called import-2026. Who has made it has the file locked; it holds the number of that
// process too, for systems without such locks.
const madeByName = "made-by-warcorder-import"

// readyName is a file in a directory of an import all of which is there.
const readyName = "ready"

// Import is the path of a directory that NewImport has made.
type Import string

// NewImport makes a directory for the files of an import, which has to call Remove at its end, and then
// release. NewImport removes the directories of imports that were killed.
func (d Dir) NewImport() (i Import, release func() error, err error) {
	if err := d.SweepImports(); err != nil {
		return "", nil, err
	}
	path, err := os.MkdirTemp(string(d), fmt.Sprintf("%s%d-", importPrefix, os.Getpid()))
	if err != nil {
		return "", nil, err
	}
	i = Import(path)
	if release, err = i.claim(); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(path))
	}
	return i, release, nil
}

// claim says that the directory is that of this process, until release is called.
func (i Import) claim() (release func() error, err error) {
	// it gets its name when it is locked: a sweep of another process never sees it without the lock
	file, err := os.CreateTemp(string(i), "claim-")
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(strconv.Itoa(os.Getpid()))
	release = file.Close
	if !CanRelock { // where a file that is open cannot get another name either
		err = errors.Join(err, file.Close())
		release = func() error { return nil }
	} else if err == nil {
		Share(file) // where the file system has no locks, the number must do
	}
	if err == nil {
		err = os.Rename(file.Name(), i.madeBy())
	}
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

func (i Import) madeBy() string { return filepath.Join(string(i), madeByName) }

// Archive returns the path of archive/ in the directory of an import.
func (i Import) Archive() string { return filepath.Join(string(i), ArchiveName) }

// WARC returns the path of a file in archive/ by its base name.
func (i Import) WARC(name string) string { return filepath.Join(i.Archive(), name) }

// Pages returns the path of the list of pages that the import brings.
func (i Import) Pages() string { return filepath.Join(string(i), pagesName) }

// MarkReady says, durably, that all of the import is there. What is in its directory must be on disk.
// Whoever calls it has the collection locked. After an error IsReady tells whether the mark is there:
// then the next recovery adds what the import has brought.
func (i Import) MarkReady() error {
	if err := warc.SyncDir(string(i)); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(string(i), readyName), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close(), warc.SyncDir(string(i)),
		warc.SyncDir(filepath.Dir(string(i))))
}

// IsReady reports whether all of the import is there.
func (i Import) IsReady() bool {
	info, err := os.Lstat(filepath.Join(string(i), readyName))
	return err == nil && info.Mode().IsRegular()
}

// Remove removes the directory of an import, unless it is ready: then the collection has a part of
// what is in it, or will have it.
func (i Import) Remove() error {
	if i.IsReady() {
		return nil
	}
	return i.Done()
}

// Done removes the directory of an import of which the collection has everything. One that is
// interrupted is gone on with by a sweep.
func (i Import) Done() error {
	entries, err := os.ReadDir(string(i))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	for _, name := range inOrder(names) {
		if err := os.RemoveAll(filepath.Join(string(i), name)); err != nil {
			return err
		}
	}
	return errors.Join(err, os.Remove(string(i)))
}

// inOrder is the order in which what is in the directory of an import is removed: first of all it is
// not ready any more, and until the end it can be told whose it is.
func inOrder(names []string) []string {
	rank := map[string]int{readyName: -1, madeByName: 1}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	return names
}

// ReadyImports returns the directories of imports that are ready, in the order of their names.
// Whoever calls it has the collection locked.
func (d Dir) ReadyImports() (ready []Import, err error) {
	imports, err := d.imports()
	for _, i := range imports {
		if i.IsReady() {
			ready = append(ready, i)
		}
	}
	return ready, err
}

// SweepImports removes the directories that NewImport has made for processes that are gone, but for
// those that are ready.
func (d Dir) SweepImports() error {
	imports, err := d.imports()
	for _, i := range imports {
		err = errors.Join(err, i.sweep())
	}
	return err
}

// imports returns the directories that NewImport has made.
func (d Dir) imports() (imports []Import, err error) {
	entries, err := os.ReadDir(string(d))
	for _, entry := range entries {
		path := filepath.Join(string(d), entry.Name())
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), importPrefix) {
			continue
		}
		if info, err := os.Lstat(Import(path).madeBy()); err == nil && info.Mode().IsRegular() {
			imports = append(imports, Import(path))
		}
	}
	slices.Sort(imports)
	return imports, err
}

// sweep removes the directory, unless the process is at work that has made it. The number of a process
// alone would not tell: in a container all may have the same.
func (i Import) sweep() error {
	err := TryLock(i.madeBy())
	switch {
	case errors.Is(err, ErrLocked), errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && CanRelock:
		return i.Remove()
	}
	number, err := os.ReadFile(i.madeBy())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if pid, wrong := strconv.Atoi(string(number)); wrong == nil && IsAlive(pid) {
		return nil
	}
	return i.Remove()
}
