package record

import "io"

// Dechunker takes the transfer coding "chunked" off a body that comes in pieces (RFC 9112 section
// 7.1). A line feed alone ends a line too. What follows a fault is no data.
type Dechunker struct {
	state    chunkState
	left     int64 // of the chunk's data
	digits   int   // of its size
	trailers bool  // there are trailer fields
}

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
func (d *Dechunker) Next(p []byte) (data, rest []byte) {
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
func (d *Dechunker) step(c byte) {
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

func (d *Dechunker) stepSize(c byte) {
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
func (d *Dechunker) endSize() {
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

// dechunked reads what is in the chunks of a body, through the eyes of the digests: to other
// readers a size with a space behind it, or a long extension, is none.
type dechunked struct {
	r      io.Reader
	chunks Dechunker
	buf    [4 << 10]byte
	piece  []byte // of buf, that is still to be read
	err    error  // of r
}

// Read reads data. A body that is not whole ends with io.ErrUnexpectedEOF.
func (d *dechunked) Read(p []byte) (int, error) {
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
		if d.chunks.state == broken {
			return 0, io.ErrUnexpectedEOF
		}
		if len(data) > 0 {
			return copy(p, data), nil
		}
	}
	return 0, nil
}

// end is how the body ends where r does. Its data is whole when the last chunk has come.
func (d *dechunked) end() error {
	switch {
	case d.err != io.EOF:
		return d.err
	case d.chunks.state == inTrailer || d.chunks.state == inField || d.chunks.state == atEnd:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}
