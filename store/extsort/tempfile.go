package extsort

import (
	"fmt"
	"os"

	"warcorder/store/scratch"
)

// tempFile is a file that is appended to and read. There is none until something is written.
type tempFile struct {
	file *os.File
	size int64
}

// end returns where the next byte will lie. It makes the file if need be, in dir.
func (t *tempFile) end(dir string) (int64, error) {
	if t.file != nil {
		return t.size, nil
	}
	file, err := scratch.Create(dir, "warcorder-sort-*")
	if err != nil {
		return 0, fmt.Errorf("sort: %w", err)
	}
	t.file = file
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
	return t.file.Close()
}
