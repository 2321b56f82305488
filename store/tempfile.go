package store

import (
	"errors"
	"fmt"
	"os"
)

// tempFile is a file that is appended to and read. There is none until something is written.
type tempFile struct {
	file *os.File
	size int64
	gone bool // it has no name any more
}

// end returns where the next byte will lie. It makes the file if need be, in dir.
func (t *tempFile) end(dir string) (int64, error) {
	if t.file != nil {
		return t.size, nil
	}
	file, err := os.CreateTemp(dir, "warcorder-sort-*")
	if err != nil {
		return 0, fmt.Errorf("sort: %w", err)
	}
	t.file = file
	t.gone = os.Remove(file.Name()) == nil // nothing is left behind, however we end, where the system lets an open file be removed
	return 0, nil
}

// Write appends p to the file.
func (t *tempFile) Write(p []byte) (int, error) {
	n, err := t.file.Write(p)
	t.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("sort: %w", err)
	}
	return n, nil
}

func (t *tempFile) ReadAt(p []byte, offset int64) (int, error) { return t.file.ReadAt(p, offset) }

func (t *tempFile) close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	if !t.gone {
		err = errors.Join(err, os.Remove(t.file.Name()))
	}
	return err
}
