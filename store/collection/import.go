package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const importPrefix = "import-"

// madeByName is a file in each directory that NewImport makes. It holds the number of the process
// that made the directory, and tells the directory from one that a person has called import-2026.
const madeByName = "made-by-warcorder-import"

// NewImport makes a directory for the files of an import, which has to remove the directory at its
// end. NewImport removes the directories of imports that were killed.
func (d Dir) NewImport() (path string, err error) {
	if err := d.sweepImports(); err != nil {
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

// sweepImports removes the directories that NewImport has made for processes that are gone.
func (d Dir) sweepImports() error {
	entries, err := os.ReadDir(string(d))
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), importPrefix) {
			err = errors.Join(err, sweepImport(filepath.Join(string(d), entry.Name())))
		}
	}
	return err
}

func sweepImport(path string) error {
	number, err := os.ReadFile(filepath.Join(path, madeByName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if pid, wrong := strconv.Atoi(string(number)); wrong == nil && IsAlive(pid) {
		return nil
	}
	return os.RemoveAll(path)
}
