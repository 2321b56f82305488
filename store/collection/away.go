package collection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warcorder/store/warc"
)

// Names in the directory, of what is known about object storage.
const (
	awayName    = "away"
	uploadsName = "uploads"

	remoteSuffix = ".json"
	staleSuffix  = ".stale"

	// maxNote is how many bytes of a note are read: the sums of the parts are the most of it.
	maxNote = 4 << 20
)

// Away are the names of files of which it is noted where they have a copy in object storage, and of
// those whose copy there is not what they are any more. Where the index is lost, this is what tells
// that a file is not missing, but away.
func (d Dir) Away() (names, stale []string, err error) {
	entries, err := os.ReadDir(filepath.Join(string(d), awayName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, entry := range entries {
		if name, is := strings.CutSuffix(entry.Name(), remoteSuffix); is && IsWARC(name) {
			names = append(names, name)
		}
		if name, is := strings.CutSuffix(entry.Name(), staleSuffix); is && IsWARC(name) {
			stale = append(stale, name)
		}
	}
	return names, stale, err
}

// AwayNote returns the path of the note where a file has a copy, by its base name.
func (d Dir) AwayNote(name string) string {
	return filepath.Join(string(d), awayName, name+remoteSuffix)
}

// StaleNote returns the path of the note of a copy that is not what the file is any more.
func (d Dir) StaleNote(name string) string {
	return filepath.Join(string(d), awayName, name+staleSuffix)
}

// MarkStale makes the note of a file's copy in object storage one of a copy that is not what the file is
// any more, durably; none is no error. Whoever puts another file into the place of one calls it first.
func (d Dir) MarkStale(name string) error {
	err := os.Rename(d.AwayNote(name), d.StaleNote(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return warc.SyncDir(filepath.Dir(d.StaleNote(name)))
}

// WriteNote writes a note, as JSON, durably. Its directory is made if it is not there.
func (d Dir) WriteNote(path string, mode Mode, note any) error {
	folder := filepath.Dir(path)
	if err := mode.MakeDir(folder); err != nil {
		return err
	}
	err := Write(path, mode, func(w io.Writer) error { return json.NewEncoder(w).Encode(note) })
	return errors.Join(err, warc.SyncDir(folder))
}

// ReadNote reads a note; its error wraps fs.ErrNotExist if there is none.
func (d Dir) ReadNote(path string, note any) error {
	file, err := OpenRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxNote))
	if err == nil {
		err = json.Unmarshal(text, note)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// DropNote removes a note, durably; none is no error.
func (d Dir) DropNote(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, warc.SyncDir(filepath.Dir(path)))
}
