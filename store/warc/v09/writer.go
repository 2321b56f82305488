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
// its own (WARC 0.9 section 7.2). Not safe for concurrent use.
type Writer struct {
	Dir    string // of the files; it must exist
	Prefix string // first part of their names
	Host   string // last part
	Target int64  // size of a file in bytes; 0 for DefaultTarget
	Temp   string // where large blocks wait; "" for the system's directory

	// Made, if it is not nil, is called with the path of each file when that has been made.
	Made func(path string) error

	file       *warc.Writer
	serial     int
	compressor warc.Compressor
	member     []byte
	// WARC-Record-ID of the warcinfo record that describes what follows; "" if none does
	warcinfo string
}

// Export writes all records that r has left.
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

// proven is the block of a record that ends only when the record has proved whole, so that nothing
// is made of one that is not.
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

// Write writes one record: its version line and fields, and the size bytes of its block. After an
// error the files are as before, but for segments that have been written already.
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
		return w.stream(&head, block, size, size+maxHeader*2) // it will not be longer
	}
	return w.writeLarge(version, h, head, block, size)
}

// writeSmall writes a record whose block has its place in memory.
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

// writeLarge writes a record that may be too long for a file. Whether it is shows when it is
// deflated: segmentation is to be avoided.
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
		// of a set that cannot be numbered anew: it may be longer than the target
		limit = size + maxHeader*2
	}
	err = w.stream(&head, waiting.reader(), size, limit)
	if errors.Is(err, errTooLong) {
		return w.segments(version, h, waiting.reader(), size)
	}
	return err
}

func isSegment(h warc.Header) bool { return h.Get("WARC-Segment-Number") != "" }

// segments writes a record as several (WARC 0.9 section 7.2).
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

// continuation returns the header of another segment of the same set. It has no fields but those
// that say so.
func continuation(head Header, origin string, number int) Header {
	head.Type, head.ID, head.Fields = "continuation", newID(), nil
	return head.with(segmentOriginID, origin).with(segmentNumber, strconv.Itoa(number))
}

// last returns head as that of the last segment, with n bytes: it alone says how long the whole is,
// and whether that is truncated.
func last(head Header, h warc.Header, number int, piece, n int64) Header {
	head = head.with(endLength, strconv.FormatInt(int64(number-1)*piece+n, 10))
	if reason := h.Get("WARC-Truncated"); reason != "" {
		head = head.with(truncated, reason)
	}
	return head
}

// segment writes one segment to a file of its own, which others may follow into.
func (w *Writer) segment(head *Header, block io.Reader, size int64) error {
	if err := w.room(w.target()); err != nil {
		return err
	}
	return w.stream(head, block, size, size+maxHeader*2)
}

// piece is how many bytes of a block fit into a file behind head, at least a few.
func (w *Writer) piece(head *Header) int64 {
	const few = 4 << 10
	return max(w.target()-(bound(head, w.target())-w.target())-256, few)
}

// stream writes a record to the end of the file. It fails with errTooLong, and undoes it, if that
// takes more than limit bytes.
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

// bytes is append, for a header that can be read again.
func (h *Header) bytes(size int64) ([]byte, error) {
	b := h.append(nil, size)
	if len(b) > maxHeader {
		return nil, fmt.Errorf("the header of %s has %d bytes, more than can be read", h.ID, len(b))
	}
	return b, nil
}

var errTooLong = errors.New("the record does not fit into a file of the target size")

// limited takes no more than left bytes.
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

// bound is how long a member is at most, in bytes: what does not deflate grows by the heads of its
// stored blocks.
func bound(head *Header, size int64) int64 {
	n := int64(len(head.append(nil, size))) + size
	return n + n/1000 + 256
}

func (w *Writer) target() int64 { return cmp.Or(w.Target, DefaultTarget) }

// room makes sure that there is a file that n more bytes fit into, or an empty one.
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

// Close finishes the file that is being written; it has its final name then. More records can
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

// Abandon is Close after an error that leaves what has been written of no use: it removes the file
// that is being written, not those before it.
func (w *Writer) Abandon() error {
	file := w.file
	if file == nil {
		return nil
	}
	w.file = nil
	return file.Discard()
}
