package warc

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"warcorder/store/warc/deflate"
)

// RecordEnd is what follows the block of every record (WARC 1.1 section 4).
const RecordEnd = "\r\n\r\n"

const (
	memberHeader = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff" +
		"\x0c\x00sl\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	bareHeader    = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // without `sl`
	memberTrailer = 8
	skipLengths   = 16    // offset of the two numbers of `sl` in a member
	maxStored     = 65535 // bytes in one stored block (RFC 1951 section 3.2.4)
	storedHeader  = 5     // bytes of its header, if that begins on a byte boundary
	heads         = 2     // the first parts are headers, of WARC and of HTTP
	// smallPart is up to how many bytes a part shares a block with its neighbours: a table of codes of
	// its own would take more bytes than it saves.
	smallPart = 3 << 10
)

// Compressor makes gzip members of one record each, with the `sl` extra field. The zero value is
// ready. A Compressor that has been used keeps about 64 KB of tables, after Stream 256 KB more:
// keep one per worker. A Compressor is not safe for concurrent use.
type Compressor struct {
	NoSkipLengths bool       // leaves `sl` out
	Inspector     *Inspector // which all Compressors of a recorder share, or nil

	exchanges uint64
	inspected bool // the members of this exchange are inflated again
	deflate   deflate.Encoder
	plain     plainEncoder
	crc       uint32
	size      int64  // bytes of the record so far
	small     []byte // parts that share a block
	chunk     []byte // a piece of a streamed body
	encoded   []byte // that piece, deflated
}

// NewCompressor returns a Compressor.
func NewCompressor() *Compressor { return new(Compressor) }

// Append appends one member to dst. The record in it consists of parts: the WARC header, the block
// in one or more parts, and RecordEnd. parts[stored:] go into stored blocks, for bodies that are
// compressed already; with a negative stored, all parts are deflated.
func (c *Compressor) Append(dst []byte, parts [][]byte, stored int) []byte {
	text, raw := parts, [][]byte(nil)
	if stored >= 0 {
		text, raw = parts[:stored], parts[stored:]
	}
	if c.isPlain() {
		return c.appendPlain(dst, text, raw)
	}
	start := len(dst)
	c.begin(append(slices.Grow(dst, memberSize(text, raw)), c.header()...))
	c.sum(parts...)
	c.deflateParts(text, raw == nil)
	if raw != nil {
		c.deflate.Store(true, raw...)
	}
	dst = c.deflate.End()
	spoil(dst[start+len(c.header()):])
	dst = c.finish(dst, start)
	if c.inspected {
		if err := inflateMember(dst[start:]); err != nil {
			c.Inspector.poison(err)
			return c.appendPlain(dst[:start], text, raw)
		}
	}
	return dst
}

// finish appends the trailer of the member that begins at start in dst, and fills in its `sl`.
func (c *Compressor) finish(dst []byte, start int) []byte {
	dst = c.appendTrailer(dst)
	if !c.NoSkipLengths {
		putSkipLengths(dst[start+skipLengths:], int64(len(dst)-start), c.size)
	}
	return dst
}

// header returns the gzip header of a member.
func (c *Compressor) header() string {
	if c.NoSkipLengths {
		return bareHeader
	}
	return memberHeader
}

// begin begins a member behind dst.
func (c *Compressor) begin(dst []byte) {
	c.crc, c.size = 0, 0
	c.deflate.Begin(dst)
}

// deflateParts deflates parts. Small parts that follow one another share a block.
func (c *Compressor) deflateParts(parts [][]byte, final bool) {
	c.small = c.small[:0]
	kind := deflate.Head
	for i, p := range parts {
		if len(p) <= smallPart {
			c.small = append(c.small, p...)
			if i >= heads && len(p) > len(RecordEnd) {
				kind = deflate.Body
			}
			continue
		}
		if len(c.small) > 0 {
			c.deflate.Deflate(c.small, kind, false)
		}
		c.deflate.Deflate(p, deflate.Body, false)
		c.small, kind = c.small[:0], deflate.Body
	}
	if final || len(c.small) > 0 {
		c.deflate.Deflate(c.small, kind, final)
	}
}

func (c *Compressor) sum(parts ...[]byte) {
	for _, p := range parts {
		c.crc = crc32.Update(c.crc, crc32.IEEETable, p)
		c.size += int64(len(p))
	}
}

// appendTrailer appends the record's crc32 and its size modulo 2^32.
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

// memberSize estimates the length of a member, with the room that an Encoder asks for. Text shrinks
// to less than a half as a rule; stored bytes grow by the headers of their blocks.
func memberSize(text, raw [][]byte) int {
	deflated, stored := length(text), length(raw)
	return len(memberHeader) + deflated/2 + deflate.Room(deflated) +
		stored + (stored/maxStored+2)*storedHeader + memberTrailer
}

func length(parts [][]byte) int {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	return n
}
