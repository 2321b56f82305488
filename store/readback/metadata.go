package readback

import (
	"errors"
	"io"
	"strings"

	"warcorder/store"
	"warcorder/store/warc"
)

// ErrNoMetadata says that no metadata record lies behind the response.
var ErrNoMetadata = errors.New("no metadata was recorded with it")

// fieldsType is the media type of a block that holds fields.
const fieldsType = "application/warc-fields"

// Metadata reads the metadata record of a capture, if its block holds fields: the one that names the
// response and lies behind it, before the records of the next exchange. To reach it, the request of
// the capture is passed over.
func (f *Files) Metadata(c *store.Capture) (*Record, error) {
	response, err := f.recordOf(c)
	if err != nil {
		return nil, err
	}
	own := response.Header
	if err := response.Close(); err != nil {
		return nil, err
	}
	record, err := f.record(store.Location{File: c.File, Offset: c.Offset + c.Length})
	if errors.Is(err, ErrUncommitted) || errors.Is(err, io.EOF) {
		return nil, place(c.Location, ErrNoMetadata)
	}
	if err != nil {
		return nil, err
	}
	if err := record.goToMetadata(own); err != nil {
		return nil, errors.Join(place(c.Location, err), record.Close())
	}
	return record, nil
}

// goToMetadata goes to the metadata record that belongs to a response.
func (r *Record) goToMetadata(response warc.Header) error {
	for range mostBeside {
		switch {
		case !areTogether(r.Header, response):
			return ErrNoMetadata
		case r.Type() == "metadata" && hasPrefix([]byte(r.Header.Get("Content-Type")), fieldsType):
			return nil
		}
		if err := r.next(); errors.Is(err, io.EOF) {
			return ErrNoMetadata
		} else if err != nil {
			return err
		}
	}
	return ErrNoMetadata
}

// maxFields is how much of a block of application/warc-fields is looked at.
const maxFields = 64 << 10

// Fields returns the first field of each of those names, in any case, of a block of
// application/warc-fields (WARC 1.1 section 6.2), which it reads; "" of what the first 64 KiB have not.
func (r *Record) Fields(names ...string) ([]string, error) {
	values := make([]string, len(names))
	block, err := io.ReadAll(io.LimitReader(r.Block, maxFields))
	if err != nil {
		return values, err
	}
	for line := range strings.Lines(string(block)) {
		key, value, found := strings.Cut(line, ":")
		for i, name := range names {
			if found && values[i] == "" && strings.EqualFold(strings.TrimSpace(key), name) {
				values[i] = strings.TrimSpace(value)
			}
		}
	}
	return values, nil
}
