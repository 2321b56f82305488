package recorder

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"hash"
	"io"

	"warcorder/recorder/sha1pair"
)

// algorithm is that of the digests in WARC records and CDXJ lines.
type algorithm uint8

const (
	sha1Digest algorithm = iota // "sha1:BASE32", as the tools of the field have it
	// "sha256:hex", in lower case: base32 of 32 bytes would need padding, which jwarc refuses
	sha256Digest
)

func (a algorithm) new() hash.Hash {
	if a == sha256Digest {
		return sha256.New()
	}
	return sha1.New()
}

// sum is a digest.
type sum struct {
	algorithm
	bytes [sha256.Size]byte // of SHA-1 the first 20
}

// of returns the digest of b.
func (a algorithm) of(b []byte) sum {
	s := sum{algorithm: a}
	if a == sha256Digest {
		s.bytes = sha256.Sum256(b)
	} else {
		*(*[sha1.Size]byte)(s.bytes[:]) = sha1.Sum(b)
	}
	return s
}

// sumOf returns the digest of what has been written to h.
func (a algorithm) sumOf(h hash.Hash) sum {
	s := sum{algorithm: a}
	h.Sum(s.bytes[:0])
	return s
}

// append appends the digest as WARC and CDXJ spell it.
func (s *sum) append(dst []byte) []byte {
	if s.algorithm == sha256Digest {
		return hex.AppendEncode(append(dst, "sha256:"...), s.bytes[:])
	}
	return base32.StdEncoding.AppendEncode(append(dst, "sha1:"...), s.bytes[:sha1.Size])
}

func (s *sum) String() string {
	var b [len("sha256:") + 2*sha256.Size]byte
	return string(s.append(b[:0]))
}

// digester says which digests records have. The zero digester is SHA-1, with the payload as it
// crossed the wire.
type digester struct {
	algorithm
	// the payload is the body without its transfer coding (RFC 2616 section 7.2, which WARC 1.1
	// names), not what follows the HTTP header as it is stored
	entity bool
}

// decodes reports whether the payload is other than what follows the head.
func (d digester) decodes(h *head) bool { return d.entity && h.chunked }

// sumBytes returns the digests of a block and of its payload, which follows the head.
func (d digester) sumBytes(block []byte, h *head) (whole, payload sum) {
	if d.algorithm != sha1Digest || d.decodes(h) {
		return d.of(block), d.payload(block[h.size:], h)
	}
	return sha1Sums(sha1pair.Sum(block, h.size))
}

func sha1Sums(block, payload [sha1.Size]byte) (a, b sum) {
	*(*[sha1.Size]byte)(a.bytes[:]) = block
	*(*[sha1.Size]byte)(b.bytes[:]) = payload
	return a, b
}

// payload returns the payload digest of a body.
func (d digester) payload(body []byte, h *head) sum {
	if !d.decodes(h) {
		return d.of(body)
	}
	var chunks dechunker
	sum := d.new()
	for len(body) > 0 {
		var data []byte
		data, body = chunks.next(body)
		sum.Write(data)
	}
	return d.sumOf(sum)
}

// sumReader is sumBytes for a block that is read once; buf is what it is read through. What follows
// the head goes to content too, unless that is nil.
func (d digester) sumReader(block io.Reader, h *head, buf []byte,
	content *content) (whole, payload sum, err error) {
	sums := d.sumsOf(h)
	left := h.size // of the head
	for err == nil {
		var n int
		n, err = block.Read(buf)
		skip := min(left, n)
		left -= skip
		body := buf[skip:n]
		if content != nil {
			content.write(body)
		}
		sums.write(buf[:skip], body)
	}
	if err == io.EOF {
		err = nil
	}
	whole, payload = sums.end()
	return whole, payload, err
}

// sums makes the digests of a block that comes in parts, and of its payload.
type sums struct {
	digester
	pair           *sha1pair.Pair // or nil, and these:
	block, payload hash.Hash
	chunked        bool // the payload is what is in the chunks
	chunks         dechunker
}

func (d digester) sumsOf(h *head) *sums {
	if d.algorithm == sha1Digest && !d.decodes(h) {
		return &sums{pair: sha1pair.New()}
	}
	return &sums{digester: d, block: d.new(), payload: d.new(), chunked: d.decodes(h)}
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
		data, body = s.chunks.next(body)
		s.payload.Write(data)
	}
}

func (s *sums) end() (block, payload sum) {
	if s.pair != nil {
		return sha1Sums(s.pair.Sums())
	}
	return s.sumOf(s.block), s.sumOf(s.payload)
}
