package collection

import (
	"bytes"
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

// IsOwn reports whether we have recorded the WARC file at path, and nobody has compressed it anew
// since: its first record is a warcinfo record as we write it, in a gzip member of its own. If the
// first record is damaged, a member like ours near the start is enough. An empty file counts as
// ours.
//
// A file that is neither compressed nor named like ours is never ours: a page in it may be a WARC
// file of ours that somebody has downloaded.
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
	return IsOwnIn(io.NewSectionReader(file, 0, info.Size()), path)
}

// IsOwnIn is IsOwn of a file that is open.
func IsOwnIn(file *io.SectionReader, path string) (bool, error) {
	return isOwn(file, path, beginsAsOurs)
}

// SaysOwn is IsOwn for a file of that path which need not be as we wrote it any more: somebody may
// have unpacked it, or compressed it anew. Whoever checks a file must hold it to what it says.
func SaysOwn(file *io.SectionReader, path string) (bool, error) {
	return isOwn(file, path, beginsWithUs)
}

// isOwn judges a file by its first record, of which begins says whether it is ours.
func isOwn(file *io.SectionReader, path string,
	begins func(file *io.SectionReader, path string) (bool, error)) (bool, error) {
	path = strings.TrimSuffix(path, warc.OpenSuffix)
	if file.Size() > 0 && !isCompressed(file) && !strings.HasSuffix(path, warc.Suffix) {
		return false, nil
	}
	own, err := begins(io.NewSectionReader(file, 0, file.Size()), path)
	switch {
	case errors.Is(err, io.EOF):
		return true, nil
	case errors.As(err, new(*warc.Damage)):
		return hasOwnMember(file)
	}
	return own, err
}

// beginsAsOurs reports whether the first record is the warcinfo record that we write, and all of it
// is sound.
func beginsAsOurs(file *io.SectionReader, path string) (bool, error) {
	record, block, err := firstRecord(warc.NewReader(file, path, 0))
	if err == nil {
		err = record.Close()
	}
	return err == nil && record.Type() == "warcinfo" &&
		bytes.HasPrefix(block, []byte("software: warcorder")), err
}

// beginsWithUs reports whether the first record is a warcinfo record that names us, however it is
// compressed.
func beginsWithUs(file *io.SectionReader, path string) (bool, error) {
	record, block, err := firstRecord(warc.NewForeignReader(file, path, 0))
	return err == nil && record.Type() == "warcinfo" && IsOwnWarcinfo(block), err
}

// firstRecord returns the next record of a reader that could be made, and its block.
func firstRecord(reader *warc.Reader, err error) (*warc.Record, []byte, error) {
	if err != nil {
		return nil, nil, err
	}
	record, err := reader.Next()
	if err != nil {
		return nil, nil, err
	}
	block, err := io.ReadAll(io.LimitReader(record.Block, MaxWarcinfo))
	return record, block, err
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

// DedupFrom returns the other archives to whose records revisits of the file at path may refer, as its
// first record names them. A file that is not ours names none.
func DedupFrom(path string) (names []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return DedupFromIn(io.NewSectionReader(file, 0, info.Size()), path)
}

// DedupFromIn is DedupFrom of a file that is open.
func DedupFromIn(file *io.SectionReader, path string) (names []string, err error) {
	if own, err := isOwn(file, path, beginsAsOurs); err != nil || !own {
		return nil, err
	}
	_, block, err := firstRecord(warc.NewForeignReader(io.NewSectionReader(file, 0, file.Size()), path, 0))
	if errors.Is(err, io.EOF) || errors.As(err, new(*warc.Damage)) {
		return nil, nil
	}
	for line := range strings.Lines(string(block)) {
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, warc.DedupFrom) {
			names = append(names, strings.TrimSpace(value))
		}
	}
	return names, err
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
