package v09

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"warcorder/store/warc"
)

// maxHeader bounds the header of a record, in bytes; package warc takes as much.
const maxHeader = 8 << 20

// Reader walks the records of a WARC 0.9 file, which may be gzipped: as one member, as a member for
// each record, or in any other way.
type Reader struct {
	name string
	text *text
	head []byte // the record's header, as it stands in the file
	at   place  // of the record
	err  error  // what Next keeps returning, until Resync

	record *Record // the one that Next returned last

	searched int64 // bytes that Resync has read
}

// Open opens the file at path.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// NewReader reads f from its first byte. The errors contain name.
func NewReader(f io.ReadSeeker, name string) (*Reader, error) {
	t, err := newText(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &Reader{name: name, text: t}, nil
}

// Close closes the file, if it can be closed.
func (r *Reader) Close() error {
	if c, ok := r.text.file.f.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Next closes the record before and returns the next one. At the end of the file the error is
// io.EOF; where no whole record follows, a *warc.Damage. Next keeps returning either; Resync goes
// on behind the damage. Any other error is a read error.
func (r *Reader) Next() (*Record, error) {
	if r.record != nil {
		if err := r.record.Close(); err != nil {
			return nil, err
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	record, err := r.begin()
	if err != nil {
		return nil, r.fail(err)
	}
	r.record = record
	return record, nil
}

// begin reads up to the end of a record's header.
func (r *Reader) begin() (*Record, error) {
	if err := r.find(); err != nil {
		return nil, err
	}
	if err := r.readHead(); err != nil {
		return nil, err
	}
	h, length, err := parseHead(r.head)
	if err != nil {
		return nil, err
	}
	size := length - int64(len(r.head))
	if size < 0 {
		return nil, fmt.Errorf("%w: it is %d, but the header has %d bytes already", ErrLength, length,
			len(r.head))
	}
	record := &Record{
		Header: h,
		File:   r.name,
		Offset: r.at.offset,
		Inside: r.at.inside,
		Size:   size,
		reader: r,
		left:   size,
	}
	record.Block = (*block)(record)
	return record, nil
}

// find goes to the first byte of the next record. The line breaks before it belong to the record
// before, which may have more than two.
func (r *Reader) find() error {
	if err := r.skipBreaks(); err != nil {
		r.at = r.text.where()
		var f *memberError
		if errors.As(err, &f) {
			r.at = place{offset: f.member}
		}
		return err
	}
	r.at = r.text.where()
	return nil
}

// skipBreaks goes to the next byte that is no line break.
func (r *Reader) skipBreaks() error {
	for {
		next, err := r.text.out.Peek(1)
		if err != nil {
			return err
		}
		if next[0] != '\r' && next[0] != '\n' {
			return nil
		}
		r.text.out.Discard(1) // cannot fail: the byte is in the buffer
	}
}

// readHead reads the header into r.head, its empty line included.
func (r *Reader) readHead() error {
	r.head = r.head[:0]
	if first, _ := r.text.out.Peek(len(magic)); string(first) != magic {
		return fmt.Errorf("%w: it begins with %q", warc.ErrHeader, first)
	}
	for start := 0; ; {
		piece, err := r.text.out.ReadSlice('\n')
		r.head = append(r.head, piece...)
		switch {
		case len(r.head) > maxHeader:
			return fmt.Errorf("%w: it is longer than %d bytes", warc.ErrHeader, maxHeader)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return short(err)
		case isBlank(r.head[start:]):
			return nil
		}
		start = len(r.head)
	}
}

// isBlank reports whether line, with its line break, is the empty line that ends a header.
func isBlank(line []byte) bool { return string(line) == "\r\n" || string(line) == "\n" }

// short translates an error inside a record into the reason of a Damage.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return ErrEnd
	}
	return err
}

// fail makes err what Next keeps returning: io.EOF as it is, a read error with the file's name, and
// anything else as a Damage at the record.
func (r *Reader) fail(err error) error {
	switch {
	case r.text.file.err != nil:
		r.err = fmt.Errorf("read %s: %w", r.name, r.text.file.err)
	case errors.Is(err, io.EOF):
		r.err = io.EOF
	default:
		r.err = &warc.Damage{File: r.name, Offset: r.at.offset, Reason: err}
	}
	return r.err
}

// Resync goes on behind a Damage: at the next place that says warc/0.9 and begins a record whose
// data-length leads to its end (WARC 0.9 section 5.1). Resync looks at every byte behind the first
// byte of the damaged record; in a gzipped file, at every byte that inflates. It returns the offset
// of the next record or of its gzip member. If there is none, the error is io.EOF.
//
// A WARC file inside the block of a damaged record cannot be told from the records around it. To
// look at a place in a gzip member, everything before that place is inflated again. A file can be
// made so that this never ends: when all Resyncs together have read maxSearch bytes, and searchCost
// bytes for each byte of the file, the file counts as read to its end.
func (r *Reader) Resync() (offset int64, err error) {
	var damage *warc.Damage
	if !errors.As(r.err, &damage) {
		return r.at.offset, r.err
	}
	r.record = nil
	size, err := r.text.file.f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", r.name, err)
	}
	begun := r.text.work
	defer func() { r.searched += r.text.work - begun }()
	p := r.text.next(r.at)
	for {
		if r.searched+r.text.work-begun > maxSearch+searchCost*size {
			r.err = io.EOF
			return 0, r.err
		}
		if p, err = r.candidate(p); err != nil {
			return 0, r.fail(err)
		}
		if r.plausible(p) {
			break
		}
		p = r.text.next(p)
	}
	if err := r.text.open(p); err != nil {
		return 0, r.fail(err)
	}
	r.at, r.err = p, nil
	return p.offset, nil
}

// The bounds of what all Resyncs may cost, in bytes that are read or inflated.
const (
	maxSearch  = 1 << 30
	searchCost = 64
)

// candidate returns the first place, from p on, that says warc/0.9.
func (r *Reader) candidate(p place) (place, error) {
	for {
		err := r.text.open(p)
		if err == nil {
			_, err = find(r.text.out, magic)
		}
		if err == nil {
			return r.text.where(), nil
		}
		var f *memberError
		if !errors.As(err, &f) {
			return p, err
		}
		offset, err := r.text.nextMember(f.member + 1)
		if err != nil {
			return p, err
		}
		p = place{offset: offset}
	}
}

// plausible reports whether a whole record begins at p.
func (r *Reader) plausible(p place) bool {
	if r.text.open(p) != nil {
		return false
	}
	record, err := r.begin()
	return err == nil && r.at == p && record.finish() == nil
}

// landed returns nil if a record can end here: if, after any number of line breaks, the file ends,
// or another record or a gzip member begins. Two line breaks, which the format demands, are enough
// even if what follows them is no record.
func (r *Reader) landed() error {
	last := r.text.place(r.text.at() - 1)
	end, _ := r.text.out.Peek(len(warc.RecordEnd))
	sure := string(end) == warc.RecordEnd
	err := r.skipBreaks()
	var f *memberError
	switch {
	case errors.As(err, &f) && f.member == last.offset:
		return err // the text of a broken member cannot be trusted
	case err != nil || sure:
		return nil
	case r.text.gzipped && r.text.where().inside == 0:
		return nil
	}
	next, _ := r.text.out.Peek(len(magic))
	if !strings.HasPrefix(string(next), "warc/") {
		return fmt.Errorf("%w: %q follows", ErrLength, next)
	}
	return nil
}
