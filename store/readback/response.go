package readback

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"warcorder/store"
	"warcorder/store/warc"
)

// Response is the response of a capture, as it was recorded. Close gives back what it holds.
type Response struct {
	// Head is what stands in the capture's own record, from the status line to the empty line. A
	// revisit without a head of its own has its original's.
	Head []byte

	// Made says that the record has no HTTP head, as a resource has none: Head was made of its fields.
	Made bool

	// Unended says that Head has no empty line at its end, since its record ends before.
	Unended bool

	// Status is that of Head; 0 if its first line tells none.
	Status int

	// Body is what follows, as it is stored: with the framing of chunks, with content codings. Of a
	// revisit it is that of the original.
	Body io.Reader
	Size int64 // of Body, in bytes

	// Truncated is the WARC-Truncated of the record that has Body; "" if Body is whole. Of a record of
	// which only the first segment is read it is "length".
	Truncated string

	// Chunked says that Body has the framing of chunks. Files of other tools may say so in the head
	// and not have it.
	Chunked bool

	// Original is where Body lies, if that is another record.
	Original *store.Location

	original *store.Capture // that has Body, if that is another
	record   *Record        // that has Body
	coded    []byte         // the head before Body
	inChunks int64          // size of what is in the chunks of Body; -1 if that is not known
	content  body
	entity   io.Reader
}

// Response reads the response of a capture: its own head, and of a revisit the original's body.
func (f *Files) Response(c *store.Capture) (*Response, error) {
	record, err := f.recordOf(c)
	if err != nil {
		return nil, err
	}
	r, err := f.responseOf(c, record)
	if err != nil {
		return nil, errors.Join(err, record.Close())
	}
	return r, nil
}

// responseOf is Response for a capture's record. It closes the record if the body is another's.
func (f *Files) responseOf(c *store.Capture, record *Record) (*Response, error) {
	r, err := message(record)
	if err != nil {
		return nil, place(c.Location, err)
	}
	if !isRevisit(record) {
		return r, nil
	}
	if r.notModified(record) {
		if len(r.Head) == 0 {
			r.Head, r.Made, r.Status = []byte("HTTP/1.1 304 Not Modified\r\n\r\n"), true, 304
		}
		return r, nil
	}
	original, err := f.original(c, record.Header)
	if errors.Is(err, ErrNoOriginal) && r.Size > 0 && r.Truncated == "" {
		return r, nil // some tools write revisits with their bodies
	}
	if errors.Is(err, ErrNoOriginal) {
		err = f.noOriginal(c, record.Header, err)
	}
	if err != nil {
		return nil, err
	}
	original.headOf(r)
	return original, record.Close()
}

// message reads the HTTP message in a record.
func message(record *Record) (*Response, error) {
	r := &Response{record: record, Truncated: record.Header.Get("WARC-Truncated"), inChunks: -1}
	if r.Truncated == "" && record.record.SegmentNumber() > 0 {
		r.Truncated = "length"
	}
	may := neverMessage
	if mayHaveMessage(record) {
		may = isMessage
	}
	start, size, ended, err := record.readStart(may)
	if err != nil {
		return nil, err
	}
	var h head
	switch {
	case may(start):
		h = parseHead(bytes.Clone(start[:size]), ended)
	case isRevisit(record) && record.Size == 0:
		ended = true
	case mustHaveMessage(record):
		return nil, ErrNoMessage
	default:
		h, r.Made = madeHead(record), true
	}
	r.Head, r.coded, r.Unended, r.Status = h.bytes, h.bytes, !ended && !r.Made, h.status
	if h.chunked && len(start)-size < sampled {
		start = record.readMore(start)
	}
	r.content = body{record, start[size:]}
	r.Body, r.Size = &r.content, record.Size-int64(record.interim+size)
	r.Chunked = h.chunked && record.isFramed(start[size:], r.Size, r.Truncated != "")
	if r.Chunked && r.Size == int64(len(start)-size) {
		if n, whole := sizeOf(start[size:]); whole {
			r.inChunks = n
		}
	}
	return r, nil
}

// sampled is how much of a body is looked at for chunks, if it is as long.
const sampled = 4 << 10

// isRevisit reports whether a record is a revisit.
func isRevisit(record *Record) bool { return record.Type() == "revisit" }

// mayHaveMessage reports whether the block of a record may be an HTTP message, whatever its type.
func mayHaveMessage(record *Record) bool {
	kind := record.Type()
	return kind == "response" || kind == "revisit"
}

// mustHaveMessage reports whether the block of a record must be an HTTP message.
func mustHaveMessage(record *Record) bool {
	kind, _, _ := strings.Cut(record.Header.Get("Content-Type"), ";")
	kind = strings.TrimSpace(kind)
	return mayHaveMessage(record) && (kind == "" || strings.EqualFold(kind, "application/http"))
}

// madeHead is the head of a record that has none.
func madeHead(record *Record) head {
	b := []byte("HTTP/1.1 200 OK\r\n")
	if kind := record.Header.Get("Content-Type"); kind != "" {
		b = warc.AppendField(b, "Content-Type", kind)
	}
	b = warc.AppendInt(b, "Content-Length", record.Size)
	return head{bytes: append(b, "\r\n"...), ended: true, status: 200}
}

// notModified reports whether a revisit is one without a body, by its profile or its status.
func (r *Response) notModified(record *Record) bool {
	return r.Status == 304 ||
		strings.HasSuffix(strings.TrimSpace(record.Header.Get("WARC-Profile")), "/server-not-modified")
}

// Close gives back what the response holds.
func (r *Response) Close() error { return r.record.Close() }

// Message reads the HTTP message in the record at a place, as that record has it: of a revisit its
// own head, and what stands behind that.
func (f *Files) Message(at store.Location) (*Response, error) {
	record, err := f.Record(at)
	if err != nil {
		return nil, err
	}
	r, err := message(record)
	if err != nil {
		return nil, errors.Join(place(at, err), record.Close())
	}
	return r, nil
}

// Header is the WARC header of the record that has Body.
func (r *Response) Header() warc.Header { return r.record.Header }

// Version is the first line of that record.
func (r *Response) Version() string { return r.record.Version }

// Type is the type of that record, in lower case.
func (r *Response) Type() string { return r.record.Type() }
