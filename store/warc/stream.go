package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"warcorder/store/warc/deflate"
)

// Patchable is what Stream writes to, whose bytes can be overwritten later: the Tail of a Writer,
// or an *os.File that is not open for append.
type Patchable interface {
	io.Writer
	io.WriterAt
}

// Stream writes one member to w. The record in it consists of the parts of head (WARC header, HTTP
// header), of body, which has size bytes, and of RecordEnd, which Stream adds. With stored, the
// body goes into stored blocks. Memory does not grow with size. Stream writes the `sl` field by
// WriteAt when the lengths are known: offset is the offset in w of the next byte that Write will
// write.
//
// Stream returns the length of the member in bytes. A body that has not size bytes is an error.
// After an error, what has been written is no member.
func (c *Compressor) Stream(w Patchable, offset int64, head [][]byte, body io.Reader, size int64,
	stored bool) (length int64, err error) {
	if c.inspected && size <= maxInspected {
		return c.streamInspected(w, head, body, size, stored)
	}
	counter := &countingWriter{w: w}
	out := bufio.NewWriterSize(counter, 2*maxStored)
	out.WriteString(c.header()) // a bufio.Writer keeps its first error until Flush
	if c.isPlain() {
		err = c.streamPlain(out, head, body, size, stored)
	} else {
		err = c.streamDeflate(out, head, body, size, stored)
	}
	if err != nil {
		return 0, err
	}
	out.Write(c.appendTrailer(nil))
	if err := out.Flush(); err != nil {
		return 0, err
	}
	if c.NoSkipLengths {
		return counter.n, nil
	}
	var sl [8]byte
	putSkipLengths(sl[:], counter.n, c.size)
	_, err = w.WriteAt(sl[:], offset+skipLengths)
	return counter.n, err
}

// streamInspected is Stream for a body that is short enough to be held in memory, with its member.
func (c *Compressor) streamInspected(w io.Writer, head [][]byte, body io.Reader, size int64,
	stored bool) (length int64, err error) {
	text, err := c.readChunks(body, size)
	if err != nil {
		return 0, err
	}
	first := -1
	if stored {
		first = len(head)
	}
	n, err := w.Write(c.Append(nil, slices.Concat(head, [][]byte{text, []byte(RecordEnd)}), first))
	return int64(n), err
}

// streamDeflate writes a stream of package deflate. If the Inspector wants that, its start is inflated
// again before it is written.
func (c *Compressor) streamDeflate(out io.Writer, head [][]byte, body io.Reader, size int64,
	stored bool) error {
	c.begin(c.encoded[:0])
	c.sum(head...)
	c.deflateParts(head, false)
	write := c.writeDeflated
	if stored {
		write = c.writeStored
	}
	if c.inspected {
		start, err := c.readChunks(io.LimitReader(body, maxInspected), maxInspected)
		if err != nil {
			return err
		}
		if !c.inspectStart(out, head, start, write) {
			body = io.MultiReader(bytes.NewReader(start), body)
			return c.streamPlain(out, head, body, size, stored)
		}
		size -= maxInspected
	}
	err := c.chunks(body, size, func(p []byte) error { return write(out, p, false) })
	if err != nil {
		return err
	}
	return write(out, []byte(RecordEnd), true)
}

// inspectStart writes the start of a body, if that inflates to what it was together with the head.
// Else it poisons package deflate and writes nothing.
func (c *Compressor) inspectStart(out io.Writer, head [][]byte, start []byte,
	write func(out io.Writer, p []byte, final bool) error) bool {
	var encoded bytes.Buffer
	encoded.Grow(len(start))
	for p := range slices.Chunk(start, maxStored) {
		write(&encoded, p, false) // a bytes.Buffer takes all
	}
	if err := inflateStart(encoded.Bytes(), append(slices.Clone(head), start)...); err != nil {
		c.Inspector.poison(err)
		return false
	}
	out.Write(encoded.Bytes()) // a bufio.Writer keeps its first error
	return true
}

// writeDeflated writes what has been deflated before p, and p but for some bits; a final p and all
// of them.
func (c *Compressor) writeDeflated(out io.Writer, p []byte, final bool) error {
	c.sum(p)
	if final {
		c.deflate.Deflate(p, deflate.Body, true)
	} else {
		c.deflate.Continue(p)
	}
	return c.writeEncoded(out)
}

// writeStored writes what has been deflated so far, then p as a stored block.
func (c *Compressor) writeStored(out io.Writer, p []byte, final bool) error {
	c.sum(p)
	c.deflate.StoreHeader(len(p), final)
	if err := c.writeEncoded(out); err != nil {
		return err
	}
	_, err := out.Write(p)
	return err
}

// writeEncoded writes what has been deflated since its last call.
func (c *Compressor) writeEncoded(out io.Writer) error {
	c.encoded = c.deflate.Take()
	spoil(c.encoded)
	_, err := out.Write(c.encoded)
	return err
}

// chunks hands the size bytes of body to write, in pieces that fit a stored block.
func (c *Compressor) chunks(body io.Reader, size int64, write func([]byte) error) error {
	if c.chunk == nil {
		c.chunk = make([]byte, maxStored)
	}
	for left := size; left > 0; {
		n, err := io.ReadFull(body, c.chunk[:min(left, maxStored)])
		if err != nil {
			return fmt.Errorf("read the body, %d of %d bytes left: %w", left-int64(n), size, err)
		}
		if err := write(c.chunk[:n]); err != nil {
			return err
		}
		left -= int64(n)
	}
	if n, err := io.ReadFull(body, c.chunk[:1]); n > 0 {
		return fmt.Errorf("read the body: longer than its %d bytes", size)
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the body: %w", err)
	}
	return nil
}

// readChunks reads the size bytes of body.
func (c *Compressor) readChunks(body io.Reader, size int64) ([]byte, error) {
	text := make([]byte, 0, size)
	err := c.chunks(body, size, func(p []byte) error {
		text = append(text, p...)
		return nil
	})
	return text, err
}

// countingWriter counts the bytes written through it.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
