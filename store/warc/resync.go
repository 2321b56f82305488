package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
)

const (
	resyncWindow = 1 << 20
	gzipHeader   = 10      // bytes, without optional fields
	gzipName     = 512     // the most bytes of a name or comment that the gzip reader takes
	followBuffer = 4 << 10 // bytes read at once to follow records: most attempts end within them
	// startOfBlock is how much of a deflate stream yields the first five bytes of its text: the
	// longest description of its codes takes 0.6 KB.
	startOfBlock = 2 << 10
	maxStart     = gzipHeader + 2 + 0xffff + 2*gzipName + 2 + startOfBlock

	// chainCost bounds what all Resyncs of one Reader read again, as a multiple of the file's size.
	// The bound is for a body in which each member seems to go on to the end of the file, or to hold
	// the next member.
	chainCost = 4
)

// gzip's flags (RFC 1952 section 2.3.1).
const (
	flagHeaderCRC = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
	flagReserved  = 0xe0
)

// Resync looks behind the Damage that Next or Close has returned for the next member that begins a
// WARC record, and lets Next go on there. The bytes from the Damage's Offset up to to are skipped;
// Offset returns to from then on. The record there need not be whole: Next tells. If no member
// follows, the error is io.EOF, to is the size of the file, and Next keeps returning the Damage.
// Any other error is a read error. Without a Damage nothing is skipped.
//
// A body may contain members of its own, which are not the file's. Two rules tell them apart. The
// `sl` field of the damaged member says where that member ends, if another member or the end of the
// file is there. And if the damaged member seems to go on to the end of the file, nothing follows
// it, unless whole records lead up to that end exactly. Where neither rule applies, a member in a
// body may be taken for one of the file's: better that than to lose a record.
//
// All Resyncs of a Reader together read no more than chainCost times the size of the file again,
// and 1 MiB for each MiB of windows. When this is used up, Resync goes on where the damage was
// noticed and looks no farther ahead: only a file that was made for it costs so much.
func (r *Reader) Resync() (from, to int64, err error) {
	var damage *Damage
	if !errors.As(r.err, &damage) {
		return r.end, r.end, r.err
	}
	size, err := r.file.f.Seek(0, io.SeekEnd)
	if err == nil {
		to, err = r.behind(r.searchIn(size), damage)
	}
	if err == nil && to < size {
		err = r.jump(to)
	}
	if err != nil {
		return damage.Offset, damage.Offset, fmt.Errorf("read %s: %w", r.name, err)
	}
	if to == size {
		return damage.Offset, size, io.EOF
	}
	r.err, r.record, r.end = nil, nil, to
	return damage.Offset, to, nil
}

// searchIn returns the Reader's search, in a file of that size.
func (r *Reader) searchIn(size int64) *search {
	if r.search == nil {
		r.search = &search{file: r.file.f, left: chainCost*size + resyncWindow}
		r.file.known = r.search
	}
	r.search.size = size
	return r.search
}

// behind returns the offset at which Resync goes on; if there is none, the size of the file.
func (r *Reader) behind(s *search, damage *Damage) (int64, error) {
	from := damage.Offset + 1
	if s.left -= max(r.reached-damage.Offset, 0); s.left < 0 {
		from = min(max(from, r.reached), s.size)
	}
	if r.foreign {
		return r.behindForeign(s, damage, from)
	}
	return s.behind(damage, from)
}

// behind returns the offset of the next member behind the damage, not before from; if there is
// none, the size of the file.
func (s *search) behind(damage *Damage, from int64) (int64, error) {
	if s.left < 0 {
		return s.next(from, s.size)
	}
	end, proven, err := s.skip(damage.Offset)
	switch {
	case err != nil:
		return 0, err
	case proven:
		return end, nil
	case end > 0:
		return s.nextOwn(from, end)
	case errors.Is(damage.Reason, ErrTorn):
		return s.nextOwn(from, s.size)
	}
	return s.next(from, s.size)
}

// search looks for members in a file.
type search struct {
	file    io.ReadSeeker
	size    int64
	left    int64  // bytes that may still be read again
	window  []byte // bytes of the file
	start   int64  // offset of the window
	far     []byte // bytes outside of the window, for peek
	deflate io.ReadCloser
	chain   *Reader // follows records

	atLeast int64 // bytes that load returns if that is more than maxStart
}

// load returns the bytes of the file from offset on, which the window then holds: no fewer than
// maxStart and atLeast, unless the file ends before.
func (s *search) load(offset int64) ([]byte, error) {
	end := s.start + int64(len(s.window))
	if offset >= s.start && offset <= end &&
		(end-offset >= max(maxStart, s.atLeast) || end == s.size) {
		return s.window[offset-s.start:], nil
	}
	if s.window == nil {
		s.window = make([]byte, min(resyncWindow, s.size))
	}
	if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	s.start, s.window = offset, s.window[:min(int64(cap(s.window)), max(s.size-offset, 0))]
	if _, err := io.ReadFull(s.file, s.window); err != nil {
		s.window = s.window[:0] // a part of it was overwritten
		return nil, err
	}
	return s.window, nil
}

// peek returns n bytes from offset on, fewer at the end of the file. The window stays where it is.
func (s *search) peek(offset, n int64) ([]byte, error) {
	n = min(n, s.size-offset)
	if at := offset - s.start; at >= 0 && at+n <= int64(len(s.window)) {
		return s.window[at : at+n], nil
	}
	s.left -= n
	s.far = slices.Grow(s.far[:0], int(n))[:n]
	if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	_, err := io.ReadFull(s.file, s.far)
	return s.far, err
}

