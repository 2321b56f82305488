package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

const (
	// ownerKey is that of the metadata of a file which say who has written it.
	ownerKey = "warcorder.owner"

	// maxFooter is how many bytes the end of a file may have that is read: its schema, and the least and
	// greatest values of its columns, of which a part has 64 MiB at most.
	maxFooter = 128 << 20
)

// errFooter is the error of a file that is no table of ours.
var errFooter = errors.New("this is no Parquet file, or not all of one")

// Owner is what Settings.Owner was when a file was written; "" if that is not known.
func Owner(file io.ReaderAt, size int64) (owner string, err error) {
	defer func() { // the library takes bytes apart that anybody may have written
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v", errFooter, value)
		}
	}()
	var tail [8]byte
	if size < int64(len(tail)) {
		return "", errFooter
	}
	if n, err := file.ReadAt(tail[:], size-int64(len(tail))); n < len(tail) {
		return "", err
	}
	footer := int64(binary.LittleEndian.Uint32(tail[:4]))
	if string(tail[4:]) != "PAR1" || footer > min(size-int64(len(tail)), maxFooter) {
		return "", errFooter
	}
	opened, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return "", fmt.Errorf("%w: %w", errFooter, err)
	}
	owner, _ = opened.Lookup(ownerKey)
	return owner, nil
}
