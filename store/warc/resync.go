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
	gzipHeader   = 10      // bytes, with no optional field
	gzipName     = 512     // bytes that the gzip reader takes for a name or a comment
	followBuffer = 4 << 10 // bytes that are read at once to follow records: most attempts end in them
	// enough of a deflate stream for its first five bytes: the longest description of its codes takes
	// 0.6 KB
	startOfBlock = 2 << 10
	maxStart     = gzipHeader + 2 + 0xffff + 2*gzipName + 2 + startOfBlock

	// An embedded file can be made so that each of its members seems to go on to the end of the
	// file, or to hold the next one. So much is read twice to tell them apart, in proportion to what
	// there is, by one Reader in all.
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
// WARC record, and lets Next go on there. from is where the bytes that are skipped begin, the
// Damage's Offset; to is where that member begins, and Offset from then on. The record there need
// not be whole: Next tells. If no member follows, the error is io.EOF, to is the size of the file,
// and Next keeps returning the Damage; other errors are those of reading the file. Without a Damage
// nothing is skipped.
//
// A body may hold members of its own, which are not the file's. So the `sl` field of the damaged
// member says where it ends, if a member or the file's end is there. And if the member seems to go
// on to the end of the file, nothing follows it unless whole records lead up to that end exactly.
// Where neither helps, a member in a body may be taken for one of the file's: better that than to
// lose one.
//
// A Reader reads no more than chainCost times the file's size again in all its Resyncs, and 1 MiB
// for each MiB of windows. When that is used up it goes on where the damage was noticed, and looks
// at nothing farther on: a file that costs so much was made to.
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

// searchIn is the Reader's search, in a file of that size.
func (r *Reader) searchIn(size int64) *search {
	if r.search == nil {
		r.search = &search{file: r.file.f, left: chainCost*size + resyncWindow}
		r.file.known = r.search
	}
	r.search.size = size
	return r.search
}

// behind returns where Resync goes on, or the size of the file.
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

// behind returns where the next member behind the damage begins, from that offset on, or the size
// of the file.
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
	left    int64  // bytes that may still be read more than once; below zero none
	window  []byte // bytes of the file
	start   int64  // of the window
	far     []byte // what lies outside of it
	deflate io.ReadCloser
	chain   *Reader // that follows records

	atLeast int64 // bytes that load gives, if not maxStart
}

// load makes the window hold the file from offset on: as much as a member's start takes, at least,
// or atLeast, or up to the file's end.
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
		s.window = s.window[:0] // of which nothing is known
		return nil, err
	}
	return s.window, nil
}

// peek returns n bytes from offset on, or up to the file's end, and leaves the window where it is.
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

// skip returns where the member at offset ends by its `sl` field, if the file ends or a member
// begins there; else 0. proven is whether that field agrees with the member's end: if it does not,
// bytes may have been lost inside of the member, and another's end be there.
func (s *search) skip(offset int64) (end int64, proven bool, err error) {
	b, err := s.load(offset)
	if err != nil {
		return 0, false, err
	}
	extra, _, ok := parseStart(b)
	if !ok && len(b) > skipLengths+8 &&
		string(b[gzipHeader:skipLengths]) == memberHeader[gzipHeader:skipLengths] {
		// of a member of ours, whose first bytes are no longer what they were
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

// next returns where the first member that begins a WARC record lies, from offset on and before
// end; end if there is none.
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

// nextOwn returns what next does if there is a member from which whole records lead to end exactly:
// then those from offset on are not all inside of one that ends there. Else it returns end.
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
		at = max(first+1, last) // what lies inside of a whole record is its own
	}
	return end, nil
}

// follow reads whole records from first on, until they reach end or there is none. It returns the
// end of the last one, and how much it has read.
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

// beginsRecord reports whether b begins with a gzip header and a deflate stream whose first bytes
// are those of a WARC record.
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

// parseStart takes a gzip header apart: the extra field and what follows the header (RFC 1952
// section 2.3).
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
