package v09

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"warcorder/store/warc"
)

const gzipMagic = "\x1f\x8b\x08" // gzip, deflate (RFC 1952 section 2.3.1)

// place is where in a file a byte of its text lies: at offset, or inside bytes behind the beginning
// of the gzip member that is at offset.
type place struct{ offset, inside int64 }

// text is what a file says, gunzipped if need be, from some place on. Where gzip members begin and
// end means nothing to it, but it knows.
type text struct {
	file    source
	gzipped bool
	in      *bufio.Reader // the file
	gz      *gzip.Reader  // the member
	out     *bufio.Reader // the text
	base    int64         // offset in the file at which reading began
	made    int64         // bytes of text that out has taken
	work    int64         // the same, since the file was opened
	members []start       // of the bytes that are in out, and of the last byte before them
	inside  bool          // a member has been begun
	err     error         // what Read keeps returning
}

// start is where a gzip member begins: in the text that has been made, and in the file.
type start struct{ at, offset int64 }

// fault is why a gzip member cannot be read.
type fault struct {
	member int64 // offset in the file
	reason error
}

func (f *fault) Error() string { return f.reason.Error() }
func (f *fault) Unwrap() error { return f.reason }

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

// seek begins anew at offset, which is that of a member if the file is gzipped.
func (t *text) seek(offset int64) error {
	t.base, t.made, t.members, t.inside, t.err = offset, 0, t.members[:0], false, nil
	t.file.offset = offset
	_, t.file.err = t.file.f.Seek(offset, io.SeekStart)
	t.in.Reset(&t.file)
	t.out.Reset(t)
	return t.file.err
}

// open begins anew at p.
func (t *text) open(p place) error {
	if err := t.seek(p.offset); err != nil {
		return err
	}
	return t.discard(p.inside)
}

// Read is what out reads from.
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

// inflated notes what the member has come to.
func (t *text) inflated(err error) {
	switch {
	case err == io.EOF:
		t.inside = false
	case err != nil:
		t.err = &fault{t.members[len(t.members)-1].offset, inflateFault(err)}
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
		t.err = &fault{offset, inflateFault(err)}
		return
	}
	t.gz.Multistream(false)
	t.inside = true
	t.forget()
	if last := len(t.members) - 1; last >= 0 && t.members[last].at == t.made {
		t.members = t.members[:last] // it was empty
	}
	t.members = append(t.members, start{t.made, offset})
}

// forget drops the members that have been left behind.
func (t *text) forget() {
	gone := 0
	for gone+1 < len(t.members) && t.members[gone+1].at < t.at() {
		gone++
	}
	t.members = append(t.members[:0], t.members[gone:]...)
}

// at returns how much text lies between the place at which reading began and the next byte.
func (t *text) at() int64 { return t.made - int64(t.out.Buffered()) }

// where returns the place of the next byte, if that has been peeked at.
func (t *text) where() place { return t.place(t.at()) }

// place returns where the byte of text lies that has the number at; it is the next one, or the one
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

// discard leaves out n bytes; io.EOF if there are fewer.
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

// leap is discard without reading, but for the last byte: to see that it is there.
func (t *text) leap(n int64) error {
	if err := t.seek(t.base + t.at() + n - 1); err != nil {
		return err
	}
	_, err := t.out.ReadByte()
	return err
}

// nextMember returns the offset of the next bytes from offset on that look like the beginning of a
// gzip member; io.EOF if there are none.
func (t *text) nextMember(offset int64) (int64, error) {
	if err := t.seek(offset); err != nil {
		return 0, err
	}
	skipped, err := find(t.in, gzipMagic)
	t.work += skipped
	return offset + skipped, err
}

// find reads up to the next pattern, and returns how many bytes it has left out.
func find(in *bufio.Reader, pattern string) (skipped int64, err error) {
	for {
		window, err := in.Peek(in.Size())
		skip := bytes.Index(window, []byte(pattern))
		found := skip >= 0
		if !found {
			skip = max(0, len(window)-len(pattern)+1)
		}
		in.Discard(skip) // it is there
		skipped += int64(skip)
		if found {
			return skipped, nil
		}
		if err != nil {
			return skipped, err
		}
	}
}

// inflateFault says what an error from a gzip reader means for the member.
func inflateFault(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return warc.ErrTorn
	case errors.Is(err, gzip.ErrHeader):
		return warc.ErrNotMember
	case errors.Is(err, gzip.ErrChecksum):
		return warc.ErrChecksum
	}
	return fmt.Errorf("%w: %w", warc.ErrCorrupt, err)
}

// source is the file being read: how far, and with which error if it was not the file's end.
type source struct {
	f      io.ReadSeeker
	offset int64
	err    error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.f.Read(p)
	s.offset += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
