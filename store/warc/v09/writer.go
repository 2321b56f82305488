package v09

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"warcorder/store/warc"
)

// DefaultTarget is the recommended size of a file, in bytes (WARC 0.9 section 10).
const DefaultTarget = 500_000_000

// Writer writes 1.1 records as gzipped WARC 0.9 files, each record a member of its own, with `sl`.
// A record that does not fit into a file of the target size is cut into segments, each in a file of
// its own (WARC 0.9 section 7.2). A Writer is not safe for concurrent use.
type Writer struct {
	Dir    string // of the files; must exist
	Prefix string // first part of the files' names
	Host   string // last part of the files' names
	Target int64  // size of a file in bytes; 0 for DefaultTarget
	Temp   string // where large blocks wait; "" for the system's directory

	// Made, if not nil, is called with the path of each file that has been made.
	Made func(path string) error

	file       *warc.Writer
	serial     int
	compressor warc.Compressor
	member     []byte
	warcinfo   string // WARC-Record-ID of the warcinfo record before; "" if there is none
}

// Export writes the rest of r's records.
func (w *Writer) Export(r *warc.Reader) error {
	w.warcinfo = "" // of another file
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.Write(rec.Version, rec.Header, proven{rec}, rec.Size); err != nil {
			return fmt.Errorf("record at byte %d: %w", rec.Offset, err)
		}
	}
}

// proven is the block of a record. It ends only if the record has proved whole, so that no damaged
// record is converted.
type proven struct{ rec *warc.Record }

func (p proven) Read(b []byte) (int, error) {
	n, err := p.rec.Block.Read(b)
	if err == io.EOF {
		if err := p.rec.Close(); err != nil {
			return n, err
		}
	}
	return n, err
}

// Write writes one record of that version line, with the fields h and a block of size bytes. After
// an error the files are as before, but segments that have been written stay.
func (w *Writer) Write(version string, h warc.Header, block io.Reader, size int64) error {
	if h.Get("WARC-Type") == "warcinfo" {
		w.warcinfo = h.Get("WARC-Record-ID")
	}
	head := convert(version, h, w.warcinfo, false)
	if size <= memory {
		return w.writeSmall(version, h, head, block, size)
	}
	if bound(&head, size) <= w.target() {
		if err := w.room(bound(&head, size)); err != nil {
			return err
		}
		return w.stream(&head, block, size, size+maxHeader*2) // no record is longer
	}
	return w.writeLarge(version, h, head, block, size)
}

// writeSmall writes a record whose block fits into memory.
func (w *Writer) writeSmall(version string, h warc.Header, head Header, block io.Reader,
	size int64) error {
	b, err := io.ReadAll(io.LimitReader(block, size+1))
	if err == nil && int64(len(b)) != size {
		err = fmt.Errorf("the block has not %d bytes", size)
	}
	if err != nil {
		return fmt.Errorf("read the block: %w", err)
	}
	line, err := head.bytes(size)
	if err != nil {
		return err
	}
	w.member = w.compressor.Append(w.member[:0], [][]byte{line, b, []byte(warc.RecordEnd)}, -1)
	if int64(len(w.member)) > w.target() && !isSegment(h) {
		return w.segments(version, h, bytes.NewReader(b), size)
	}
	if err := w.room(int64(len(w.member))); err != nil {
		return err
	}
	_, err = w.file.Append(w.member)
	return err
}

// writeLarge writes a record that may be too long for a file. Only deflating it tells, and segments
// are to be avoided.
func (w *Writer) writeLarge(version string, h warc.Header, head Header, block io.Reader,
	size int64) error {
	waiting, err := newSpool(w.Temp, block)
	if err != nil {
		return fmt.Errorf("read the block: %w", err)
	}
	defer waiting.Close()
	if err := w.room(w.target()); err != nil {
		return err
	}
	limit := w.target()
	if isSegment(h) {
		// The segments of a set cannot be numbered anew: the file may exceed the target.
		limit = size + maxHeader*2
	}
	err = w.stream(&head, waiting.reader(), size, limit)
	if errors.Is(err, errTooLong) {
		return w.segments(version, h, waiting.reader(), size)
	}
	return err
}

func isSegment(h warc.Header) bool { return h.Get("WARC-Segment-Number") != "" }

