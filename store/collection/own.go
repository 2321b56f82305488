package collection

import (
	"errors"
	"io"
	"os"
	"strings"

	"warcorder/store/warc"
)

// MaxWarcinfo is more bytes than the block of a warcinfo record of ours has.
const MaxWarcinfo = 64 << 10

// maxStart is how many bytes of a damaged file are searched for a member of ours.
const maxStart = 1 << 20

// IsOwn reports whether we have recorded the WARC file at path, as IsOwnFile does.
func IsOwn(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	return IsOwnFile(io.NewSectionReader(file, 0, info.Size()), path)
}

// IsOwnFile reports whether we have recorded a WARC file, and nobody has compressed it anew since:
// its first record is a warcinfo record of ours in a gzip member of its own. If the first record is
// damaged, a member like ours near the start is enough. An empty file counts as ours.
//
// A file that is neither compressed nor named like ours, by path, is never ours: a page in it may
// be a WARC file of ours that somebody has downloaded.
func IsOwnFile(file *io.SectionReader, path string) (bool, error) {
	path = strings.TrimSuffix(path, warc.OpenSuffix)
	if file.Size() > 0 && !isCompressed(file) && !strings.HasSuffix(path, warc.Suffix) {
		return false, nil
	}
	kind, block, err := firstRecord(file, path)
	switch {
	case errors.Is(err, io.EOF):
		return true, nil
	case errors.As(err, new(*warc.Damage)):
		return hasOwnMember(file)
	}
	return kind == "warcinfo" && IsOwnWarcinfo(block), err
}

// firstRecord returns the type and the block of the first record, if all of the record is sound.
func firstRecord(file *io.SectionReader, path string) (kind string, block []byte, err error) {
	reader, err := warc.NewReader(io.NewSectionReader(file, 0, file.Size()), path, 0)
	if err != nil {
		return "", nil, err
	}
	record, err := reader.Next()
	if err != nil {
		return "", nil, err
	}
	block, err = io.ReadAll(io.LimitReader(record.Block, MaxWarcinfo))
	if err != nil {
		return "", nil, err
	}
	return record.Type(), block, record.Close()
}

// isCompressed reports whether a file begins like a gzip member.
func isCompressed(file *io.SectionReader) bool {
	var magic [2]byte
	_, err := file.ReadAt(magic[:], 0)
	return err == nil && magic == [2]byte{0x1f, 0x8b}
}

// hasOwnMember reports whether a gzip member like ours begins in the first maxStart bytes.
func hasOwnMember(file *io.SectionReader) (bool, error) {
	start := make([]byte, min(maxStart, file.Size()))
	n, err := file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return warc.HasMember(start[:n]), nil
}

// IsOwnWarcinfo reports whether the block of a warcinfo record names us as the software.
func IsOwnWarcinfo(block []byte) bool {
	for line := range strings.Lines(string(block)) {
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, "software") {
			return strings.HasPrefix(strings.TrimSpace(value), "warcorder")
		}
	}
	return false
}
