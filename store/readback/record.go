package readback

import (
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"warcorder/store"
	"warcorder/store/warc"
)

// Record is one record of a file. Close gives back what it holds.
type Record struct {
	Version string         // "WARC/1.1"
	Header  warc.Header    // the fields in their order
	Size    int64          // of the block, in bytes
	Block   io.Reader      // ends with a *warc.Damage if the record is not whole
	At      store.Location // where it lies

	files  *Files
	file   *file
	member *member // nil when the record is closed
	record *warc.Record
	header int64 // bytes of the WARC header
	until  int64 // where the file may be read no further
	end    error // of Block

	interim int // bytes of the heads before that of the response; set by readStart
}

var errClosed = errors.New("the record is closed")

// Record reads the record at a place. Only a place without a length leaves its end to the file.
func (f *Files) Record(at store.Location) (*Record, error) {
	r, err := f.record(at)
	if errors.Is(err, io.EOF) {
		err = &warc.Damage{File: at.File, Offset: at.Offset, Reason: warc.ErrNotRecord}
	}
	return r, err
}

// recordOf reads the record of a capture.
func (f *Files) recordOf(c *store.Capture) (*Record, error) {
	r, err := f.Record(c.Location)
	if err == nil && !r.isOf(c) {
		err = errors.Join(&warc.Damage{File: c.File, Offset: c.Offset, Reason: ErrOther}, r.Close())
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// isOf reports whether a record may be that of a capture: its URL is the same, as far as the index
// has it as it stands in the record, so is its date, and it is no request, which has the URL too.
func (r *Record) isOf(c *store.Capture) bool {
	uri := r.TargetURI()
	return r.Type() != "request" && (uri == c.URL || !utf8.ValidString(uri)) &&
		isDate(r.Header.Get("WARC-Date"), c.Time)
}

// isDate reports whether a WARC-Date may be the time of a capture. Lines of an index have whole
// seconds, and so may either; a capture without a time, and a date that says nothing, tell nothing.
func isDate(text string, at time.Time) bool {
	date, known := warc.ParseDate(text)
	if !known || at.IsZero() {
		return true
	}
	date = store.FourDigitYear(date.Truncate(time.Microsecond))
	return date.Equal(at) || date.Truncate(time.Second).Equal(at) ||
		at.Truncate(time.Second).Equal(date)
}

// record is Record; io.EOF says that there is nothing but line breaks.
func (f *Files) record(at store.Location) (*Record, error) {
	one, end, err := f.use(at)
	if err != nil {
		return nil, err
	}
	m, err := f.take(one, at, end)
	if err != nil {
		f.release(one)
		return nil, err
	}
	r := &Record{At: at, files: f, file: one, member: m, until: end}
	r.Block = (*block)(r)
	if err := r.begin(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// begin reads the record up to its block.
func (r *Record) begin() error {
	record, err := r.member.reader.Next()
	if err != nil {
		return err
	}
	r.record, r.end, r.At.Offset = record, nil, record.Offset
	r.Version, r.Header, r.Size = record.Version, record.Header, record.Size
	r.header = int64(len(record.RawHeader()))
	return nil
}

// next goes to the record behind this one, as far as the file may be read; io.EOF if there is none.
func (r *Record) next() error {
	if err := r.record.Skip(); err != nil {
		return err
	}
	return r.begin()
}

// again goes back to the beginning of the block.
func (r *Record) again() error {
	if r.member == nil {
		return errClosed
	}
	m := r.member
	if err := m.span.reset(r.file, r.At.Offset, r.until, windowSize); err != nil {
		return err
	}
	if err := m.reader.Reuse(&m.span, r.At.File, r.At.Offset); err != nil {
		return err
	}
	return r.begin()
}

// Type returns the WARC-Type in lower case: "response", "request", …
func (r *Record) Type() string { return strings.ToLower(r.Header.Get("WARC-Type")) }

// TargetURI returns the WARC-Target-URI as other tools understand it.
func (r *Record) TargetURI() string { return r.record.TargetURI() }

// Close gives back what the record holds; Block cannot be read any more.
func (r *Record) Close() error {
	if r.member != nil {
		r.files.give(r.file, r.member)
		r.files.release(r.file)
		r.member, r.end = nil, errClosed
	}
	return nil
}

// block is the Block of a Record.
type block Record

func (b *block) Read(p []byte) (int, error) {
	if b.end != nil {
		return 0, b.end
	}
	n, err := b.record.Block.Read(p)
	if errors.Is(err, io.EOF) { // the checksum stands behind the block
		if end := b.record.Close(); end != nil {
			err = end
		}
	}
	b.end = err
	return n, err
}
