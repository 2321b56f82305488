package collection

import (
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

// madeByName is a file in each directory that NewImport makes. It holds the number of the process
// that made the directory, and tells the directory from one that a person has called import-2026.
const madeByName = "made-by-warcorder-import"

// readyName is a file in a directory of an import all of which is there.
const readyName = "ready"

// Import is the path of a directory that NewImport has made.
type Import string

// NewImport makes a directory for the files of an import, which has to call Remove at its end.
// NewImport removes the directories of imports that were killed.
func (d Dir) NewImport() (path string, err error) {
	if err := d.SweepImports(); err != nil {
		return "", err
	}
	path, err = os.MkdirTemp(string(d), fmt.Sprintf("%s%d-", importPrefix, os.Getpid()))
	if err != nil {
		return "", err
	}
	err = os.WriteFile(filepath.Join(path, madeByName), []byte(strconv.Itoa(os.Getpid())), 0o600)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(path))
	}
	return path, nil
}

// Archive returns the path of archive/ in the directory of an import.
func (i Import) Archive() string { return filepath.Join(string(i), ArchiveName) }

// WARC returns the path of a file in archive/ by its base name.
func (i Import) WARC(name string) string { return filepath.Join(i.Archive(), name) }

// Pages returns the path of the list of pages that the import brings.
func (i Import) Pages() string { return filepath.Join(string(i), pagesName) }

// MarkReady says, durably, that all of the import is there. What is in its directory must be on disk.
// Whoever calls it has the collection locked.
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
	return os.RemoveAll(string(i))
}

// Done removes the directory of an import of which the collection has everything.
func (i Import) Done() error {
	// first of all it is not ready any more: a removal that is interrupted is gone on with by a sweep
	err := os.Remove(filepath.Join(string(i), readyName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(string(i))
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
		if info, err := os.Lstat(filepath.Join(path, madeByName)); err == nil && info.Mode().IsRegular() {
			imports = append(imports, Import(path))
		}
	}
	slices.Sort(imports)
	return imports, err
}

func (i Import) sweep() error {
	number, err := os.ReadFile(filepath.Join(string(i), madeByName))
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
