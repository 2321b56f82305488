package readback

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"warcorder/store"
	"warcorder/store/warc"
)

// member is what reads a record: a reader with its buffers. It is used again for others, of any
// file with the same layout, or with zstd frames of the same file.
type member struct {
	reader *warc.Reader
	span   span
	start  []byte // the beginning of a block
}

// membersOf returns where the members for a file wait that nobody uses.
func (f *Files) membersOf(one *file) *sync.Pool {
	switch one.layout {
	case warc.GzipMembers:
		return &f.members
	case warc.Plain:
		return &f.plain
	}
	return &one.frames
}

// take begins to read at a place, up to end.
func (f *Files) take(one *file, at store.Location, end int64) (*member, error) {
	window := int64(windowSize)
	if at.Length == 0 { // what is read then is a request, or of a file of another tool
		window = windowSize / 8
	}
	m, used := f.membersOf(one).Get().(*member)
	if !used {
		m = &member{span: span{buf: make([]byte, windowSize)}, start: make([]byte, startSize)}
	}
	if err := m.span.reset(one, at.Offset, end, window); err != nil {
		return nil, err
	}
	if used {
		return m, m.reader.Reuse(&m.span, at.File, at.Offset)
	}
	var err error
	m.reader, err = warc.NewForeignReader(&m.span, at.File, at.Offset)
	return m, err
}

// give puts a member back.
func (f *Files) give(one *file, m *member) {
	m.span.file = nil
	if cap(m.start) > mostKept {
		m.start = make([]byte, startSize)
	}
	f.membersOf(one).Put(m)
}

const (
	windowSize = 64 << 10 // of a file, that is read at once
	startSize  = 16 << 10 // of a block, that is read with its head
	mostKept   = 64 << 10 // of that, where the head was a long one
)

// span is the part of a file that a record may be read from. Its beginning is read at once.
type span struct {
	file   io.ReaderAt
	at     int64  // of the next byte
	end    int64  // behind the last
	from   int64  // of window
	window []byte // bytes of the file
	buf    []byte
}

// reset makes s read file from an offset to end.
func (s *span) reset(file io.ReaderAt, offset, end, window int64) error {
	s.file, s.at, s.end, s.from = file, offset, end, offset
	n, err := file.ReadAt(s.buf[:min(window, end-offset)], offset)
	s.window = s.buf[:n]
	if errors.Is(err, io.EOF) {
		err = nil // it shows where the end is missed
	}
	return err
}

func (s *span) Read(p []byte) (n int, err error) {
	if s.at >= s.end {
		return 0, io.EOF
	}
	if s.at >= s.from && s.at-s.from < int64(len(s.window)) {
		n = copy(p, s.window[s.at-s.from:])
	} else {
		n, err = s.file.ReadAt(p[:min(int64(len(p)), s.end-s.at)], s.at)
	}
	s.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

// Seek goes to an offset from the beginning of the file; a reader of records asks for no other.
func (s *span) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset < 0 {
		return 0, fmt.Errorf("seek to %d from %d", offset, whence)
	}
	s.at = offset
	return offset, nil
}
