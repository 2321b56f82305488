package har

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"warcorder/store/chunks"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

const (
	// mostKept is how much of a body is kept between its two readings; a longer one is read again.
	mostKept = 1 << 20

	// A body without its content codings may have so many bytes, and so many times as many as are
	// stored. Who makes one that has more wants to fill a disk.
	mostMade, mostTimes = 16 << 20, 100

	pieceSize = 64 << 10 // that is read at once
)

// source begins to read a body. It is asked again for one that is not kept.
type source func() (*opened, error)

// opened is a body that is being read.
type opened struct {
	io.Reader
	stored io.Reader // what Reader is made of
	io.Closer
	isCoded bool // content codings are taken off it
}

// end reads what was stored to its end, where its checksum is.
func (o *opened) end() error {
	_, err := io.Copy(io.Discard, o.stored)
	return err
}

// body is a body that has been read to its end once: nothing of it is unknown when it is written.
type body struct {
	size   int64  // in bytes
	isText bool   // it is UTF-8
	kept   []byte // its beginning, of mostKept bytes
	from   source

	isCoded bool // content codings are taken off it
}

// look reads a body for the first time. The error may tell that it breaks off, as it was recorded:
// the body is then what there is. mayText says that it is of interest whether it is UTF-8; room is
// taken for what is kept.
func look(ctx context.Context, from source, mayText bool, room []byte) (body, error) {
	in, err := from()
	if err != nil {
		return body{}, err
	}
	defer in.Close()
	b := body{isText: mayText, kept: room[:0], from: from, isCoded: in.isCoded}
	err = pieces(in, make([]byte, pieceSize), func(p []byte) error {
		b.size += int64(len(p))
		b.isText = b.isText && utf8.Valid(p)
		b.kept = append(b.kept, p[:min(mostKept-len(b.kept), len(p))]...)
		return ctx.Err()
	})
	if err == nil || isBroken(err) || errors.Is(err, readback.ErrCoding) {
		if end := in.end(); end != nil {
			return body{}, end
		}
	}
	return b, err
}

// isBroken reports whether an error says that a body breaks off, as it was recorded; as opposed to
// a record that does.
func isBroken(err error) bool {
	var damage *warc.Damage
	return errors.Is(err, io.ErrUnexpectedEOF) && !errors.As(err, &damage)
}

// isKept reports whether the body need not be read again.
func (b *body) isKept() bool { return b.size == int64(len(b.kept)) }

// eachPiece reads the body for the second time, as it was read for the first.
func (b *body) eachPiece(take func([]byte) error) error {
	if b.isKept() {
		return take(b.kept)
	}
	in, err := b.from()
	if err != nil {
		return err
	}
	defer in.Close()
	n, failed := int64(0), error(nil)
	err = pieces(io.LimitReader(in, b.size), make([]byte, pieceSize), func(p []byte) error {
		n += int64(len(p))
		failed = take(p)
		return failed
	})
	if failed == nil && n < b.size {
		return fmt.Errorf("byte %d of a body was there, and is not any more: %w", n,
			errors.Join(err, io.ErrUnexpectedEOF))
	}
	return failed
}

// entity is the source of what the response of a capture has, with its content codings.
func (w *Writer) entity(c *selection.Chosen) source {
	return func() (*opened, error) {
		r, err := w.files.ResponseBy(&c.Capture, c.Original)
		if err != nil {
			return nil, err
		}
		return &opened{Reader: r.Entity(), stored: r.Body, Closer: r}, nil
	}
}

// decoded is the source of what the response of a capture has, without its content codings.
func (w *Writer) decoded(c *selection.Chosen) source {
	return func() (*opened, error) {
		r, err := w.files.ResponseBy(&c.Capture, c.Original)
		if err != nil {
			return nil, err
		}
		in, err := r.DecodedWithin(max(mostMade, mostTimes*r.Size))
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		if in == r.Entity() {
			return &opened{Reader: in, stored: r.Body, Closer: r}, nil
		}
		return &opened{Reader: in, stored: r.Body, Closer: r, isCoded: true}, nil
	}
}

// posted is the source of what the request of a capture has sent, without the framing of chunks if
// it has such.
func (w *Writer) posted(c *selection.Chosen, isChunked bool) source {
	return func() (*opened, error) {
		r, err := w.files.Request(&c.Capture)
		if err != nil {
			return nil, err
		}
		in := r.Body
		if isChunked {
			in = chunks.NewReader(r.Body)
		}
		return &opened{Reader: in, stored: r.Body, Closer: r}, nil
	}
}
