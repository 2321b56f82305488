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
	memberHeader  = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x0c\x00sl\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	bareHeader    = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // without `sl`
	memberTrailer = 8
	skipLengths   = 16    // where in a member the two numbers of `sl` lie
	maxStored     = 65535 // bytes in one stored block (RFC 1951 section 3.2.4)
	storedHeader  = 5     // bytes before them, when they begin on a byte boundary
	heads         = 2     // parts that are headers, of WARC and of HTTP
	// bytes of a part that shares a block with its neighbours: another table would take more than it
	// saves
	smallPart = 3 << 10
)

// Compressor makes gzip members that hold one record each, with the `sl` extra field. The zero
// value is ready. Once used it holds about 64 KB of tables, and after Stream 256 KB more: keep one
// per worker. It is not safe for concurrent use.
type Compressor struct {
	NoSkipLengths bool   // the members have no `sl`
	Probe         *Probe // which all Compressors of a recorder share, or nil

	probed  bool // members are inflated again
	deflate deflate.Encoder
	plain   plainEncoder
	crc     uint32
	size    int64  // bytes of the record so far
	small   []byte // parts that share a block
	chunk   []byte // a piece of a streamed body
	encoded []byte // and what becomes of it
}

// NewCompressor returns a Compressor.
func NewCompressor() *Compressor { return new(Compressor) }

// Append appends one member to dst that holds the parts, one after another: the WARC header, the
// block in one or more parts, and RecordEnd as the last. The parts from the one numbered stored on
// go into stored blocks of deflate: for bodies that are compressed already; a negative stored
// deflates all.
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
	if c.probed {
		if err := inflateMember(dst[start:]); err != nil {
			c.Probe.poison(err)
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

// header is what a member begins with.
func (c *Compressor) header() string {
	if c.NoSkipLengths {
		return bareHeader
	}
	return memberHeader
}

// begin starts a new member behind dst.
func (c *Compressor) begin(dst []byte) {
	c.crc, c.size = 0, 0
	c.deflate.Begin(dst)
}

// deflateParts deflates parts. Small ones that follow each other share a block.
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

// memberSize estimates how long a member will be, with the room that an Encoder asks for: text
// shrinks to less than a half as a rule, stored bytes grow by their blocks' heads.
func memberSize(text, raw [][]byte) int {
	deflated, stored := length(text), length(raw)
	return len(memberHeader) + deflated/2 + deflate.Room(
		deflated) + stored + (stored/maxStored+2)*storedHeader + memberTrailer
}

func length(parts [][]byte) int {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	return n
}