// segments writes a record as several segments (WARC 0.9 section 7.2).
func (w *Writer) segments(version string, h warc.Header, block io.Reader, size int64) error {
	head := convert(version, h, w.warcinfo, true).with(segmentNumber, "1")
	origin := head.ID
	piece := w.piece(&head)
	for number := 1; ; number++ {
		n := min(piece, size)
		size -= n
		if number > 1 {
			head = continuation(head, origin, number)
		}
		if size == 0 {
			head = last(head, h, number, piece, n)
		}
		if err := w.segment(&head, io.LimitReader(block, n), n); err != nil {
			return fmt.Errorf("segment %d: %w", number, err)
		}
		if size == 0 {
			return nil
		}
	}
}

// continuation returns the header of another segment of the same set, with no fields but those that
// say so.
func continuation(head Header, origin string, number int) Header {
	head.Type, head.ID, head.Fields = "continuation", newID(), nil
	return head.with(segmentOriginID, origin).with(segmentNumber, strconv.Itoa(number))
}

// last returns head as the header of the last segment, which has n bytes. It alone says how long
// the whole record is, and whether it is truncated.
func last(head Header, h warc.Header, number int, piece, n int64) Header {
	head = head.with(endLength, strconv.FormatInt(int64(number-1)*piece+n, 10))
	if reason := h.Get("WARC-Truncated"); reason != "" {
		head = head.with(truncated, reason)
	}
	return head
}

// segment writes one segment to a new file, in which other records may follow.
func (w *Writer) segment(head *Header, block io.Reader, size int64) error {
	if err := w.room(w.target()); err != nil {
		return err
	}
	return w.stream(head, block, size, size+maxHeader*2)
}

// piece returns how many bytes of a block fit into a file behind head; a few KB at least.
func (w *Writer) piece(head *Header) int64 {
	const few = 4 << 10
	return max(w.target()-(bound(head, w.target())-w.target())-256, few)
}

// stream writes a record to the end of the file. If that takes more than limit bytes, the file
// stays as it was, and the error is errTooLong.
func (w *Writer) stream(head *Header, block io.Reader, size, limit int64) error {
	line, err := head.bytes(size)
	if err != nil {
		return err
	}
	_, err = w.file.AppendStream(func(t *warc.Tail) error {
		_, err := w.compressor.Stream(&limited{t, limit}, t.Offset(), [][]byte{line}, block, size, false)
		return err
	})
	return err
}

// bytes returns the header of a record whose block has size bytes. A header that no Reader would
// take is an error.
func (h *Header) bytes(size int64) ([]byte, error) {
	b := h.append(nil, size)
	if len(b) > maxHeader {
		return nil, fmt.Errorf("the header of %s has %d bytes, more than can be read", h.ID, len(b))
	}
	return b, nil
}

var errTooLong = errors.New("the record does not fit into a file of the target size")

// limited is a Tail that takes no more than left bytes.
type limited struct {
	*warc.Tail
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errTooLong
	}
	return l.Tail.Write(p)
}

// bound returns an upper bound of the length of a member. Bytes that do not deflate grow by the
// headers of their stored blocks.
func bound(head *Header, size int64) int64 {
	n := int64(len(head.append(nil, size))) + size
	return n + n/1000 + 256
}

func (w *Writer) target() int64 { return cmp.Or(w.Target, DefaultTarget) }

// room makes sure that n more bytes fit into the file, or that the file is empty.
func (w *Writer) room(n int64) error {
	if w.file != nil && w.file.Size() > 0 && w.file.Size()+n > w.target() {
		if err := w.Close(); err != nil {
			return err
		}
	}
	if w.file != nil {
		return nil
	}
	if err := warc.CheckPrefix(w.Prefix); err != nil {
		return err
	}
	file, err := warc.Create(w.Dir,
		warc.Name(warc.DefaultPattern, w.Prefix, time.Now(), w.serial, w.Host))
	if err != nil {
		return err
	}
	w.file = file
	w.serial++
	if w.Made == nil {
		return nil
	}
	return w.Made(filepath.Join(w.Dir, file.Name()+warc.OpenSuffix))
}

// Close finishes the file that is being written and gives it its final name. More records can
// follow, in another file.
func (w *Writer) Close() error {
	file := w.file
	if file == nil {
		return nil
	}
	w.file = nil
	if file.Size() == 0 {
		return file.Discard()
	}
	return file.Close()
}

// Abandon removes the file that is being written, after an error that makes the export useless. The
// files before it stay.
func (w *Writer) Abandon() error {
	file := w.file
	if file == nil {
		return nil
	}
	w.file = nil
	return file.Discard()
}
