package record

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"hash"
	"io"

	"warcorder/recorder/sha1pair"
	"warcorder/store/chunks"
)

// Algorithm is that of the digests in WARC records and CDXJ lines.
type Algorithm uint8

const (
	SHA1 Algorithm = iota // "sha1:BASE32", as the tools of the field have it
	// "sha256:hex", in lower case: base32 of 32 bytes would need padding, which jwarc refuses
	SHA256
)

// NewHash returns a hash of the algorithm, for DigestOf.
func (a Algorithm) NewHash() hash.Hash {
	if a == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// Digest is the digest of a block or a payload.
type Digest struct {
	Algorithm
	bytes [sha256.Size]byte // of SHA-1 the first 20
}

// SumBytes returns the digest of b.
func (a Algorithm) SumBytes(b []byte) Digest {
	d := Digest{Algorithm: a}
	if a == SHA256 {
		d.bytes = sha256.Sum256(b)
	} else {
		*(*[sha1.Size]byte)(d.bytes[:]) = sha1.Sum(b)
	}
	return d
}

// DigestOf returns the digest of what has been written to h, which NewHash of the same algorithm
// made.
func (a Algorithm) DigestOf(h hash.Hash) Digest {
	d := Digest{Algorithm: a}
	h.Sum(d.bytes[:0])
	return d
}

// Append appends the digest as WARC and CDXJ spell it, with its label.
func (d *Digest) Append(dst []byte) []byte {
	if d.Algorithm == SHA256 {
		return hex.AppendEncode(append(dst, "sha256:"...), d.bytes[:])
	}
	return base32.StdEncoding.AppendEncode(append(dst, "sha1:"...), d.bytes[:sha1.Size])
}

// String is the digest as WARC and CDXJ spell it.
func (d *Digest) String() string {
	var b [len("sha256:") + 2*sha256.Size]byte
	return string(d.Append(b[:0]))
}

// Digester says which digests records have. The zero Digester is SHA-1, of the payload as it
// crossed the wire.
type Digester struct {
	Algorithm

	// Entity says that the payload is the body without its transfer coding (RFC 2616 section 7.2,
	// which WARC 1.1 names), and not what follows the HTTP header as it is stored.
	Entity bool
}

// decodes reports whether the payload is other than what follows the head.
func (d Digester) decodes(h *Head) bool { return d.Entity && h.Chunked }

// sumMessage returns the digests of a block and of its payload, which follows the head.
func (d Digester) sumMessage(block []byte, h *Head) (whole, payload Digest) {
	if d.Algorithm != SHA1 || d.decodes(h) {
		return d.SumBytes(block), d.payload(block[h.Size:], h)
	}
	return sha1Sums(sha1pair.Sum(block, h.Size))
}

// sha1Sums returns two SHA-1 sums as digests.
func sha1Sums(block, payload [sha1.Size]byte) (a, b Digest) {
	*(*[sha1.Size]byte)(a.bytes[:]) = block
	*(*[sha1.Size]byte)(b.bytes[:]) = payload
	return a, b
}

// PayloadDigest returns the payload digest of a response, of which Sum need not have been called if its
// body is in memory; tells is false if the digest depends on how the body was cut into chunks.
func (m *Message) PayloadDigest(d Digester) (payload Digest, tells bool) {
	if m.Chunked && !d.Entity {
		return payload, false
	}
	if int64(len(m.Start)+len(m.Body)) < m.Length {
		return m.Payload, true
	}
	return d.payload(m.Body, &m.Head), true
}

// payload returns the payload digest of a body.
func (d Digester) payload(body []byte, h *Head) Digest {
	if !d.decodes(h) {
		return d.SumBytes(body)
	}
	var coding chunks.Decoder
	sum := d.NewHash()
	for len(body) > 0 {
		var data []byte
		data, body = coding.Next(body)
		sum.Write(data)
	}
	return d.DigestOf(sum)
}

// SumReader returns the digests of a block with that head, and of its payload, in one pass through
// buf. What follows the head is written to content too, unless content is nil. The error is one of
// block.
func (d Digester) SumReader(block io.Reader, h *Head, buf []byte,
	content *Content) (whole, payload Digest, err error) {
	sums := d.sumsOf(h)
	left := h.Size // of the head
	for err == nil {
		var n int
		n, err = block.Read(buf)
		skip := min(left, n)
		left -= skip
		body := buf[skip:n]
		if content != nil {
			content.Write(body)
		}
		sums.write(buf[:skip], body)
	}
	if err == io.EOF {
		err = nil
	}
	whole, payload = sums.end()
	return whole, payload, err
}

// sums makes the digests of a block that comes in parts, and of the block's payload.
type sums struct {
	Digester
	pair           *sha1pair.Pair // both digests at once; nil if the fields below make them
	block, payload hash.Hash
	chunked        bool // the payload is what is in the chunks
	chunks         chunks.Decoder
}

// sumsOf begins the digests of a block with that head.
func (d Digester) sumsOf(h *Head) *sums {
	if d.Algorithm == SHA1 && !d.decodes(h) {
		return &sums{pair: sha1pair.New()}
	}
	return &sums{Digester: d, block: d.NewHash(), payload: d.NewHash(), chunked: d.decodes(h)}
}

// write takes more of the head, and of the body that follows it.
func (s *sums) write(head, body []byte) {
	if s.pair != nil {
		s.pair.WriteHead(head)
		s.pair.WriteBody(body)
		return
	}
	s.block.Write(head)
	s.block.Write(body)
	if !s.chunked {
		s.payload.Write(body)
		return
	}
	for len(body) > 0 {
		var data []byte
		data, body = s.chunks.Next(body)
		s.payload.Write(data)
	}
}

func (s *sums) end() (block, payload Digest) {
	if s.pair != nil {
		return sha1Sums(s.pair.Sums())
	}
	return s.DigestOf(s.block), s.DigestOf(s.payload)
}
