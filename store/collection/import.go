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

// madeByName is a file in each directory that NewImport makes, with the number of the process that
// made it: what people call import-2026-01 has none.
const madeByName = "made-by-warcorder-import"

// NewImport makes a directory for files that are made for the collection, until they are added; who
// calls it removes that at the end. It removes those of processes that were killed.
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

// sweepImports removes the directories of imports whose process is gone.
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
