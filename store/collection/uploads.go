package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Uploads are the names of files of which it is noted how far their upload has come.
func (d Dir) Uploads() (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(string(d), uploadsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if name, is := strings.CutSuffix(entry.Name(), remoteSuffix); is && IsWARC(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// UploadNote returns the path of the note how far the upload of a file has come.
func (d Dir) UploadNote(name string) string {
	return filepath.Join(string(d), uploadsName, name+remoteSuffix)
}
