package verify

import (
	"encoding/binary"
	"math"

	"warcorder/store/warc"
)

// wrapping checks how the record lies in the file: the lengths in the gzip member's extra field,
// and that nothing but the record's end is in the member.
func (r *recordCheck) wrapping() {
	if !r.compressed(r.Offset) {
		if !r.framed() {
			r.lineBreaks(r.Offset)
			r.last = r.Offset + r.Length
		}
		return
	}
	var trailer [4]byte
	if _, err := r.file.ReadAt(trailer[:], r.Offset+r.Length-4); err != nil {
		r.remarks.add(Read, "%v", err)
		return
	}
	// The size is modulo 2^32. The reader has compared it with the text.
	size := int64(binary.LittleEndian.Uint32(trailer[:]))
	record := int64(r.header) + r.Size + int64(len(warc.RecordEnd))
	if uint32(record) != uint32(size) {
		r.remarks.note(Form, "%d bytes of line breaks stand around the record, where there must be 4",
			size-record+int64(len(warc.RecordEnd)))
	}
	r.skipLengths(record)
}

// framed reports whether the record lies in a zstd frame.
func (r *recordCheck) framed() bool {
	var magic [4]byte
	n, _ := r.file.ReadAt(magic[:], r.Offset)
	return n == len(magic) && binary.LittleEndian.Uint32(magic[:]) == 0xfd2fb528
}

// skipLengths counts a file's members with and without the `sl` field (WARC 0.9 section 9.2). In a
// file of ours either all members have it, or none.
type skipLengths struct {
	with, without int64
	firstWithout  int64 // offset of the first member without the field
}

// end reports members without skip lengths among others that have them.
func (s *skipLengths) end(f *fileCheck) {
	if f.strict && s.with > 0 && s.without > 0 {
		f.add(s.firstWithout, SkipLengths,
			"%d of the gzip members have no `sl` field, and the other %d have one", s.without, s.with)
	}
}

// skipLengths checks the `sl` field against the length of the member and the size of the record.
func (r *recordCheck) skipLengths(size int64) {
	extra, err := r.extra()
	if err != nil {
		r.remarks.add(Read, "%v", err)
		return
	}
	field, good := subfield(extra, "sl")
	if !good {
		r.remarks.add(SkipLengths, "the extra field of the gzip member is broken")
		return
	}
	if field == nil {
		if r.skips.without == 0 {
			r.skips.firstWithout = r.Offset
		}
		r.skips.without++
		return
	}
	r.skips.with++
	if len(field) != 8 {
		r.remarks.add(SkipLengths, "the `sl` field has %d bytes, where there must be 8", len(field))
		return
	}
	compressed := int64(binary.LittleEndian.Uint32(field))
	uncompressed := int64(binary.LittleEndian.Uint32(field[4:]))
	fits := r.Length <= math.MaxUint32 && size <= math.MaxUint32
	switch {
	case compressed == 0 && uncompressed == 0 && fits:
		r.remarks.note(SkipLengths, "the `sl` field is empty")
	case compressed == 0 && uncompressed == 0:
	case compressed != r.Length:
		r.remarks.add(SkipLengths, "`sl` says that the member has %d bytes, and it has %d",
			compressed, r.Length)
	case uncompressed != size:
		r.remarks.add(SkipLengths, "`sl` says that the record has %d bytes, and it has %d",
			uncompressed, size)
	}
}

// extra reads the extra field of the record's gzip member (RFC 1952 section 2.3.1).
func (r *recordCheck) extra() ([]byte, error) {
	const fixed, hasExtra = 12, 1 << 2
	head := make([]byte, 64)
	n, err := r.file.ReadAt(head, r.Offset)
	if head = head[:n]; len(head) < fixed {
		return nil, err
	}
	if head[3]&hasExtra == 0 {
		return nil, nil
	}
	size := int(binary.LittleEndian.Uint16(head[10:]))
	if fixed+size <= len(head) {
		return head[fixed : fixed+size], nil
	}
	extra := make([]byte, size)
	_, err = r.file.ReadAt(extra, r.Offset+fixed)
	return extra, err
}

// subfield returns the first subfield of that name; nil if there is none. good is whether extra
// consists of whole subfields.
func subfield(extra []byte, name string) (field []byte, good bool) {
	for len(extra) >= 4 {
		size := int(binary.LittleEndian.Uint16(extra[2:]))
		if 4+size > len(extra) {
			return nil, false
		}
		if string(extra[:2]) == name && field == nil {
			field = extra[4 : 4+size : 4+size]
		}
		extra = extra[4+size:]
	}
	return field, len(extra) == 0
}
