package pushing

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// shelf is where the parts of tables are kept: a directory, or a bucket. Names have slashes. A part is
// there as a whole, or not at all.
type shelf interface {
	String() string

	// put writes a part. If there is one of that name, it is errTaken unless replaces.
	put(ctx context.Context, name string, in part, replaces bool) error

	// look opens a part for reading. The error wraps fs.ErrNotExist if there is none.
	look(ctx context.Context, name string) (in part, done func() error, err error)

	// drop removes a part. The error wraps fs.ErrNotExist if there is none.
	drop(ctx context.Context, name string) error
}

// part is the content of a part.
type part struct {
	io.ReaderAt
	size  int64 // in bytes
	mode  collection.Mode
	owner string // the ID of the table, of which one push is at work
}

// errTaken says that there is a part of that name.
var errTaken = errors.New("a part of that name is there")

// directory is a shelf in a directory.
type directory string

func (d directory) String() string { return string(d) }

func (d directory) path(name string) string {
	return filepath.Join(string(d), filepath.FromSlash(name))
}

func (d directory) put(_ context.Context, name string, in part, replaces bool) error {
	path := d.path(name)
	if _, err := os.Lstat(path); err == nil && !replaces {
		return errTaken
	}
	if err := collection.MakeDir(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := collection.WriteAgain(path, in.owner, in.mode, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(in, 0, in.size))
		return err
	})
	if err != nil {
		return err
	}
	return warc.SyncDir(filepath.Dir(path))
}

func (d directory) look(_ context.Context, name string) (in part, done func() error, err error) {
	file, err := collection.OpenRegular(d.path(name))
	if err != nil {
		return in, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return in, nil, errors.Join(err, file.Close())
	}
	return part{ReaderAt: file, size: info.Size()}, file.Close, nil
}

func (d directory) drop(_ context.Context, name string) error { return os.Remove(d.path(name)) }
