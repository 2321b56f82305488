package copying

import (
	"encoding/binary"
	"errors"
	"io"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// A gzip member, as far as it is looked at (package warc draws it).
const (
	memberStart  = 24 // bytes up to the deflate stream, with skip lengths
	memberEnd    = 8  // bytes behind it
	flagExtra    = 1 << 2
	extraOfSkips = "\x0c\x00sl\x08\x00"
)

// checkMember looks whether a gzip member begins and ends where a capture does, and has the lengths
// that it names, without inflating it. at is the place of the capture.
func checkMember(from *readback.Range, at store.Location) error {
	var b [memberStart]byte
	damaged := &warc.Damage{File: at.File, Offset: at.Offset, Reason: warc.ErrNotMember}
	if _, err := from.ReadAt(b[:], at.Offset); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 {
		return damaged
	}
	if b[3]&flagExtra == 0 || string(b[10:16]) != extraOfSkips {
		return nil
	}
	compressed := int64(binary.LittleEndian.Uint32(b[16:]))
	if compressed == 0 {
		return nil
	}
	var end [memberEnd]byte
	if _, err := from.ReadAt(end[:], at.Offset+at.Length-memberEnd); err != nil &&
		!errors.Is(err, io.EOF) {
		return err
	}
	if compressed != at.Length || string(end[4:]) != string(b[20:24]) {
		damaged.Reason = warc.ErrChecksum
		return damaged
	}
	return nil
}
