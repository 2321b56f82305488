package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// keepTail copies what is behind offset in a file, durably, to a file at to, or at to.2 and so on
// if those have other content. It returns the path of the copy, which a recovery that was killed
// may have made.
func keepTail(was warc.Place, offset int64, to string) (string, error) {
	if err := fault.At(fault.RecoverCopy); err != nil {
		return "", err
	}
	in, err := openPlace(was)
	if err != nil {
		return "", err
	}
	defer in.Close()
	size := was.File.Size() - offset
	for n := 1; ; n++ {
		path := collection.Numbered(to, n)
		there, err := warc.Look(path)
		if err == nil {
			same, err := isCopy(there, was, io.NewSectionReader(in, offset, size))
			if err != nil || same {
				return path, err
			}
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		mode := collection.Mode(was.File.Mode().Perm())
		err = collection.Copy(path, mode, io.NewSectionReader(in, offset, math.MaxInt64-offset))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			err = fmt.Errorf(
				"copy what is to be cut off %s (free as much space as it takes, or move the file away): %w",
				was.Path, err)
		}
		return path, err
	}
}

// isCopy reports whether what is in a place is all that tail gives, and is no other name of the
// file from which it is to be cut.
func isCopy(there, was warc.Place, tail *io.SectionReader) (bool, error) {
	if there.IsLink() || there.Leads(was) || there.File.Size() != tail.Size() {
		return false, nil
	}
	copied, err := openPlace(there)
	if err != nil {
		return false, err
	}
	defer copied.Close()
	return warc.SameBytes(copied, tail)
}
