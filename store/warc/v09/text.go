package v09

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"

	"warcorder/store/warc"
)

const gzipMagic = "\x1f\x8b\x08" // gzip, deflate (RFC 1952 section 2.3.1)

// place is the place in a file of a byte of its text. In a gzipped file, the byte has the number
// inside in the text of the member at offset.
type place struct{ offset, inside int64 }

// text reads the text of a file, gunzipped if need be, from some place on. The bounds of gzip
// members do not show in the text; where tells them.
type text struct {
	file    source
	gzipped bool
	in      *bufio.Reader // the file
	gz      *gzip.Reader  // the member
	out     *bufio.Reader // the text
	base    int64         // offset in the file at which reading began
	made    int64         // bytes of text that out has taken since then
	work    int64         // bytes of text that out has taken since the file was opened
	members []start       // those of the bytes in out, and of the last byte before them
	inside  bool          // a member has been begun
	err     error         // what Read keeps returning
}

// start is where a gzip member begins: at in the text that has been made, offset in the file.
type start struct{ at, offset int64 }

// memberError says why a gzip member cannot be read.
type memberError struct {
	member int64 // offset in the file
	reason error
}

func (f *memberError) Error() string { return f.reason.Error() }
func (f *memberError) Unwrap() error { return f.reason }

// newText finds out whether f is gzipped, and begins at its first byte.
func newText(f io.ReadSeeker) (*text, error) {
	t := &text{file: source{f: f}, gz: new(gzip.Reader)}
	t.in = bufio.NewReaderSize(&t.file, 64<<10)
	t.out = bufio.NewReaderSize(t, 64<<10)
	if err := t.seek(0); err != nil {
		return nil, err
	}
	first, _ := t.in.Peek(2)
	t.gzipped = string(first) == gzipMagic[:2]
	return t, t.file.err
}

// seek begins again at offset, which in a gzipped file is that of a member.
func (t *text) seek(offset int64) error {
	t.base, t.made, t.members, t.inside, t.err = offset, 0, t.members[:0], false, nil
	t.file.offset = offset
	_, t.file.err = t.file.f.Seek(offset, io.SeekStart)
	t.in.Reset(&t.file)
	t.out.Reset(t)
	return t.file.err
}

// open begins again at p.
func (t *text) open(p place) error {
	if err := t.seek(p.offset); err != nil {
		return err
	}
	return t.discard(p.inside)
}

// Read reads the text; out buffers it.
func (t *text) Read(p []byte) (n int, err error) {
	for t.err == nil && n == 0 {
		switch {
		case !t.gzipped:
			n, t.err = t.in.Read(p)
		case t.inside:
			n, err = t.gz.Read(p)
			t.inflated(err)
		default:
			t.begin()
		}
	}
	t.made += int64(n)
	t.work += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// inflated notes that the gzip reader has come to the end of the member, or to damage.
func (t *text) inflated(err error) {
	switch {
	case err == io.EOF:
		t.inside = false
	case err != nil:
		t.err = &memberError{t.members[len(t.members)-1].offset, warc.GzipReason(err)}
	}
}

// begin begins the next member.
func (t *text) begin() {
	offset := t.file.offset - int64(t.in.Buffered())
	if _, err := t.in.Peek(1); err != nil {
		t.err = err
		return
	}
	if err := t.gz.Reset(t.in); err != nil {
		t.err = &memberError{offset, warc.GzipReason(err)}
		return
	}
	t.gz.Multistream(false)
	t.inside = true
	t.forget()
	if last := len(t.members) - 1; last >= 0 && t.members[last].at == t.made {
		t.members = t.members[:last] // the member before was empty
	}
	t.members = append(t.members, start{t.made, offset})
}

// forget drops the members that lie before the next byte of text.
func (t *text) forget() {
	gone := 0
	for gone+1 < len(t.members) && t.members[gone+1].at < t.at() {
		gone++
	}
	t.members = append(t.members[:0], t.members[gone:]...)
}

// at returns the number of bytes of text between the place at which reading began and the next
// byte.
func (t *text) at() int64 { return t.made - int64(t.out.Buffered()) }

// where returns the place of the next byte, which must have been peeked at.
func (t *text) where() place { return t.place(t.at()) }

// place returns the place of byte number at of the text, which must be the next byte or the one
// before.
func (t *text) place(at int64) place {
	if !t.gzipped {
		return place{offset: t.base + at}
	}
	for i := len(t.members) - 1; i >= 0; i-- {
		if m := t.members[i]; m.at <= at {
			return place{m.offset, at - m.at}
		}
	}
	return place{offset: t.base}
}

// next returns the place behind p.
func (t *text) next(p place) place {
	if t.gzipped {
		p.inside++
	} else {
		p.offset++
	}
	return p
}

// discard skips n bytes; the error is io.EOF if there are fewer.
func (t *text) discard(n int64) error {
	if !t.gzipped && n > int64(t.out.Buffered()) {
		return t.leap(n)
	}
	for n > 0 {
		m, err := t.out.Discard(int(min(n, 1<<30)))
		n -= int64(m)
		if err != nil {
			return err
		}
	}
	return nil
}

// leap is discard without reading. Only the last byte is read, to see that it is there.
func (t *text) leap(n int64) error {
	if err := t.seek(t.base + t.at() + n - 1); err != nil {
		return err
	}
	_, err := t.out.ReadByte()
	return err
}

// nextMember returns the offset, from offset on, of the next bytes that look like the beginning of
// a gzip member; the error is io.EOF if there are none.
func (t *text) nextMember(offset int64) (int64, error) {
	if err := t.seek(offset); err != nil {
		return 0, err
	}
	skipped, err := find(t.in, gzipMagic)
	t.work += skipped
	return offset + skipped, err
}

// find reads up to the next pattern, and returns the number of bytes before it.
func find(in *bufio.Reader, pattern string) (skipped int64, err error) {
	for {
		window, err := in.Peek(in.Size())
		skip := bytes.Index(window, []byte(pattern))
		found := skip >= 0
		if !found {
			skip = max(0, len(window)-len(pattern)+1)
		}
		in.Discard(skip) // cannot fail: these bytes are in the buffer
		skipped += int64(skip)
		if found {
			return skipped, nil
		}
		if err != nil {
			return skipped, err
		}
	}
}

// source is the file being read.
type source struct {
	f      io.ReadSeeker
	offset int64 // of the next byte
	err    error // a read error, as opposed to the end of the file
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.f.Read(p)
	s.offset += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
