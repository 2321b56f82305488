package collection

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/warc"
)

// Write lets write make the content of the file at path. The new file replaces the old one when all
// of the new one is on disk; the name is not made durable. After an error the old file is as it
// was. A process that is killed leaves the old file, and may leave a hidden one beside it.
func Write(path string, mode Mode, write func(io.Writer) error) error {
	made, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	return replace(made, path, mode, write)
}

// WriteAgain is Write for who alone writes that file, by a name of its own: what a process that was killed
// has left goes when the file is written again.
func WriteAgain(path, who string, mode Mode, write func(io.Writer) error) error {
	begun := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+who)
	if err := os.Remove(begun); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made, err := os.OpenFile(begun, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return replace(made, path, mode, write)
}

// replace lets write fill a file, which then replaces the one at path.
func replace(made *os.File, path string, mode Mode, write func(io.Writer) error) error {
	err := fill(made, mode, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	})
	if err == nil {
		err = os.Rename(made.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(made.Name()))
	}
	return nil
}

// Copy copies in to a new file at path. The copy gets that name, durably, when all of it is on
// disk; until then CopyingSuffix is behind its name, and recovery removes what has that suffix. If
// there is a file at path, that file stays as it is, and the error wraps fs.ErrExist.
func Copy(path string, mode Mode, in io.Reader) error {
	begun := path + CopyingSuffix
	out, err := os.OpenFile(begun, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%w: another copy goes on, or was interrupted", err)
	}
	err = fill(out, mode, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err == nil {
		err = warc.Move(begun, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(begun)) // made here a moment ago
	}
	return warc.SyncDir(filepath.Dir(path))
}

// fill lets write fill a new file, gives the file its mode, forces it to disk and closes it.
func fill(file *os.File, mode Mode, write func(io.Writer) error) error {
	err := write(file)
	if err == nil {
		err = errors.Join(mode.Set(file.Name()), file.Sync())
	}
	return errors.Join(err, file.Close())
}

// errNotRegular says that a path leads to something else than a regular file.
var errNotRegular = errors.New("it is no regular file")

// OpenRegular opens a file that a recorder has left. It refuses whatever else somebody may have put
// at path: a link can lead out of the collection, and a pipe or a device has no end.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return os.Open(path)
}
