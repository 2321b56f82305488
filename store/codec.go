package store

import (
	"encoding/base32"
	"encoding/binary"
)

// appendText appends a text as it stands in a value: a uvarint of its length, and the bytes.
func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

const sha1Prefix = "sha1:" // of a digest as a capture has it

// appendDigest appends the 20 bytes of a digest that is "sha1:" and base32, if appendSHA1 would
// spell it the same.
func appendDigest(dst []byte, digest string) ([]byte, bool) {
	if len(digest) != len(sha1Prefix)+32 || digest[:len(sha1Prefix)] != sha1Prefix {
		return dst, false
	}
	var text [32]byte
	copy(text[:], digest[len(sha1Prefix):])
	dst = append(dst, 20)
	sum, err := base32.StdEncoding.AppendDecode(dst, text[:])
	return sum, err == nil && len(sum) == len(dst)+20 // fewer if the text held a line break
}

// appendSHA1 appends the text of a SHA-1.
func appendSHA1(dst, sum []byte) []byte {
	return base32.StdEncoding.AppendEncode(append(dst, sha1Prefix...), sum)
}

// commonStart returns how many bytes a and b have in common at their beginnings.
func commonStart[A, B string | []byte](a A, b B) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonEnd returns how many bytes a and b have in common at their ends. A URL and its key have the
// path in common, as a rule.
func commonEnd[A, B string | []byte](a A, b B) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// reader takes a value apart. After an error everything that it returns is empty.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.failed = true
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *reader) uint32() uint32 {
	if len(r.rest) < 4 {
		r.failed, r.rest = true, nil
		return 0
	}
	n := binary.BigEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return n
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<62 { // we write no number as large
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) text() []byte {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return nil
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}
