package warc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Record is one record of a file. It is valid until the next call of Next.
type Record struct {
	// of the gzip member; or of the zstd frame; or of the record itself, where records are not
	// compressed
	Offset int64
	// of the whole gzip member or frame, in bytes, or of the record without the empty lines at its
	// end; known after Close or Skip
	Length  int64
	Version string    // "WARC/1.1"
	Header  Header    // the fields in their order
	Size    int64     // Content-Length: of the block, in bytes
	Block   io.Reader // the block; its error is the Reader's

	// Unended says, after Close, that a foreign file ends behind the record's block, before the
	// record does.
	Unended bool

	reader *Reader
	left   int64 // of the block
	done   bool
}

// Type returns the WARC-Type: "response", "request", …
func (rec *Record) Type() string { return rec.Header.Get("WARC-Type") }

// Close reads what is left of the record and proves that it is whole: it inflates, checksum and
// size are right, Content-Length and RecordEnd fill the member. It sets Length. The error is a
// *Damage, or that of reading the file.
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

// whole leaves the record, which ends at end.
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
		return inflateFault(err)
	case string(rest) == RecordEnd:
		return nil
	case len(rest) < len(RecordEnd) || string(rest[:len(RecordEnd)]) != RecordEnd:
		return fmt.Errorf("%w: %q follows the block of %d bytes", ErrContentLength, rest, rec.Size)
	}
	return rec.surplus()
}

// discard reads what is left of the block.
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

// shortBlock says what an error inside of the block means: the member's end is not one to the gzip
// reader.
func (rec *Record) shortBlock(err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return rec.reader.fault(err)
	case rec.reader.layout == plain:
		return ErrCut
	case rec.reader.foreign:
		return fmt.Errorf("%w: %d of the block's %d bytes are missing", ErrLength, rec.left, rec.Size)
	default:
		return fmt.Errorf("%w: %d of the block's %d bytes are missing", ErrContentLength, rec.left,
			rec.Size)
	}
}

// surplus says what follows the record in its member.
func (rec *Record) surplus() error {
	text := rec.reader.text
	if _, err := text.Discard(len(RecordEnd)); err != nil {
		return inflateFault(err)
	}
	next, err := text.Peek(len(warcMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return inflateFault(err)
	case string(next) == warcMagic:
		return ErrSecondRecord
	}
	return fmt.Errorf("%w: %q follows the record's end", ErrContentLength, next)
}

// Skip leaves the record without inflating its block, by the `sl` field, if that agrees with the
// WARC header, with the size at the member's end and with what follows the member; else it is
// Close. It sets Length. The block and the checksum are then not checked.
func (rec *Record) Skip() error {
	r := rec.reader
	if rec.done || r.err != nil {
		return r.err
	}
	if r.layout != gzipMembers {
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

// endsAt goes to the trailer of a member and behind it. It reports whether the trailer gives the
// size, and the file ends or a member begins behind it.
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

// skips returns the two lengths of the `sl` subfield of a gzip extra field, or zeros.
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
