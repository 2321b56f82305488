package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// checkOutFile refuses an --out in whose folder no file can be made, before anything is read: behind
// that, an error of the output would pass for one of the collection. Pipes and devices are there.
func checkOutFile(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("-o %s: it is a directory: name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return checkOutDir(filepath.Dir(path))
}

// checkOutDir refuses a folder in which no file can be made.
func checkOutDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("-o: %s is a file, and no folder: name another", dir)
	}
	f, err := os.CreateTemp(dir, ".warcorder-*")
	if err != nil {
		return explainOut(err, dir)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkOutTree refuses a folder that is not there and cannot be made, or in which no file can be.
func checkOutTree(dir string) error {
	for {
		_, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if err == nil || up == dir || errors.Is(err, fs.ErrPermission) {
			return checkOutDir(dir)
		}
		dir = up
	}
}

// explainOut says what to do about a folder in which no file can be made.
func explainOut(err error, dir string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-o: the folder %s is not there: make it, or name another", dir)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("-o: you may not write in %s: name another folder", dir)
	}
	return fmt.Errorf("-o: %w", err)
}
