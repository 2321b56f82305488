package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"warcorder/store/warc"
)

// openPlace opens the file of a place, if that is still the one.
func openPlace(was warc.Place) (*os.File, error) {
	in, err := os.Open(was.Path)
	if err != nil {
		return nil, err
	}
	stat, err := in.Stat()
	if err == nil && !os.SameFile(stat, was.File) {
		err = fmt.Errorf("%s: %w", was.Path, warc.ErrReplaced)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// sameStart reports whether the longer one of two files begins with the shorter one.
func sameStart(shorter, longer warc.Place) (bool, error) {
	a, err := openPlace(shorter)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := openPlace(longer)
	if err != nil {
		return false, err
	}
	defer b.Close()
	n := shorter.File.Size()
	return warc.SameBytes(io.NewSectionReader(a, 0, n), io.NewSectionReader(b, 0, n))
}

// syncFile makes what is in a file durable. Windows does that only for those who may write to it.
func syncFile(path string) error {
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flag = os.O_RDWR
	}
	f, err := os.OpenFile(path, flag, 0)
	if flag == os.O_RDWR && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
