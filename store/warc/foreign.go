package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Layout is how the records of a file are wrapped.
type Layout int

const (
	GzipMembers Layout = iota // each record in a gzip member
	Plain                     // the records not compressed
	Frames                    // each record in a zstd frame
)

const (
	oldMagic = "warc/0." // WARC 0.9 and before
	arcMagic = "filedesc:"
)

// Suffixes end the names of WARC files: compressed with gzip, not compressed, and compressed with
// zstd.
func Suffixes() []string { return []string{Suffix, ".warc", ".warc.zst"} }

// OpenForeign opens the file at path, which any tool may have made, and reads from the record at
// offset. Each record is in a gzip member of its own, or in a zstd frame of its own with or without
// a dictionary, or not compressed. The versions are 0.17 to 1.1, and any number of empty lines may
// end a record. A file that cannot be read at all, one of WARC 0.9 for example, is a *Damage.
func OpenForeign(path string, offset int64) (*Reader, error) {
	return openWith(NewForeignReader, path, offset)
}

// NewForeignReader is OpenForeign for a file that is open. The errors contain name; if the
// beginning of the file does not tell the layout, name does.
func NewForeignReader(f io.ReadSeeker, name string, offset int64) (*Reader, error) {
	r, err := NewReader(f, name, 0)
	if err != nil {
		return nil, err
	}
	start, err := r.in.Peek(len(arcMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.foreign, r.layout = true, layoutOf(start, name)
	switch {
	case strings.HasPrefix(string(start), oldMagic):
		return nil, &Damage{File: name, Reason: ErrOld}
	case string(start) == arcMagic:
		return nil, &Damage{File: name, Reason: ErrARC}
	case r.layout == Plain:
		r.text = r.in
	case r.layout == Frames:
		if r.zst, err = newFrame(r); err != nil {
			return nil, r.fail(r.reason(err))
		}
		r.text.Reset(r.zst.decoder)
	}
	r.end = offset
	return r, r.jump(offset)
}

// HasMember reports whether b contains the beginning of a member as a Compressor makes it.
func HasMember(b []byte) bool { return bytes.Contains(b, []byte(memberHeader[:skipLengths])) }

// layoutOf tells the layout by the first bytes of the file or, where these do not tell, by its
// name.
func layoutOf(start []byte, name string) Layout {
	switch {
	case bytes.HasPrefix(start, []byte(gzipMagic)):
		return GzipMembers
	case isFrame(start):
		return Frames
	case bytes.HasPrefix(start, []byte(warcMagic)):
		return Plain
	case strings.HasSuffix(name, ".gz"):
		return GzipMembers
	case strings.HasSuffix(name, ".zst"):
		return Frames
	}
	return Plain
}

// knownVersion reports whether records of that version can be read. 0.17 and 0.18 have the form of
// 1.0.
func knownVersion(version string) bool {
	number, _ := strings.CutPrefix(strings.TrimSpace(version), "WARC/")
	return number == "0.17" || number == "0.18" || strings.HasPrefix(number, "1.")
}

// TargetURI returns the WARC-Target-URI as other tools understand it: without the angle brackets
// that wget and WARC 1.0's grammar put around it, and with its spaces escaped.
func (rec *Record) TargetURI() string {
	uri := rec.Header.Get("WARC-Target-URI")
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	return strings.ReplaceAll(uri, " ", "%20")
}

// reason translates an error inside of a member, of a frame or of a plain file into the reason of a
// Damage.
func (r *Reader) reason(err error) error {
	switch {
	case errors.Is(err, errLines):
		return err
	case r.layout == GzipMembers:
		return GzipReason(err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrCut
	}
	return fmt.Errorf("%w: %w", ErrFrame, err)
}

// beginForeign goes to where the next record begins.
func (r *Reader) beginForeign() error {
	if r.layout == GzipMembers {
		return nil // checkMagic looks at what is there
	}
	if r.layout == Plain {
		if _, err := skipEmptyLines(r.in, math.MaxInt); err != nil {
			return err
		}
	} else if err := r.skipSkippable(); err != nil {
		return err
	}
	start, err := r.in.Peek(len(arcMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case len(start) == 0:
		return io.EOF
	case r.layout == Plain && bytes.HasPrefix(start, []byte(warcMagic)),
		r.layout == Frames && isFrame(start):
		return nil
	case r.layout == Plain && bytes.HasPrefix([]byte(warcMagic), start),
		r.layout == Frames && len(start) < len(frameMagic):
		return ErrCut
	case bytes.HasPrefix(start, []byte(oldMagic)):
		return ErrOld
	}
	if r.zerosToEnd() {
		return ErrZeros
	}
	return ErrNotRecord
}

// skipToHead goes to the record in a member or a frame. A format that this package does not read is
// told from damage.
func (r *Reader) skipToHead() error {
	if r.layout == Plain {
		return nil
	}
	if _, err := skipEmptyLines(r.text, maxLinesWithin); err != nil {
		return r.reason(err)
	}
	start, err := r.text.Peek(len(arcMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return r.reason(err)
	case bytes.HasPrefix(start, []byte(oldMagic)):
		return ErrOld
	case string(start) == arcMagic:
		return ErrARC
	}
	return nil
}

// closeForeign is Close for the file of another tool.
func (rec *Record) closeForeign() error {
	r := rec.reader
	if err := rec.skipBlock(); err != nil {
		return r.fail(err)
	}
	end := r.position()
	most := maxLinesWithin
	if r.layout == Plain {
		most = math.MaxInt
	}
	lines, err := skipEmptyLines(r.text, most)
	if err != nil {
		return rec.closeUnended(r.reason(err))
	}
	next, err := r.text.Peek(len(warcMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return r.fail(r.reason(err))
	case len(next) == 0:
		rec.Unended = r.layout == Plain && lines < len("\n\n")
	case r.layout == Plain && (string(next) == warcMagic || lines >= len("\n\n")):
	case string(next) == warcMagic:
		return r.fail(ErrShared)
	default:
		return r.fail(fmt.Errorf("%w: %q follows the block of %d bytes", ErrLength, next, rec.Size))
	}
	rec.whole(r.position())
	if r.layout == Plain {
		rec.Length = end - rec.Offset // as warcio has it
	}
	return nil
}

// closeUnended is Close for a record whose block is whole, after an error behind the block. If the
// error is the end of the file, the record counts as good: pywb takes it.
func (rec *Record) closeUnended(err error) error {
	r := rec.reader
	if r.file.err != nil || !errors.Is(err, ErrTorn) && !errors.Is(err, ErrCut) {
		return r.fail(err)
	}
	rec.Unended = true
	rec.whole(r.position())
	return nil
}

// skipBlock skips the rest of the block.
func (rec *Record) skipBlock() error {
	r := rec.reader
	if r.layout == Plain && rec.left > int64(r.in.Buffered()) {
		// the last byte is there if all bytes are
		if err := r.seek(r.position() + rec.left - 1); err != nil {
			return err
		}
		rec.left = 1
	}
	return rec.discard()
}

// behindForeign returns the offset of the next record behind the damage, not before from; if there
// is none, the size of the file.
func (r *Reader) behindForeign(s *search, damage *Damage, from int64) (int64, error) {
	s.atLeast = 0
	if r.layout == Plain {
		return s.nextPlain(from)
	}
	if s.left >= 0 {
		// the window then serves many damaged records that follow one another
		if _, err := s.load(damage.Offset); err != nil {
			return 0, err
		}
		end, err := r.wrapEnd(damage.Offset, s.size)
		if err != nil || end > 0 {
			return end, err
		}
		s.left -= r.position() - damage.Offset
	}
	if r.layout == Frames {
		s.atLeast = frameStart
		return s.nextFrame(from, r.zst)
	}
	return s.behind(damage, from)
}

// wrapEnd returns the end of the member or frame at offset if the wrapping is whole, whatever is
// wrong with the record in it; else 0.
func (r *Reader) wrapEnd(offset, size int64) (int64, error) {
	if err := r.jump(offset); err != nil {
		return 0, err
	}
	var err error
	if r.layout == Frames {
		err = r.zst.skip(r)
	} else if err = r.gz.Reset(r.in); err == nil {
		r.gz.Multistream(false)
		_, err = io.Copy(io.Discard, r.gz)
	}
	end := r.position()
	if r.file.err != nil {
		return 0, r.file.err
	}
	if err != nil || end <= offset {
		return 0, nil
	}
	if end == size {
		return end, nil
	}
	start, err := r.in.Peek(len(frameMagic))
	if r.file.err != nil {
		return 0, r.file.err
	}
	if err == nil && (r.layout == Frames && isFrame(start) ||
		r.layout == GzipMembers && bytes.HasPrefix(start, []byte(gzipMagic))) {
		return end, nil
	}
	return 0, nil
}

// nextPlain returns the offset of the next record, from offset on, that begins a line and whose
// Content-Length leads to its end; if there is none, the size of the file.
func (s *search) nextPlain(offset int64) (int64, error) {
	const start = "\n" + warcMagic
	for offset < s.size {
		b, err := s.load(offset - 1) // offset is behind the beginning of the damage: not 0
		if err != nil {
			return 0, err
		}
		at := bytes.Index(b, []byte(start))
		if at < 0 {
			offset += int64(max(len(b)-len(start)+1, 1))
			continue
		}
		offset += int64(at)
		if b, err = s.load(offset); err != nil {
			return 0, err
		}
		if lands, err := s.lands(offset, b); err != nil || lands {
			return offset, err
		}
		offset++
	}
	return s.size, nil
}

// lands reports whether the record at offset ends where its Content-Length says; b begins with that
// record.
func (s *search) lands(offset int64, b []byte) (bool, error) {
	version, header, err := ParseHeader(headOf(b))
	if err != nil || !knownVersion(version) {
		return false, nil
	}
	size, err := header.length()
	end := offset + int64(len(headOf(b))) + size
	if err != nil || end > s.size {
		return false, nil
	}
	if _, err := s.file.Seek(end, io.SeekStart); err != nil {
		return false, err
	}
	var next [64]byte
	n, err := io.ReadFull(s.file, next[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	rest := bytes.TrimLeft(next[:n], "\r\n")
	return len(rest) == 0 || n-len(rest) >= len("\n\n") ||
		bytes.HasPrefix(rest, []byte(warcMagic)), nil
}

// headOf returns the header that b begins with; nil if one of its lines is no field. headOf stops
// at the first such line, because a file can hold many beginnings of a header.
func headOf(b []byte) []byte {
	for at := 0; ; {
		n := bytes.IndexByte(b[at:], '\n') + 1
		if n == 0 {
			return nil
		}
		line := b[at : at+n]
		first := at == 0
		at += n
		if isBlank(line) {
			return b[:at]
		}
		name, _, ok := bytes.Cut(line, []byte(":"))
		if !first && line[0] != ' ' && line[0] != '\t' && (!ok || bytes.ContainsFunc(name, notToken)) {
			return nil
		}
	}
}
