package warc

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/flate"
)

// RecordEnd is what follows the block of every record (WARC 1.1 section 4).
const RecordEnd = "\r\n\r\n"

const (
	memberHeader  = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x0c\x00sl\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	bareHeader    = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // without `sl`
	memberTrailer = 8
	skipLengths   = 16    // where in a member the two numbers of `sl` lie
	maxStored     = 65535 // bytes in one stored block (RFC 1951 section 3.2.4)
	storedHeader  = 5     // bytes before them, when they begin on a byte boundary
)

// Compressor makes gzip members that hold one record each, with the `sl` extra field. The zero value is ready. Once used it holds about 1 MB of
// tables: keep one per worker. It is not safe for concurrent use.
type Compressor struct {
	NoSkipLengths bool // the members have no `sl`

	deflate *flate.Writer
	out     appender
	crc     uint32
	size    int64  // bytes of the record so far
	chunk   []byte // a piece of a streamed body
}

// NewCompressor returns a Compressor.
func NewCompressor() *Compressor { return new(Compressor) }

// Append appends one member to dst that holds the parts, one after another: the WARC header, the block in one or more parts, and RecordEnd as the
// last. The parts from the one numbered stored on go into stored blocks of deflate: for bodies that are compressed already; a negative
// stored deflates all.
func (c *Compressor) Append(dst []byte, parts [][]byte, stored int) []byte {
	text, raw := parts, [][]byte(nil)
	if stored >= 0 {
		text, raw = parts[:stored], parts[stored:]
	}
	start := len(dst)
	c.out = append(slices.Grow(dst, memberSize(text, raw)), c.header()...)
	c.begin(&c.out)
	// The deflater writes into memory: it cannot fail.
	for _, p := range text {
		c.write(p)
	}
	if raw == nil {
		_ = c.deflate.Close()
	} else {
		_ = c.deflate.Flush()
		c.appendStored(raw)
	}
	c.out = c.appendTrailer(c.out)
	dst, c.out = c.out, nil
	if !c.NoSkipLengths {
		putSkipLengths(dst[start+skipLengths:], int64(len(dst)-start), c.size)
	}
	return dst
}

// header is what a member begins with.
func (c *Compressor) header() string {
	if c.NoSkipLengths {
		return bareHeader
	}
	return memberHeader
}

// begin starts a new member whose deflated bytes go to w.
func (c *Compressor) begin(w io.Writer) {
	c.crc, c.size = 0, 0
	if c.deflate == nil {
		c.deflate, _ = flate.NewWriter(w, flate.BestSpeed) // only an unknown level is an error
		return
	}
	c.deflate.Reset(w)
}

// write deflates p.
func (c *Compressor) write(p []byte) error {
	c.sum(p)
	_, err := c.deflate.Write(p)
	return err
}

func (c *Compressor) sum(p []byte) {
	c.crc = crc32.Update(c.crc, crc32.IEEETable, p)
	c.size += int64(len(p))
}

// appendStored appends parts as stored blocks, the last of which ends the deflate stream. A block may hold the end of one part and the
// beginning of the next, so that the four bytes of RecordEnd cost no block of their own.
func (c *Compressor) appendStored(parts [][]byte) {
	left := length(parts)
	room := 0 // in the block that has been begun
	if left == 0 {
		c.out = appendStoredHeader(c.out, 0, true)
	}
	for _, p := range parts {
		c.sum(p)
		for len(p) > 0 {
			if room == 0 {
				room = min(left, maxStored)
				left -= room
				c.out = appendStoredHeader(c.out, room, left == 0)
			}
			n := min(room, len(p))
			c.out = append(c.out, p[:n]...)
			p, room = p[n:], room-n
		}
	}
}

// appendStoredHeader appends the head of a stored block of n bytes; dst ends on a byte boundary (RFC 1951 section 3.2.4).
func appendStoredHeader(dst []byte, n int, final bool) []byte {
	var last byte
	if final {
		last = 1
	}
	return append(dst, last, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
}

// appendTrailer appends the crc32 and the size modulo 2^32 of the record.
func (c *Compressor) appendTrailer(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, c.crc)
	return binary.LittleEndian.AppendUint32(dst, uint32(c.size))
}

// putSkipLengths fills the two numbers of `sl`, with zeros if one of them does not fit.
func putSkipLengths(dst []byte, compressed, uncompressed int64) {
	if compressed > math.MaxUint32 || uncompressed > math.MaxUint32 {
		compressed, uncompressed = 0, 0
	}
	binary.LittleEndian.PutUint32(dst, uint32(compressed))
	binary.LittleEndian.PutUint32(dst[4:], uint32(uncompressed))
}

// memberSize estimates how long a member will be: text shrinks to less than a half as a rule, stored bytes grow by their blocks' heads.
func memberSize(text, raw [][]byte) int {
	stored := length(raw)
	return len(memberHeader) + length(text)/2 + 64 + stored + (stored/maxStored+2)*storedHeader + memberTrailer
}

func length(parts [][]byte) int {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// appender is a Writer into memory.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}
