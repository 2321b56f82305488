package proxy

import (
	"bytes"
	"errors"
	"fmt"
)

// body finds the end of one message's body in the bytes that pass, without changing or holding any.
// The zero value is a message without a body.
type body struct {
	framing framing
	left    int64 // sized: bytes to come; chunked: data bytes of the current chunk to come
	state   chunkState
	digits  int // hex digits of the chunk size seen
	line    int // bytes of the current line seen
	trailer int // bytes of all trailer lines seen
	cr      bool
	strict  bool // lines end in CRLF only: an LF alone ends a line for some readers and not for others
	lax     bool // what strict would refuse was there

	most  int64 // bytes that it may have on the wire; 0: any number
	taken int64
}

var errBodyTooLong = errors.New("the body is larger than max-body-size")

// chunkState is where in a chunked body the next byte belongs (RFC 9112 section 7.1).
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

// requestBody is strict: a chunk line that the origin reads otherwise than we do would smuggle a
// request.
func requestBody(m *message) body {
	return body{framing: m.framing, left: m.length, strict: true}
}

func responseBody(m *message) body {
	return body{framing: m.framing, left: m.length}
}

// done reports that the body is complete. One that ends with the connection never is.
func (b *body) done() bool {
	switch b.framing {
	case sized:
		return b.left == 0
	case chunked:
		return b.state == chunkEnd
	}
	return b.framing == noBody
}

// take returns how many bytes at the start of p belong to the body. On an error p[:n] is the part
// before the fault.
func (b *body) take(p []byte) (n int, err error) {
	n, err = b.find(p)
	if over := b.taken + int64(n) - b.most; b.most > 0 && over > 0 {
		n -= int(over)
		err = errBodyTooLong
	}
	b.taken += int64(n)
	return n, err
}

func (b *body) find(p []byte) (n int, err error) {
	switch b.framing {
	case sized:
		n = int(min(int64(len(p)), b.left))
		b.left -= int64(n)
		return n, nil
	case chunked:
		return b.takeChunked(p)
	case untilClose:
		return len(p), nil
	}
	return 0, nil
}

func (b *body) takeChunked(p []byte) (n int, err error) {
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
func (b *body) skipExtension(p []byte) int {
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
func (b *body) step(c byte) error {
	if b.line++; b.line > maxChunkLine && b.state != inTrailer {
		return refuse("a chunk size line over 16 KiB")
	}
	if b.cr && c != '\n' || c == 0 {
		return refuse("a stray CR or NUL in the chunk framing")
	}
	if c == '\r' {
		b.cr = true
		return nil
	}
	if c == '\n' && !b.cr {
		if b.strict {
			return refuse("an LF without CR in the chunk framing")
		}
		b.lax = true
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
			return refuse("a chunk longer than its size")
		}
		b.state, b.line = inSize, 0
	case inTrailer:
		return b.trailerByte(c)
	}
	return nil
}

func (b *body) size(c byte) error {
	d, ok := hexDigit(c)
	switch {
	case ok && b.digits == 15:
		return refuse("a chunk size of over 15 digits")
	case ok:
		b.left, b.digits = b.left<<4|int64(d), b.digits+1
	case b.digits == 0:
		return refuse(fmt.Sprintf("a chunk size that begins with %q", c))
	default:
		return b.space(c)
	}
	return nil
}

// space takes what may stand behind a size. Old servers pad it; something other than an extension
// there could be more of the size to a sloppy reader.
func (b *body) space(c byte) error {
	switch {
	case c == ' ' || c == '\t':
		b.state = inSpace
	case c == ';':
		b.state = inExtension
	case c == '\n':
		b.sizeEnds()
	default:
		return refuse(fmt.Sprintf("a chunk size with %q behind it", c))
	}
	return nil
}

func (b *body) sizeEnds() {
	b.state, b.line, b.digits = inData, 0, 0
	if b.left == 0 {
		b.state = inTrailer
	}
}

// trailerByte follows the trailer section to its empty line.
func (b *body) trailerByte(c byte) error {
	if b.trailer++; b.trailer > maxTrailer {
		return refuse("a trailer section over 1 MiB")
	}
	if c != '\n' {
		b.digits++ // here: bytes of the line that are not its end
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
