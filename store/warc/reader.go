package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
)

const (
	gzipMagic = "\x1f\x8b\x08" // gzip, deflate (RFC 1952 section 2.3.1)
	warcMagic = "WARC/"
	// maxHeader bounds a WARC header, in bytes: room for a target URI of 1 MiB that is all escapes.
	maxHeader = 8 << 20
)

// Reader walks the records of a WARC file. Open and NewReader are for files as a Writer makes them:
// gzip members of one record each, and nothing else. OpenForeign and NewForeignReader are for the
// files of any tool.
type Reader struct {
	name string
	file source
	in   *bufio.Reader // the file
	gz   *gzip.Reader  // the member
	text *bufio.Reader // the record
	head []byte        // the record's WARC header, as it stands in the file

	foreign bool   // the file is read as OpenForeign says
	layout  Layout // GzipMembers unless the file is foreign
	zst     *frame // with the layout Frames

	record  *Record // the one that Next returned last
	end     int64   // of the last record that proved whole
	reached int64   // up to where the file had been read when the damage was noticed
	err     error   // what Next keeps returning
	search  *search // of Resync; nil before the first damage
}

// Open opens the file at path and reads from the member at offset.
func Open(path string, offset int64) (*Reader, error) { return openWith(NewReader, path, offset) }

func openWith(reader func(io.ReadSeeker, string, int64) (*Reader, error), path string,
	offset int64) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := reader(f, path, offset)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// NewReader reads f from the member at offset. The errors contain name.
func NewReader(f io.ReadSeeker, name string, offset int64) (*Reader, error) {
	r := newReader(f, name, 64<<10)
	r.end = offset
	return r, r.jump(offset)
}

func newReader(f io.ReadSeeker, name string, buffer int) *Reader {
	r := &Reader{name: name, file: source{f: f}, gz: new(gzip.Reader)}
	r.in = bufio.NewReaderSize(&r.file, buffer)
	r.text = bufio.NewReaderSize(r.gz, 16<<10)
	return r
}

