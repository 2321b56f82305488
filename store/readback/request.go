package readback

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"warcorder/store"
	"warcorder/store/warc"
)

// Request is the request of a capture, as it was recorded. Close gives back what it holds.
type Request struct {
	Head []byte    // from the request line to the empty line
	Body io.Reader // what follows, as it is stored
	Size int64     // of Body, in bytes

	Truncated string // the WARC-Truncated of the record; "" if it is whole

	record *Record
}

// What of a file of another tool is looked at for a request.
const (
	mostBeside = 8        // records behind the response
	sizeBeside = 1 << 20  // of one that is passed over
	sizeBefore = 64 << 10 // of the request before a response, in the file
)

// Request reads the request that was recorded with the response of a capture: the record behind it
// or, in files of other tools, one of the next few or the one before it, as wget writes it, if one
// of the two names the other.
func (f *Files) Request(c *store.Capture) (*Request, error) {
	response, err := f.recordOf(c)
	if err != nil {
		return nil, err
	}
	own := response.Header
	if err := response.Close(); err != nil {
		return nil, err
	}
	record, err := f.requestBehind(c, own)
	if errors.Is(err, ErrNoRequest) {
		record, err = f.requestBefore(c, own)
	}
	if err != nil {
		return nil, err
	}
	start, size, _, err := record.readStart(isRequest)
	if err != nil {
		return nil, errors.Join(place(record.At, err), record.Close())
	}
	return &Request{
		Head: bytes.Clone(start[:size]),
		Body: &body{record, start[size:]},
		Size: record.Size - int64(size),

		Truncated: record.Header.Get("WARC-Truncated"),
		record:    record,
	}, nil
}

// requestBehind returns the request that lies behind a capture whose response has that header.
func (f *Files) requestBehind(c *store.Capture, response warc.Header) (*Record, error) {
	record, err := f.record(store.Location{File: c.File, Offset: c.Offset + c.Length})
	if errors.Is(err, ErrUncommitted) || errors.Is(err, io.EOF) {
		return nil, place(c.Location, ErrNoRequest)
	}
	if err != nil {
		return nil, err
	}
	if err := record.goTo(response); err != nil {
		return nil, errors.Join(place(c.Location, err), record.Close())
	}
	return record, nil
}

// requestBefore returns the request that lies before a capture. Where that begins is not known: it
// is tried wherever there are the bytes that a record begins with.
func (f *Files) requestBefore(c *store.Capture, response warc.Header) (*Record, error) {
	before, magic, err := f.before(c.Location)
	if err != nil {
		return nil, err
	}
	from := c.Offset - int64(len(before))
	for range mostBeside {
		at := bytes.LastIndex(before, magic)
		if at < 0 {
			break
		}
		offset := from + int64(at)
		record, err := f.record(store.Location{File: c.File, Offset: offset, Length: c.Offset - offset})
		switch {
		case err != nil: // no record begins there
		case record.Type() == "request" && areTogether(record.Header, response):
			return record, nil
		default:
			isOther := mayHaveMessage(record)
			if err := record.Close(); err != nil || isOther { // before it are requests for others
				return nil, errors.Join(place(c.Location, ErrNoRequest), err)
			}
		}
		before = before[:at]
	}
	return nil, place(c.Location, ErrNoRequest)
}

// before returns the bytes before a place, and those that a record of its file begins with.
func (f *Files) before(at store.Location) (b, magic []byte, err error) {
	one, _, err := f.use(at)
	if err != nil {
		return nil, nil, err
	}
	defer f.release(one)
	switch one.layout {
	case warc.GzipMembers:
		magic = []byte("\x1f\x8b\x08")
	case warc.Plain:
		magic = []byte("WARC/")
	default:
		magic = []byte("\x28\xb5\x2f\xfd")
	}
	b = make([]byte, min(sizeBefore, at.Offset))
	_, err = one.ReadAt(b, at.Offset-int64(len(b)))
	return b, magic, err
}

// goTo goes to the request that belongs to a response.
func (r *Record) goTo(response warc.Header) error {
	for range mostBeside {
		if r.Type() == "request" && areTogether(r.Header, response) {
			return nil
		}
		if r.Size > sizeBeside {
			return ErrNoRequest
		}
		if err := r.next(); errors.Is(err, io.EOF) {
			return ErrNoRequest
		} else if err != nil {
			return err
		}
	}
	return ErrNoRequest
}

// areTogether reports whether one of two records names the other.
func areTogether(a, b warc.Header) bool {
	names := func(x, y warc.Header) bool {
		id := y.Get("WARC-Record-ID")
		return id != "" && slices.Contains(x.Values("WARC-Concurrent-To"), id)
	}
	return names(a, b) || names(b, a)
}

// Header is the WARC header of the record.
func (r *Request) Header() warc.Header { return r.record.Header }

// isRequest takes everything for a message that a request record holds.
func isRequest([]byte) bool { return true }

// Close gives back what the request holds.
func (r *Request) Close() error { return r.record.Close() }