// skip returns the end of the member at offset by its `sl` field, if the file ends or a member
// begins there; else 0. proven is whether the `sl` field agrees with the trailer there: if it does
// not, bytes may have been lost inside the member, and the trailer may be that of another member.
func (s *search) skip(offset int64) (end int64, proven bool, err error) {
	b, err := s.load(offset)
	if err != nil {
		return 0, false, err
	}
	extra, _, ok := parseStart(b)
	if !ok && len(b) > skipLengths+8 &&
		string(b[gzipHeader:skipLengths]) == memberHeader[gzipHeader:skipLengths] {
		// a member of ours, whose first bytes are damaged
		extra = b[skipLengths-4 : skipLengths+8]
	}
	compressed, uncompressed := skips(extra)
	end = offset + compressed
	if compressed < gzipHeader+memberTrailer || end > s.size {
		return 0, false, nil
	}
	if b, err = s.peek(end-memberTrailer, memberTrailer+gzipHeader); err != nil {
		return 0, false, err
	}
	proven = int64(binary.LittleEndian.Uint32(b[4:])) == uncompressed
	switch next := b[memberTrailer:]; {
	case len(next) == 0, proven && bytes.HasPrefix(next, []byte(gzipMagic)):
		return end, proven, nil
	case !bytes.HasPrefix(next, []byte(gzipMagic)):
		return 0, false, nil
	}
	if b, err = s.peek(end, maxStart); err != nil || !s.beginsRecord(b) {
		return 0, false, err
	}
	return end, proven, nil
}

// next returns the offset of the first member that begins a WARC record, from offset on and before
// end; if there is none, end.
func (s *search) next(offset, end int64) (int64, error) {
	for offset < end {
		b, err := s.load(offset)
		if err != nil {
			return 0, err
		}
		at := bytes.Index(b, []byte(gzipMagic))
		if at < 0 {
			offset += int64(max(len(b)-len(gzipMagic)+1, 1))
			continue
		}
		if offset += int64(at); offset >= end {
			break
		}
		if b, err = s.load(offset); err != nil {
			return 0, err
		}
		if s.beginsRecord(b) {
			return offset, nil
		}
		offset++
	}
	return end, nil
}

// nextOwn returns what next returns if from some member whole records lead to end exactly: then not
// all members from offset on are inside the damaged member. Else it returns end.
func (s *search) nextOwn(offset, end int64) (int64, error) {
	left := chainCost*(end-offset) + resyncWindow
	for at := offset; left > 0 && s.left > 0; {
		first, err := s.next(at, end)
		if err != nil || first == end {
			return end, err
		}
		last, read, err := s.follow(first, end)
		if err != nil {
			return 0, err
		}
		if last == end {
			return s.next(offset, end)
		}
		read += startOfBlock // an attempt is work even if it ends at once
		left, s.left = left-read, s.left-read
		at = max(first+1, last) // a member inside a whole record is part of that record
	}
	return end, nil
}

// follow reads whole records from first on, up to end or to the first damage. It returns the end of
// the last one, and the number of bytes that it has read.
func (s *search) follow(first, end int64) (last, read int64, err error) {
	if s.chain == nil {
		s.chain = newReader(s.file, "", followBuffer)
	}
	r := s.chain
	r.record, r.err, r.end, r.file.read = nil, nil, first, 0
	if err := r.jump(first); err != nil {
		return 0, 0, err
	}
	for r.end < end {
		record, err := r.Next()
		if err == nil {
			err = record.Skip()
		}
		if damage := (*Damage)(nil); errors.As(err, &damage) || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return r.end, r.file.read, nil
}

// beginsRecord reports whether b begins with a gzip header and a deflate stream whose text begins
// like a WARC record.
func (s *search) beginsRecord(b []byte) bool {
	_, stream, ok := parseStart(b)
	if !ok {
		return false
	}
	in := bytes.NewReader(stream[:min(len(stream), startOfBlock)])
	if s.deflate == nil {
		s.deflate = flate.NewReader(in)
	} else if s.deflate.(flate.Resetter).Reset(in, nil) != nil {
		return false
	}
	var start [len(warcMagic)]byte
	_, err := io.ReadFull(s.deflate, start[:])
	return err == nil && string(start[:]) == warcMagic
}

// parseStart parses the gzip header that b begins with (RFC 1952 section 2.3). It returns the extra
// field, and stream, which follows the header.
func parseStart(b []byte) (extra, stream []byte, ok bool) {
	if len(b) < gzipHeader || string(b[:len(gzipMagic)]) != gzipMagic || b[3]&flagReserved != 0 {
		return nil, nil, false
	}
	flags, rest := b[3], b[gzipHeader:]
	if flags&flagExtra != 0 {
		if len(rest) < 2 || len(rest)-2 < int(binary.LittleEndian.Uint16(rest)) {
			return nil, nil, false
		}
		n := 2 + int(binary.LittleEndian.Uint16(rest))
		extra, rest = rest[2:n], rest[n:]
	}
	for _, text := range []byte{flagName, flagComment} {
		if flags&text == 0 {
			continue
		}
		end := bytes.IndexByte(rest[:min(len(rest), gzipName)], 0)
		if end < 0 {
			return nil, nil, false
		}
		rest = rest[end+1:]
	}
	if flags&flagHeaderCRC != 0 {
		if len(rest) < 2 {
			return nil, nil, false
		}
		rest = rest[2:]
	}
	return extra, rest, true
}
