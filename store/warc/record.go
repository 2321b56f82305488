package warc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Record is one record of a file. It is valid until the next call of Next.
type Record struct {
	// Offset is that of the gzip member or zstd frame; where records are not compressed, that of the
	// record.
	Offset int64
	// Length is that of the gzip member or zstd frame, in bytes; where records are not compressed,
	// that of the record without the empty lines at its end. Close and Skip set it.
	Length  int64
	Version string    // "WARC/1.1"
	Header  Header    // the fields in their order
	Size    int64     // Content-Length: of the block, in bytes
	Block   io.Reader // fails with the error that Next then keeps returning

	// Unended is set by Close if a foreign file ends behind the record's block, but before the record
	// does.
	Unended bool

	reader *Reader
	left   int64 // bytes of the block that have not been read
	done   bool  // Close or Skip has succeeded
}

// Type returns the WARC-Type: "response", "request", …
func (rec *Record) Type() string { return rec.Header.Get("WARC-Type") }

// RawHeader returns the WARC header as it stands in the file, from its version line to its empty
// line. It is valid until the next call of Next.
func (rec *Record) RawHeader() []byte { return rec.reader.head }

// Close reads the rest of the record and proves that the record is whole: the member inflates, its
// checksum and size are right, and Content-Length and RecordEnd fill it. Close sets Length. The
// error is a *Damage or a read error.
func (rec *Record) Close() error {
	r := rec.reader
	if rec.done || r.err != nil {
		return r.err
	}
	if r.foreign {
		return rec.closeForeign()
	}
	if err := rec.finish(); err != nil {
		return r.fail(err)
	}
	rec.whole(r.position())
	return nil
}

// whole notes that the record is whole and ends at end.
func (rec *Record) whole(end int64) {
	rec.done = true
	rec.Length = end - rec.Offset
	rec.reader.end = end
}

// finish reads the record to its end.
func (rec *Record) finish() error {
	text := rec.reader.text
	if err := rec.discard(); err != nil {
		return err
	}
	rest, err := text.Peek(len(RecordEnd) + 1) // one byte more, to see that nothing follows
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return GzipReason(err)
	case string(rest) == RecordEnd:
		return nil
	case len(rest) < len(RecordEnd) || string(rest[:len(RecordEnd)]) != RecordEnd:
		return fmt.Errorf("%w: %q follows the block of %d bytes", ErrContentLength, rest, rec.Size)
	}
	return rec.surplus()
}

// discard reads the rest of the block.
func (rec *Record) discard() error {
	for rec.left > 0 {
		n, err := rec.reader.text.Discard(int(min(rec.left, 1<<30)))
		rec.left -= int64(n)
		if err != nil {
			return rec.shortBlock(err)
		}
	}
	return nil
}

// shortBlock translates an error inside the block into the reason of a Damage. An io.EOF is the end
// of the member there, which to the gzip reader is no error.
func (rec *Record) shortBlock(err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return rec.reader.reason(err)
	case rec.reader.layout == Plain:
		return ErrCut
	case rec.reader.foreign:
		return fmt.Errorf("%w: %d of the block's %d bytes are missing", ErrLength, rec.left, rec.Size)
	default:
		return fmt.Errorf("%w: %d of the block's %d bytes are missing", ErrContentLength, rec.left,
			rec.Size)
	}
}

// surplus returns the reason of a Damage for bytes that follow the record in its member.
func (rec *Record) surplus() error {
	text := rec.reader.text
	if _, err := text.Discard(len(RecordEnd)); err != nil {
		return GzipReason(err)
	}
	next, err := text.Peek(len(warcMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return GzipReason(err)
	case string(next) == warcMagic:
		return ErrSecondRecord
	}
	return fmt.Errorf("%w: %q follows the record's end", ErrContentLength, next)
}

// Skip goes behind the record by the `sl` field, without inflating the block, if that field agrees
// with the WARC header, with the size at the end of the member and with what follows the member;
// block and checksum are not checked then. Otherwise Skip is Close. Skip sets Length.
func (rec *Record) Skip() error {
	r := rec.reader
	if rec.done || r.err != nil {
		return r.err
	}
	if r.layout != GzipMembers {
		return rec.Close()
	}
	compressed, uncompressed := skips(r.gz.Extra)
	trailer := rec.Offset + compressed - memberTrailer
	if uncompressed != int64(len(r.head))+rec.Size+int64(len(RecordEnd)) || trailer < r.position() {
		return rec.Close()
	}
	if r.endsAt(trailer, uncompressed) {
		rec.whole(trailer + memberTrailer)
		return nil
	}
	if r.file.err != nil {
		return r.fail(r.file.err)
	}
	return rec.reread()
}

// reread goes back to the beginning of the record and reads all of it.
func (rec *Record) reread() error {
	r := rec.reader
	if err := r.seek(rec.Offset); err != nil {
		return r.fail(err)
	}
	again, err := r.begin()
	if err != nil {
		return r.fail(err)
	}
	*rec = *again
	rec.Block = (*block)(rec)
	return rec.Close()
}

// endsAt goes behind the member's trailer. It reports whether the trailer contains size, and is
// followed by the end of the file or by another member.
func (r *Reader) endsAt(trailer, size int64) bool {
	if err := r.seek(trailer); err != nil {
		return false
	}
	var b [memberTrailer]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil ||
		binary.LittleEndian.Uint32(b[4:]) != uint32(size) {
		return false
	}
	err := r.checkMagic()
	return err == nil || errors.Is(err, io.EOF)
}

// skips returns the two lengths in the `sl` subfield of a gzip extra field; zeros without one.
func skips(extra []byte) (compressed, uncompressed int64) {
	for len(extra) >= 4 {
		n := 4 + int(binary.LittleEndian.Uint16(extra[2:]))
		if n > len(extra) {
			break
		}
		if string(extra[:2]) == "sl" && n == 4+8 {
			return int64(binary.LittleEndian.Uint32(extra[4:])), int64(binary.LittleEndian.Uint32(extra[8:]))
		}
		extra = extra[n:]
	}
	return 0, 0
}

// block is the Block of a Record.
type block Record

func (b *block) Read(p []byte) (int, error) {
	rec := (*Record)(b)
	r := rec.reader
	switch {
	case rec.left == 0 || rec.done:
		return 0, io.EOF
	case r.err != nil:
		return 0, r.err
	}
	n, err := r.text.Read(p[:min(int64(len(p)), rec.left)])
	rec.left -= int64(n)
	if err != nil && rec.left > 0 {
		return n, r.fail(rec.shortBlock(err))
	}
	return n, nil
}
