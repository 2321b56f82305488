package main

import (
	"bytes"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
)

// body is the content of a message, known from its number alone: who sends it and who checks it
// need not talk.
type body struct {
	n, size int64
	text    bool // compressible
}

// reader gives the bytes.
func (b body) reader() io.Reader {
	seed := [32]byte{byte(b.n), byte(b.n >> 8), byte(b.n >> 16), byte(b.n >> 24), 's', 'o', 'a', 'k'}
	var source io.Reader = rand.NewChaCha8(seed)
	if b.text {
		source = &lines{n: b.n}
	}
	return io.LimitReader(source, b.size)
}

// mediaType is what the content is said to be.
func (b body) mediaType() string {
	if b.text {
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// check reads r to its end and says how it differs from the body.
func (b body) check(r io.Reader) error {
	want, got := b.reader(), make([]byte, 32<<10)
	expected := make([]byte, len(got))
	for at := int64(0); ; {
		n, err := io.ReadFull(r, got)
		m, _ := io.ReadFull(want, expected)
		switch {
		case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
			return fmt.Errorf("after %d bytes of %d: %w", at+int64(n), b.size, err)
		case n != m:
			return fmt.Errorf("%d bytes or more, not %d", at+int64(n), b.size)
		case !bytes.Equal(got[:n], expected[:m]):
			return fmt.Errorf("other bytes between %d and %d", at, at+int64(n))
		case err != nil:
			return nil
		}
		at += int64(n)
	}
}

// lines is an endless text.
type lines struct {
	n, line int64
	rest    []byte
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		l.line++
		l.rest = fmt.Appendf(l.rest[:0],
			"This is line %d of the body with the number %d, and like the one before it.\n", l.line, l.n)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// writeChunked writes the body in chunks of several sizes, and the trailer's end.
func (b body) writeChunked(w io.Writer) error {
	from, left := b.reader(), b.size
	for i := int64(0); left > 0; i++ {
		size := min(left, 1+(b.n*31+i*4099)%(20<<10))
		piece := fmt.Appendf(nil, "%x\r\n", size)
		head := len(piece)
		piece = append(piece, make([]byte, size+2)...)
		if _, err := io.ReadFull(from, piece[head:head+int(size)]); err != nil {
			return err
		}
		copy(piece[head+int(size):], "\r\n")
		if _, err := w.Write(piece); err != nil {
			return err
		}
		left -= size
	}
	_, err := io.WriteString(w, "0\r\n\r\n")
	return err
}

// hashed passes writes on and digests them: the payload as it is on the wire.
type hashed struct {
	io.Writer
	sum hash.Hash
}

func (h hashed) Write(p []byte) (int, error) {
	h.sum.Write(p)
	return h.Writer.Write(p)
}
