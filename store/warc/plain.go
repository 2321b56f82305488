package warc

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// plainEncoder makes deflate streams with klauspost/compress, in place of package deflate when that
// has made a wrong one. Once used it holds about 1 MB.
type plainEncoder struct {
	fast, stored *flate.Writer
}

// begin starts a stream.
func (e *plainEncoder) begin(out io.Writer) *flate.Writer {
	return begun(&e.fast, flate.BestSpeed, out)
}

// store goes on with stored blocks, to the end of the stream.
func (e *plainEncoder) store(out io.Writer) (*flate.Writer, error) {
	err := e.fast.Flush() // to a whole byte, behind which blocks of another encoder may lie
	return begun(&e.stored, flate.NoCompression, out), err
}

func begun(w **flate.Writer, level int, out io.Writer) *flate.Writer {
	if *w != nil {
		(*w).Reset(out)
		return *w
	}
	made, err := flate.NewWriter(out, level)
	if err != nil {
		panic(fmt.Sprintf("warc: level %d of klauspost/compress: %v", level, err))
	}
	*w = made
	return made
}

// appendPlain is Append without package deflate.
func (c *Compressor) appendPlain(dst []byte, text, raw [][]byte) []byte {
	start := len(dst)
	out := &slice{append(dst, c.header()...)}
	c.crc, c.size = 0, 0
	c.sum(text...)
	c.sum(raw...)
	w := c.plain.begin(out) // a slice takes all: there are no errors
	for _, p := range text {
		w.Write(p)
	}
	if raw != nil {
		w, _ = c.plain.store(out)
		for _, p := range raw {
			w.Write(p)
		}
	}
	w.Close()
	return c.finish(out.bytes, start)
}

// streamPlain is streamDeflate without package deflate.
func (c *Compressor) streamPlain(out io.Writer, head [][]byte, body io.Reader, size int64,
	stored bool) (err error) {
	c.crc, c.size = 0, 0
	c.sum(head...)
	w := c.plain.begin(out)
	for _, p := range head {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	if stored {
		if w, err = c.plain.store(out); err != nil {
			return err
		}
	}
	write := func(p []byte) error {
		c.sum(p)
		_, err := w.Write(p)
		return err
	}
	if err := c.chunks(body, size, write); err != nil {
		return err
	}
	if err := write([]byte(RecordEnd)); err != nil {
		return err
	}
	return w.Close()
}

// slice is what a member is appended to.
type slice struct{ bytes []byte }

func (s *slice) Write(p []byte) (int, error) {
	s.bytes = append(s.bytes, p...)
	return len(p), nil
}