// Close closes the file, if it can be closed.
func (r *Reader) Close() error {
	if c, ok := r.file.f.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Offset returns the end of the valid part of the file, as far as it has been read: the end of the
// last record that proved whole, or the beginning of the one that Resync has found.
func (r *Reader) Offset() int64 { return r.end }

// Next closes the record before and returns the next one. At the end of the file the error is
// io.EOF; where no whole record follows, a *Damage; Next keeps returning either. Any other error is
// a read error.
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

// begin reads a member up to the end of its WARC header.
func (r *Reader) begin() (*Record, error) {
	offset := r.end
	if r.foreign {
		if err := r.beginForeign(); err != nil {
			return nil, err
		}
		offset = r.position() // empty lines may come before the record
	}
	if err := r.unwrap(); err != nil {
		return nil, err
	}
	if err := r.readHead(); err != nil {
		return nil, err
	}
	version, header, err := ParseHeader(r.head)
	if err != nil {
		return nil, err
	}
	if r.foreign && !knownVersion(version) {
		return nil, fmt.Errorf("%w: its version is %s", ErrHeader, quote(version))
	}
	size, err := header.length()
	if err != nil {
		return nil, err
	}
	record := &Record{
		Offset:  offset,
		Version: version,
		Header:  header,
		Size:    size,
		reader:  r,
		left:    size,
	}
	record.Block = (*block)(record)
	return record, nil
}

// unwrap makes r.text read the next record.
func (r *Reader) unwrap() error {
	switch r.layout {
	case Plain:
		return nil
	case Frames:
		return r.zst.begin(r)
	}
	if err := r.checkMagic(); err != nil {
		return err
	}
	if err := r.gz.Reset(r.in); err != nil {
		return GzipReason(err)
	}
	r.gz.Multistream(false)
	r.text.Reset(r.gz)
	return nil
}

// checkMagic tells the beginning of a member from the end of the file and from other bytes.
func (r *Reader) checkMagic() error {
	magic, err := r.in.Peek(len(gzipMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case len(magic) == 0:
		return io.EOF
	case string(magic) == gzipMagic:
		return nil
	case bytes.HasPrefix([]byte(gzipMagic), magic):
		return ErrTorn
	}
	if r.zerosToEnd() {
		return ErrZeros
	}
	return ErrNotMember
}

// zerosToEnd reports whether the rest of the file is zeros. It reads up to the first other byte.
func (r *Reader) zerosToEnd() bool {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		if c != 0 {
			return false
		}
	}
}

// readHead reads the WARC header into r.head, its empty line included.
func (r *Reader) readHead() error {
	r.head = r.head[:0]
	if r.foreign {
		if err := r.skipToHead(); err != nil {
			return err
		}
	}
	switch magic, err := r.text.Peek(len(warcMagic)); {
	case err != nil && !errors.Is(err, io.EOF):
		return r.reason(err)
	case len(magic) == 0 && r.layout == Frames:
		return fmt.Errorf("%w: it is empty", ErrFrame)
	case len(magic) == 0:
		return ErrEmptyMember
	case string(magic) != warcMagic:
		return fmt.Errorf("%w: it begins with %q", ErrHeader, magic)
	}
	for start := 0; ; {
		piece, err := r.text.ReadSlice('\n')
		r.head = append(r.head, piece...)
		switch {
		case len(r.head) > maxHeader:
			return fmt.Errorf("%w: it is longer than %d bytes", ErrHeader, maxHeader)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && r.layout == Plain:
			return ErrCut
		case errors.Is(err, io.EOF) && r.layout == Frames:
			return fmt.Errorf("%w: the zstd frame ends inside it", ErrHeader)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the gzip member ends inside it", ErrHeader)
		case err != nil:
			return r.reason(err)
		case isBlank(r.head[start:]):
			return nil
		}
		start = len(r.head)
	}
}

// fail makes err what Next keeps returning: io.EOF as it is, a read error with the file's name, and
// anything else as a Damage behind the last whole record.
func (r *Reader) fail(err error) error {
	switch {
	case r.file.err != nil:
		r.err = fmt.Errorf("read %s: %w", r.name, r.file.err)
	case errors.Is(err, io.EOF):
		r.err = io.EOF
	default:
		r.err, r.reached = &Damage{File: r.name, Offset: r.end, Reason: err}, r.position()
	}
	return r.err
}

// position returns the offset of the next byte that the gzip reader will take. The gzip reader
// takes no byte behind the member.
func (r *Reader) position() int64 { return r.file.offset - int64(r.in.Buffered()) }

// seek makes offset the position. Bytes that are in the buffer are not read again.
func (r *Reader) seek(offset int64) error {
	if ahead := offset - r.position(); ahead >= 0 && ahead <= int64(r.in.Buffered()) {
		_, err := r.in.Discard(int(ahead))
		return err
	}
	return r.jump(offset)
}

// jump makes offset the position and drops the buffer.
func (r *Reader) jump(offset int64) error {
	r.in.Reset(&r.file)
	r.file.err = r.file.jump(offset)
	return r.file.err
}

// source is the file being read. Behind damage a record may seem to begin every few bytes: source
// then takes what it can from the search's window, and little at a time.
type source struct {
	f      io.ReadSeeker
	offset int64   // of the next byte
	step   int     // the most bytes that the next Read returns
	moved  bool    // f is not at offset
	known  *search // its window holds bytes of f; nil before the first damage
	read   int64   // bytes read from f
	err    error   // a read error, as opposed to the end of the file
}

// The bounds of a source's step.
const (
	firstStep = 1 << 10
	lastStep  = 64 << 10
)

// jump goes to offset.
func (s *source) jump(offset int64) (err error) {
	s.offset, s.step = offset, firstStep
	if s.moved = len(s.inMemory()) > 0; !s.moved {
		_, err = s.f.Seek(offset, io.SeekStart)
	}
	return err
}

// inMemory returns the bytes of the file that the search's window holds from offset on.
func (s *source) inMemory() []byte {
	if s.known == nil || s.offset < s.known.start ||
		s.offset >= s.known.start+int64(len(s.known.window)) {
		return nil
	}
	return s.known.window[s.offset-s.known.start:]
}

func (s *source) Read(p []byte) (n int, err error) {
	p = p[:min(len(p), max(s.step, firstStep))]
	s.step = min(2*len(p), lastStep)
	if s.moved {
		if n = copy(p, s.inMemory()); n > 0 {
			s.offset += int64(n)
			return n, nil
		}
		if _, err := s.f.Seek(s.offset, io.SeekStart); err != nil {
			s.err = err
			return 0, err
		}
		s.moved = false
	}
	n, err = s.f.Read(p)
	s.offset += int64(n)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
