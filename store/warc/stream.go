package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"warcorder/store/warc/deflate"
)

// WriteSeeker is what Stream writes to: an *os.File that is not open for append, or the Tail of a
// Writer.
type WriteSeeker interface {
	io.Writer
	io.WriterAt
}

// Stream writes one member to w, at offset in w: the parts of head (WARC header, HTTP head), size
// bytes of body, and RecordEnd, which it adds itself. It holds a constant amount of memory whatever
// size is. With stored the body goes into stored blocks. The `sl` field is written by WriteAt when
// the lengths are known, so offset must be where w's next byte will lie.
//
// It returns the length of the member. A body of another length than size is an error; after an
// error what has been written is of no use.
func (c *Compressor) Stream(w WriteSeeker, offset int64, head [][]byte, body io.Reader, size int64,
	stored bool) (length int64, err error) {
	counter := &countingWriter{w: w}
	out := bufio.NewWriterSize(counter, 2*maxStored)
	out.WriteString(c.header()) // a bufio.Writer keeps its first error until Flush
	c.begin(c.encoded[:0])
	c.sum(head...)
	c.deflateParts(head, false)
	if stored {
		err = c.streamStored(out, body, size)
	} else {
		err = c.streamDeflated(out, body, size)
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

func (c *Compressor) streamDeflated(out io.Writer, body io.Reader, size int64) error {
	err := c.chunks(body, size, func(p []byte) error {
		c.sum(p)
		c.deflate.Continue(p)
		return c.writeEncoded(out)
	})
	if err != nil {
		return err
	}
	end := []byte(RecordEnd)
	c.sum(end)
	c.deflate.Deflate(end, deflate.Body, true)
	return c.writeEncoded(out)
}

func (c *Compressor) streamStored(out io.Writer, body io.Reader, size int64) error {
	err := c.chunks(body, size, func(p []byte) error { return c.writeStored(out, p, false) })
	if err != nil {
		return err
	}
	return c.writeStored(out, []byte(RecordEnd), true)
}

// writeStored writes what has been deflated before p, and p as a stored block.
func (c *Compressor) writeStored(out io.Writer, p []byte, final bool) error {
	c.sum(p)
	c.deflate.StoreHeader(len(p), final)
	if err := c.writeEncoded(out); err != nil {
		return err
	}
	_, err := out.Write(p)
	return err
}

// writeEncoded writes what has been deflated since it was called last.
func (c *Compressor) writeEncoded(out io.Writer) error {
	c.encoded = c.deflate.Take()
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

// countingWriter counts what goes through to w.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
