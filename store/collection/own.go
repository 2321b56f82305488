package collection

import (
	"errors"
	"io"
	"os"
	"strings"

	"warcorder/store/warc"
)

// MaxWarcinfo is more than the block of a warcinfo record of ours has, in bytes.
const MaxWarcinfo = 64 << 10

// maxStart is how far into a damaged file a member of ours is looked for, in bytes.
const maxStart = 1 << 20

// IsOwn reports whether the WARC file at path is one that we recorded, see IsOwnFile.
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

// IsOwnFile reports whether a WARC file is one that we recorded, and is as we wrote it: its first
// record says so, and is a gzip member of its own. Where that is damaged, members like ours do; a
// file with nothing in it is ours. path is that of the file: one that is neither compressed nor
// named as ours are is another tool's, whatever a page that is in it may hold.
func IsOwnFile(file *io.SectionReader, path string) (bool, error) {
	if file.Size() == 0 {
		return true, nil
	}
	path = strings.TrimSuffix(path, warc.OpenSuffix)
	if !isCompressed(file) && !strings.HasSuffix(path, warc.Suffix) {
		return false, nil
	}
	reader, err := warc.NewReader(io.NewSectionReader(file, 0, file.Size()), path, 0)
	if err != nil {
		return false, err
	}
	var block []byte
	record, err := reader.Next()
	if err == nil {
		block, err = io.ReadAll(io.LimitReader(record.Block, MaxWarcinfo))
	}
	if err == nil {
		err = record.Close()
	}
	switch {
	case errors.Is(err, io.EOF):
		return true, nil
	case errors.As(err, new(*warc.Damage)):
		return hasOwnMember(file)
	case err != nil:
		return false, err
	}
	return record.Type() == "warcinfo" && IsOwnWarcinfo(block), nil
}

// isCompressed reports whether a file begins with a gzip member.
func isCompressed(file *io.SectionReader) bool {
	var magic [2]byte
	_, err := file.ReadAt(magic[:], 0)
	return err == nil && magic == [2]byte{0x1f, 0x8b}
}

// hasOwnMember reports whether a member of ours begins near the start of a file.
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
