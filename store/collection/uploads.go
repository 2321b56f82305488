package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// againSuffix ends the names of notes that a file is to be sent anew.
const againSuffix = ".again"

// Uploads are the names of files of which it is noted how far their upload has come.
func (d Dir) Uploads() (names []string, err error) { return d.uploads(remoteSuffix) }

// Again are the names of files of which it is noted that they are to be sent anew.
func (d Dir) Again() (names []string, err error) { return d.uploads(againSuffix) }

func (d Dir) uploads(suffix string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(string(d), uploadsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if name, is := strings.CutSuffix(entry.Name(), suffix); is && IsWARC(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// UploadNote returns the path of the note how far the upload of a file has come.
func (d Dir) UploadNote(name string) string {
	return filepath.Join(string(d), uploadsName, name+remoteSuffix)
}

// AgainNote returns the path of the note that the object of a file is not what was uploaded, and which one
// that is. Whoever verifies writes it while the file is here; an upload then sends the file anew.
func (d Dir) AgainNote(name string) string {
	return filepath.Join(string(d), uploadsName, name+againSuffix)
}
