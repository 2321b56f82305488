package warc

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// The reasons for which a file is damaged; the Reason of a Damage wraps one of them.
var (
	ErrTorn          = errors.New("the file ends inside a gzip member")
	ErrZeros         = errors.New("nothing but zeros to the end of the file")
	ErrNotMember     = errors.New("no gzip member begins here")
	ErrCorrupt       = errors.New("the gzip member does not inflate")
	ErrChecksum      = errors.New("the gzip member's checksum or size is wrong")
	ErrEmptyMember   = errors.New("the gzip member is empty")
	ErrHeader        = errors.New("no good WARC header")
	ErrContentLength = errors.New(
		"Content-Length and the end of the record do not fill the gzip member")
	ErrSecondRecord = errors.New("a second record follows in the same gzip member")
)

// Further reasons, which only the files of other tools can have.
var (
	ErrShared = errors.New(
		"more than one record in one gzip member or zstd frame, where no index can find them: compress " +
			"each record by itself (warcio recompress)")
	ErrCut       = errors.New("the file ends inside a record")
	ErrNotRecord = errors.New("no WARC record begins here")
	ErrLength    = errors.New("Content-Length does not lead to the end of the record")
	ErrFrame     = errors.New("no good zstd frame")
	ErrOld       = errors.New("this is a WARC 0.9 file: warcorder import --from-format 0.9")
	ErrARC       = errors.New("this is an ARC file: make a WARC file of it first (warcio recompress)")
)

// Damage is the error of a Reader where there is no whole record.
type Damage struct {
	File string
	// Offset is that of the first byte behind the last whole record: the valid part of the file ends
	// here, and the damaged member, if there is one, begins here.
	Offset int64
	Reason error // wraps one of the errors above
}

// Error names the file, the offset and the reason.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s: damaged at byte %d: %v", d.File, d.Offset, d.Reason)
}

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Reason }

// GzipReason translates an error of a gzip reader into the Reason of a Damage.
func GzipReason(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTorn
	case errors.Is(err, gzip.ErrHeader):
		return ErrNotMember
	case errors.Is(err, gzip.ErrChecksum):
		return ErrChecksum
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}
