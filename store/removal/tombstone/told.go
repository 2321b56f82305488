package tombstone

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"warcorder/store/warc"
)

// Told is what a tombstone tells.
type Told struct {
	Removed  string // when, as it stands there
	Captures int64  // that went
	Listed   int64  // of them, that it names
}

// MaxBlock is how many bytes the block of a tombstone may have: those that are written have less.
const MaxBlock = 2 * MaxList

// Captured is a capture that a tombstone names.
type Captured struct{ Date, Digest, URI string } // Digest is "" if there was none

// Read reads a record that may be a tombstone: it calls yield with each capture that it names. What is
// none gives nothing; what is too long for one of ours is an error.
func Read(record *warc.Record, yield func(told Told, c Captured) error) (told Told, is bool, err error) {
	if !MayBe(record.Header) {
		return told, false, nil
	}
	block, err := io.ReadAll(io.LimitReader(record.Block, MaxBlock+1))
	if err != nil || !Is(record.Header, block) {
		return told, false, err
	}
	if len(block) > MaxBlock {
		return told, false, errors.New("the tombstone has more than " + strconv.Itoa(MaxBlock) +
			" bytes: warcorder has not written it")
	}
	for line := range bytes.Lines(block) {
		name, value, _ := strings.Cut(string(bytes.TrimRight(line, "\r\n")), ": ")
		switch name {
		case "removed":
			told.Removed = value
		case "captures":
			told.Captures, _ = strconv.ParseInt(value, 10, 64)
		case fieldCapture:
			told.Listed++
			date, rest, _ := strings.Cut(value, " ")
			digest, uri, _ := strings.Cut(rest, " ")
			if err := yield(told, Captured{date, strings.TrimPrefix(digest, "-"), uri}); err != nil {
				return told, true, fmt.Errorf("what a tombstone names: %w", err)
			}
		}
	}
	return told, true, nil
}
