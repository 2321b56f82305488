package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store/warc"
)

// writeAtomically writes a file of that mode beside path and renames it when it is whole and on
// disk. What is there and no regular file, a pipe or a device, is written to as it is.
func writeAtomically(path string, mode os.FileMode, write func(io.Writer) error) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if is := reserved(path); is != "" {
		return fmt.Errorf("%s has the name of %s, which would be lost: name another file", path, is)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	out := bufio.NewWriterSize(f, 1<<20)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// reserved says what of a collection a path has the name of, if it has one.
func reserved(path string) string {
	switch {
	case isWARC(path):
		return "a WARC file"
	case strings.HasPrefix(filepath.Base(path), "index.bolt"): // or one that was set aside
		return "the index of a collection"
	}
	return ""
}

// isWARC reports whether a path has the name of a WARC file, finished or not.
func isWARC(path string) bool {
	name := strings.TrimSuffix(path, warc.OpenSuffix)
	return slices.ContainsFunc(warc.Suffixes(),
		func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}
