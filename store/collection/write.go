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

// Write writes a file, in the place of one that may be at path. It has its name when it is whole
// and on disk; the name itself is not made durable. After an error what was there is there still. A
// process that is killed may leave a hidden file beside it.
func Write(path string, mode Mode, write func(io.Writer) error) error {
	made, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = fill(made, mode, func(w io.Writer) error {
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

// Copy copies in to a new file at path, where it appears when it is whole and on disk, as does its
// name. A file that is there stays, and the error wraps fs.ErrExist. Until the copy is whole it has
// CopyingSuffix: what an interrupted one leaves under that the next recovery sweeps away.
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

// fill lets write write to a file that has just been made, forces it to disk, and closes it.
func fill(file *os.File, mode Mode, write func(io.Writer) error) error {
	err := write(file)
	if err == nil {
		err = errors.Join(mode.Set(file.Name()), file.Sync())
	}
	return errors.Join(err, file.Close())
}

// errNotRegular says that something else than a file has the name of one.
var errNotRegular = errors.New("it is no regular file")

// OpenRegular opens a file that a recorder may have left. That leaves nothing but files: a link, a
// pipe or a device may lead out of the collection, or to no end.
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
