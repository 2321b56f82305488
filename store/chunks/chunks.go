// Package chunks takes the transfer coding "chunked" off what is stored (RFC 9112 section 7.1). A
// [Decoder] is for a body that comes in pieces, a [Reader] for one that is read.
//
// Invariant: whoever makes digests and keys, and whoever reads the archive back, sees the same data
// in the same chunks.
package chunks

import "io"

// Decoder takes the transfer coding "chunked" off a body that comes in pieces (RFC 9112 section
// 7.1). A line feed alone ends a line too. What follows a fault is no data.
type Decoder struct {
	state    chunkState
	left     int64 // of the chunk's data
	digits   int   // of its size
	trailers bool  // there are trailer fields
}

// Whole reports whether the body has come to its end, and nothing behind it.
func (d *Decoder) Whole() bool { return d.state == atEnd }

// Broken reports whether there was a fault in the framing.
func (d *Decoder) Broken() bool { return d.state == broken }

// HasData reports whether the last chunk has come, with or without what may follow its size.
func (d *Decoder) HasData() bool {
	return d.state == inTrailer || d.state == inField || d.state == atEnd
}

// Left returns how many bytes of data of the present chunk are to come.
func (d *Decoder) Left() int64 {
	if d.state != inData {
		return 0
	}
	return d.left
}

// Skip passes over n bytes of data, of which there are as many left.
func (d *Decoder) Skip(n int64) {
	if d.left -= n; d.left == 0 {
		d.state = behindData
	}
}

// Reader returns a Reader of what is still to come of the body.
func (d *Decoder) Reader(rest io.Reader) *Reader { return &Reader{r: rest, chunks: *d} }

// HasTrailers reports whether there were trailer fields.
func (d *Decoder) HasTrailers() bool { return d.trailers }

type chunkState uint8

const (
	inSize     chunkState = iota // in the hexadecimal digits of a chunk's size
	inLine                       // in the extensions behind the digits
	inData                       // in the data of the chunk
	behindData                   // in the line end behind the data
	inTrailer                    // at the beginning of a line behind the last chunk
	inField                      // inside of a trailer field
	atEnd                        // behind the end: the body is whole
	broken                       // behind a fault: the body is malformed
)

// maxSizeDigits is how many digits of a chunk's size are read: all that an int64 has room for.
const maxSizeDigits = 15

// Next takes as much off p as can be taken at once, and returns the data in that, and the rest.
func (d *Decoder) Next(p []byte) (data, rest []byte) {
	if d.state == inData {
		n := int(min(d.left, int64(len(p))))
		if d.left -= int64(n); d.left == 0 {
			d.state = behindData
		}
		return p[:n], p[n:]
	}
	for i, c := range p {
		d.step(c)
		switch d.state {
		case inData:
			return nil, p[i+1:]
		case broken:
			return nil, nil
		}
	}
	return nil, nil
}

// step takes a byte that is no data.
func (d *Decoder) step(c byte) {
	switch d.state {
	case inSize:
		d.stepSize(c)
	case inLine:
		if c == '\n' {
			d.endSize()
		}
	case behindData:
		switch c {
		case '\n':
			d.state = inSize
		case '\r':
		default:
			d.state = broken
		}
	case inTrailer:
		switch c {
		case '\n':
			d.state = atEnd
		case '\r':
		default:
			d.state, d.trailers = inField, true
		}
	case inField:
		if c == '\n' {
			d.state = inTrailer
		}
	default: // something follows the end
		d.state = broken
	}
}

func (d *Decoder) stepSize(c byte) {
	value := hexValue(c)
	switch {
	case value < 0 && d.digits == 0, value >= 0 && d.digits == maxSizeDigits:
		d.state = broken
	case value >= 0:
		d.left = d.left<<4 | int64(value)
		d.digits++
	case c == '\n':
		d.endSize()
	case c == ';' || c == ' ' || c == '\t' || c == '\r':
		d.state = inLine
	default:
		d.state = broken
	}
}

// endSize ends the line of a chunk's size.
func (d *Decoder) endSize() {
	d.digits = 0
	d.state = inData
	if d.left == 0 {
		d.state = inTrailer
	}
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// Reader reads what is in the chunks of a body. To other readers a size with a space behind it, or
// a long extension, is none.
type Reader struct {
	r      io.Reader
	chunks Decoder
	buf    [4 << 10]byte
	piece  []byte // of buf, that is still to be read
	err    error  // of r
}

// NewReader returns a Reader of the body that r gives.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Read reads data. A body that is not whole ends with io.ErrUnexpectedEOF.
func (d *Reader) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if len(d.piece) == 0 {
			if d.err != nil {
				return 0, d.end()
			}
			var n int
			n, d.err = d.r.Read(d.buf[:])
			d.piece = d.buf[:n]
			continue
		}
		now := d.piece[:min(len(p), len(d.piece))]
		data, rest := d.chunks.Next(now)
		d.piece = d.piece[len(now)-len(rest):]
		if d.chunks.Broken() {
			return 0, io.ErrUnexpectedEOF
		}
		if len(data) > 0 {
			return copy(p, data), nil
		}
	}
	return 0, nil
}

// end is how the body ends where r does. Its data is whole when the last chunk has come.
func (d *Reader) end() error {
	switch {
	case d.err != io.EOF:
		return d.err
	case d.chunks.HasData():
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}
