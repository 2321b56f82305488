package warc

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Segments reads a record that another tool has written in several segments (WARC 1.1 section 7) as
// one record. This package never writes segments.
type Segments struct {
	Header Header    // of the first segment
	Block  io.Reader // of the whole record

	files  []string // those behind the one that is being read
	reader *Reader
	part   *Record // the segment that is being read
	number int64   // of that segment; 0 for a record that is whole
}

// ErrSegment says that a segment is missing.
var ErrSegment = errors.New("a segment of the record is missing")

// OpenSegments opens the record at offset in the first of the files. Its further segments are
// looked for behind it and then in the other files, in their order. A record that is not segmented
// counts as one segment.
func OpenSegments(files []string, offset int64) (*Segments, error) {
	r, err := OpenForeign(files[0], offset)
	if err != nil {
		return nil, err
	}
	first, err := r.Next()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	s := &Segments{
		Header: first.Header,
		files:  files[1:],
		reader: r,
		part:   first,
		number: first.SegmentNumber(),
	}
	s.Block = (*segmentedBlock)(s)
	return s, nil
}

// Close closes the file that is being read.
func (s *Segments) Close() error { return s.reader.Close() }

// SegmentNumber returns the WARC-Segment-Number: 1 for the first of several segments, and 0 for a
// record that is whole.
func (rec *Record) SegmentNumber() int64 {
	n, err := strconv.ParseInt(rec.Header.Get("WARC-Segment-Number"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// segmentedBlock is the Block of Segments.
type segmentedBlock Segments

func (b *segmentedBlock) Read(p []byte) (int, error) {
	s := (*Segments)(b)
	for {
		n, err := s.part.Block.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := s.part.Close(); err != nil {
			return 0, err
		}
		if s.number == 0 || s.part.Header.Get("WARC-Segment-Total-Length") != "" {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next segment.
func (s *Segments) next() error {
	for {
		record, err := s.reader.Next()
		switch {
		case errors.Is(err, io.EOF) && len(s.files) > 0:
			err = s.nextFile()
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: number %d of %s", ErrSegment, s.number+1, s.Header.Get("WARC-Record-ID"))
		case err == nil && record.Type() == "continuation" && record.SegmentNumber() == s.number+1 &&
			record.Header.Get("WARC-Segment-Origin-ID") == s.Header.Get("WARC-Record-ID"):
			s.part, s.number = record, s.number+1
			return nil
		case err == nil:
			err = record.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// nextFile goes to the next file.
func (s *Segments) nextFile() error {
	r, err := OpenForeign(s.files[0], 0)
	if err != nil {
		return err
	}
	s.files = s.files[1:]
	err = s.reader.Close()
	s.reader = r
	return err
}
