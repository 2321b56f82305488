package verify

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// digest is the labelled digest in a field (WARC 1.1 section 5.8).
type digest struct {
	algorithm string // "sha1"
	sum       []byte
	text      string // the field's value
}

// algorithms are the hashes that can be computed, by their label.
var algorithms = map[string]func() hash.Hash{
	"md5":    md5.New,
	"sha1":   sha1.New,
	"sha256": sha256.New,
	"sha384": sha512.New384,
	"sha512": sha512.New,
}

// errAlgorithm says that an algorithm is not known.
type errAlgorithm string

func (e errAlgorithm) Error() string {
	return fmt.Sprintf("the algorithm %q is not known here", string(e))
}

// unpadded is base32 without the = that fill up the text.
var unpadded = base32.StdEncoding.WithPadding(base32.NoPadding)

// parseDigest parses a digest in base32 or hexadecimal digits, in upper or lower case.
func parseDigest(text string) (digest, error) {
	label, value, found := strings.Cut(text, ":")
	if !found || label == "" || value == "" {
		return digest{}, fmt.Errorf("%s is not algorithm:value", quote(text))
	}
	d := digest{algorithm: strings.ReplaceAll(strings.ToLower(label), "-", ""), text: text}
	open, known := algorithms[d.algorithm]
	if !known {
		return digest{}, errAlgorithm(label)
	}
	size := open().Size()
	var err error
	if len(value) == hex.EncodedLen(size) {
		d.sum, err = hex.DecodeString(value)
	} else {
		d.sum, err = unpadded.DecodeString(strings.TrimRight(strings.ToUpper(value), "="))
	}
	if err != nil || len(d.sum) != size {
		return digest{}, fmt.Errorf("%s is no %s digest", quote(text), d.algorithm)
	}
	return d, nil
}

// sums computes several digests of the same bytes.
type sums map[string]hash.Hash

// sumsFor returns sums with the algorithms of the digests; nil if there are none.
func sumsFor(digests []digest) sums {
	var s sums
	for _, d := range digests {
		if s == nil {
			s = make(sums)
		}
		if s[d.algorithm] == nil {
			s[d.algorithm] = algorithms[d.algorithm]()
		}
	}
	return s
}

func (s sums) write(p []byte) {
	for _, h := range s {
		h.Write(p)
	}
}

// is reports whether d is the digest of the bytes that were written.
func (s sums) is(d digest) bool { return bytes.Equal(s[d.algorithm].Sum(nil), d.sum) }

// of returns the digest of the bytes that were written, spelled as d is.
func (s sums) of(d digest) string {
	sum := s[d.algorithm].Sum(nil)
	label, value, _ := strings.Cut(d.text, ":")
	if len(value) == hex.EncodedLen(len(sum)) {
		return label + ":" + hex.EncodeToString(sum)
	}
	return label + ":" + unpadded.EncodeToString(sum)
}
