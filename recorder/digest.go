package recorder

import (
	"crypto/sha1"
	"encoding/base32"
	"io"
)

// sum is a SHA-1 digest.
type sum [sha1.Size]byte

// noBytes is the digest of an empty payload.
var noBytes = sum(sha1.Sum(nil))

// append appends the digest as WARC and CDXJ spell it: sha1:BASE32.
func (s *sum) append(dst []byte) []byte {
	return base32.StdEncoding.AppendEncode(append(dst, "sha1:"...), s[:])
}

func (s *sum) String() string {
	var b [len("sha1:") + 32]byte
	return string(s.append(b[:0]))
}

// sumBytes returns the digests of a block and of its payload, which begins headSize bytes into it.
func sumBytes(block []byte, headSize int) (whole, payload sum) {
	whole, payload = sha1.Sum(block), noBytes
	if headSize < len(block) {
		payload = sha1.Sum(block[headSize:])
	}
	return whole, payload
}

// sumReader is sumBytes for a block that is read once; buf is what it is read through.
func sumReader(block io.Reader, headSize int64, buf []byte) (whole, payload sum, err error) {
	ofBlock, ofPayload := sha1.New(), sha1.New()
	var at int64
	for err == nil {
		var n int
		n, err = block.Read(buf)
		ofBlock.Write(buf[:n])
		skip := min(max(headSize-at, 0), int64(n))
		ofPayload.Write(buf[skip:n])
		at += int64(n)
	}
	if err == io.EOF {
		err = nil
	}
	ofBlock.Sum(whole[:0])
	ofPayload.Sum(payload[:0])
	return whole, payload, err
}
