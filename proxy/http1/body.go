package http1

import (
	"bytes"
	"errors"
	"fmt"
)

// Body finds the end of one message's body in the bytes that pass, without changing or holding any.
// The zero value is a message without a body.
//
// A chunked body is followed byte by byte but for its data, through these states (RFC 9112 section
// 7.1):
//
//	inSize ─► inSpace ─► inExtension ─┬─► inData ─► afterData ─► inSize …
//	                                  └─ size 0 ─► inTrailer ─► chunkEnd
type Body struct {
	Framing Framing
	Most    int64 // bytes that the body may have on the wire; 0: any number
	Lax     bool  // a response's body has had what a request's may not have: an LF without CR

	left    int64 // sized: bytes to come; chunked: data bytes of the current chunk to come
	taken   int64
	state   chunkState
	digits  int  // hex digits of the chunk size seen; in a trailer: bytes of the line seen
	line    int  // bytes of the current line seen
	trailer int  // bytes of all trailer lines seen
	cr      bool // the last byte was a CR
	strict  bool // lines end in CRLF only: an LF alone ends a line for some readers, not for others
}

// ErrBodyTooLong is a body of more than Most bytes.
var ErrBodyTooLong = errors.New("the body is larger than max-body-size")

// chunkState is where in a chunked body the next byte belongs.
type chunkState uint8

const (
	inSize  chunkState = iota
	inSpace            // behind the size
	inExtension
	inData
	afterData // the line end that closes a chunk
	inTrailer
	chunkEnd
)

const (
	maxChunkLine = 16 << 10 // a size with its extensions
	maxTrailer   = 1 << 20
)

// RequestBody finds the end of a request's body. It is strict: a chunk line that the origin reads
// otherwise than we do would smuggle a request.
func RequestBody(m *Message) Body {
	return Body{Framing: m.Framing, left: m.Length, strict: true}
}

// ResponseBody finds the end of a response's body. It takes lines that end in LF alone, as browsers
// do, and notes them in Lax: no other response may follow on that connection.
func ResponseBody(m *Message) Body {
	return Body{Framing: m.Framing, left: m.Length}
}

// Done reports that the body is complete. One that ends with the connection never is.
func (b *Body) Done() bool {
	switch b.Framing {
	case Sized:
		return b.left == 0
	case Chunked:
		return b.state == chunkEnd
	}
	return b.Framing == NoBody
}

// Take returns how many bytes at the start of p belong to the body. On an error, which is an *Error
// or ErrBodyTooLong, p[:n] is the part before the fault.
func (b *Body) Take(p []byte) (n int, err error) {
	n, err = b.find(p)
	if over := b.taken + int64(n) - b.Most; b.Most > 0 && over > 0 {
		n -= int(min(over, int64(n))) // Most may have become less on the way
		err = ErrBodyTooLong
	}
	b.taken += int64(n)
	return n, err
}

// find is Take without the limit.
func (b *Body) find(p []byte) (n int, err error) {
	switch b.Framing {
	case Sized:
		n = int(min(int64(len(p)), b.left))
		b.left -= int64(n)
		return n, nil
	case Chunked:
		return b.takeChunked(p)
	case UntilClose:
		return len(p), nil
	}
	return 0, nil
}

func (b *Body) takeChunked(p []byte) (n int, err error) {
	for n < len(p) && b.state != chunkEnd {
		if b.state == inData {
			data := int(min(int64(len(p)-n), b.left))
			n += data
			if b.left -= int64(data); b.left == 0 {
				b.state = afterData
			}
			continue
		}
		if b.state == inExtension {
			n += b.skipExtension(p[n:])
			if n == len(p) {
				break
			}
		}
		if err := b.step(p[n]); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// skipExtension passes what lies before the next line end or fault of an extension in one go.
func (b *Body) skipExtension(p []byte) int {
	if b.cr {
		return 0
	}
	i := bytes.IndexAny(p, "\r\n\x00")
	if i < 0 {
		i = len(p)
	}
	i = min(i, maxChunkLine-b.line)
	b.line += i
	return i
}

// step takes one byte of a chunked body's framing.
func (b *Body) step(c byte) error {
	if b.line++; b.line > maxChunkLine && b.state != inTrailer {
		return Refuse("a chunk size line over 16 KiB")
	}
	if b.cr && c != '\n' || c == 0 {
		return Refuse("a stray CR or NUL in the chunk framing")
	}
	if c == '\r' {
		b.cr = true
		return nil
	}
	if c == '\n' && !b.cr {
		if b.strict {
			return Refuse("an LF without CR in the chunk framing")
		}
		b.Lax = true
	}
	b.cr = false
	switch b.state {
	case inSize:
		return b.size(c)
	case inSpace:
		return b.space(c)
	case inExtension:
		if c == '\n' {
			b.sizeEnds()
		}
	case afterData:
		if c != '\n' {
			return Refuse("a chunk longer than its size")
		}
		b.state, b.line = inSize, 0
	case inTrailer:
		return b.trailerByte(c)
	}
	return nil
}

// size takes a byte of a chunk's size.
func (b *Body) size(c byte) error {
	d, ok := hexDigit(c)
	switch {
	case ok && b.digits == 15:
		return Refuse("a chunk size of over 15 digits")
	case ok:
		b.left, b.digits = b.left<<4|int64(d), b.digits+1
	case b.digits == 0:
		return Refuse(fmt.Sprintf("a chunk size that begins with %q", c))
	default:
		return b.space(c)
	}
	return nil
}

// space takes what may stand behind a size. Old servers pad it; something other than an extension
// there could be more of the size to a sloppy reader.
func (b *Body) space(c byte) error {
	switch {
	case c == ' ' || c == '\t':
		b.state = inSpace
	case c == ';':
		b.state = inExtension
	case c == '\n':
		b.sizeEnds()
	default:
		return Refuse(fmt.Sprintf("a chunk size with %q behind it", c))
	}
	return nil
}

// sizeEnds begins what the size announces: a chunk's data, or behind a size of 0 the trailer.
func (b *Body) sizeEnds() {
	b.state, b.line, b.digits = inData, 0, 0
	if b.left == 0 {
		b.state = inTrailer
	}
}

// trailerByte follows the trailer section to its empty line.
func (b *Body) trailerByte(c byte) error {
	if b.trailer++; b.trailer > maxTrailer {
		return Refuse("a trailer section over 1 MiB")
	}
	if c != '\n' {
		b.digits++
		return nil
	}
	if b.digits == 0 {
		b.state = chunkEnd
	}
	b.digits = 0
	return nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
