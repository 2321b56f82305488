package readback

import (
	"errors"
	"fmt"
	"io"

	"warcorder/store"
	"warcorder/store/warc"
)

// What follows is for whoever goes from record to record of a file, or copies what it is made of.

// Walk reads the record at an offset of a file, behind which others can be read by Next. The error is
// io.EOF where the file, as far as it is committed, ends.
func (f *Files) Walk(name string, offset int64) (*Record, error) {
	r, err := f.record(store.Location{File: name, Offset: offset})
	if errors.Is(err, ErrUncommitted) {
		return nil, io.EOF
	}
	return r, err
}

// Committed says up to where a file is committed; 0 if it is not known.
func (f *Files) Committed(name string) (int64, error) {
	known, _, err := f.progress.FileNow(name)
	return known.Committed, err
}

// End goes behind the record, and says where it lies. Where skip lengths agree with all there is to
// compare them with, the block is not read.
func (r *Record) End() (store.Location, error) {
	if r.member == nil {
		return r.At, errClosed
	}
	err := r.record.Skip()
	r.At.Length = r.record.Length
	return r.At, err
}

// Next goes to the record behind this one, which is closed if there is none. The error is io.EOF
// then.
func (r *Record) Next() error {
	if r.member == nil {
		return errClosed
	}
	if err := r.next(); err != nil {
		return errors.Join(err, r.Close())
	}
	return nil
}

// RawHeader returns the WARC header as it stands in the file, with its empty line. It is good until
// Next.
func (r *Record) RawHeader() []byte { return r.record.RawHeader() }

// AreTogether reports whether one of two records names the other as concurrent.
func AreTogether(a, b warc.Header) bool { return areTogether(a, b) }

// RequestBefore reads the request that lies before the response of a capture, as wget writes it, if
// one of the two names the other. response is the header of that response.
func (f *Files) RequestBefore(c *store.Capture, response warc.Header) (*Record, error) {
	return f.requestBefore(c, response)
}

// Range is a part of a file, as it lies there. Close gives it back.
type Range struct {
	Layout warc.Layout // of the file

	files *Files
	file  *file
	at    store.Location
}

// Range opens a part of a file that is committed; a Length of 0 is all behind the offset.
func (f *Files) Range(at store.Location) (*Range, error) {
	one, end, err := f.use(at)
	if err != nil {
		return nil, err
	}
	at.Length = end - at.Offset
	return &Range{Layout: one.layout, files: f, file: one, at: at}, nil
}

// At is where the part lies.
func (r *Range) At() store.Location { return r.at }

// ReadAt reads what lies at an offset of the file, within the part.
func (r *Range) ReadAt(p []byte, offset int64) (int, error) {
	left := r.at.Offset + r.at.Length - offset
	if offset < r.at.Offset || left <= 0 {
		return 0, io.EOF
	}
	n, err := r.file.ReadAt(p[:min(int64(len(p)), left)], offset)
	if errors.Is(err, io.EOF) && int64(n) < min(int64(len(p)), left) {
		err = fmt.Errorf("%w from byte %d on", ErrMissing, offset+int64(n)) // it was cut meanwhile
	} else if errors.Is(err, io.EOF) {
		err = nil
	}
	if err != nil {
		err = place(store.Location{File: r.at.File, Offset: offset}, err)
	} else if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Close gives the file back.
func (r *Range) Close() error {
	r.files.release(r.file)
	return nil
}

// Layout is how the records of the file are wrapped.
func (r *Record) Layout() warc.Layout { return r.file.layout }

// IsOf reports whether the record may be that of a capture.
func (r *Record) IsOf(c *store.Capture) bool { return r.isOf(c) }
