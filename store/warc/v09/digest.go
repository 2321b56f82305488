package v09

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/hex"
	"hash"
	"io"
	"math"
	"strings"
)

// hashes are the algorithms whose digests can be checked, by their names.
var hashes = map[string]func() hash.Hash{
	"md5":    md5.New,
	"sha1":   sha1.New,
	"sha256": sha256.New,
	"sha512": sha512.New,
}

// claim is the digest in a field.
type claim struct {
	algorithm string // a key of hashes
	text      string // the value of the digest, as the field spells it
	sum       []byte
}

// parseClaim parses "algorithm:value", the value in hexadecimal or base32; ok is false if the
// digest cannot be checked.
func parseClaim(s string) (c claim, ok bool) {
	name, text, _ := strings.Cut(s, ":")
	c = claim{algorithm: strings.ReplaceAll(strings.ToLower(name), "-", ""), text: text}
	newHash, ok := hashes[c.algorithm]
	if !ok {
		return c, false
	}
	size := newHash().Size()
	var err error
	if len(text) == hex.EncodedLen(size) {
		c.sum, err = hex.DecodeString(text)
	} else {
		unpadded := base32.StdEncoding.WithPadding(base32.NoPadding)
		c.sum, err = unpadded.DecodeString(strings.ToUpper(strings.TrimRight(text, "=")))
	}
	return c, err == nil && len(c.sum) == size
}

// String spells the digest as WARC 1.1 does; the spelling of the value stays.
func (c claim) String() string { return c.algorithm + ":" + c.text }

// holds reports whether the digest is that of block.
func (c claim) holds(block io.Reader) (bool, error) {
	h := hashes[c.algorithm]()
	if _, err := io.Copy(h, block); err != nil {
		return false, err
	}
	return bytes.Equal(h.Sum(nil), c.sum), nil
}

// sha1Of returns the digest of block as the recorder spells it.
func sha1Of(block io.Reader) (string, error) {
	h := sha1.New()
	if _, err := io.Copy(h, block); err != nil {
		return "", err
	}
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil)), nil
}

// maxHTTP is how far into a message the end of its head is looked for, as the recorder does. A
// message without such an end is all head.
const maxHTTP = 1<<20 + 64<<10

// payloadDigest returns the digest of what follows the head of an HTTP message as stored, the
// framing of chunks included, and the message's first line.
func payloadDigest(message io.Reader) (startLine, digest string, err error) {
	limited := &io.LimitedReader{R: message, N: maxHTTP}
	in := bufio.NewReader(limited)
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if n == 0 {
			startLine = strings.TrimRight(line, "\r\n")
		}
		if err == io.EOF {
			digest, err = sha1Of(strings.NewReader(""))
			return startLine, digest, err
		}
		if err != nil {
			return "", "", err
		}
		if isBlank([]byte(line)) {
			break
		}
	}
	limited.N = math.MaxInt64
	digest, err = sha1Of(in)
	return startLine, digest, err
}
