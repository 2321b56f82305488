package readback

import (
	"bytes"
	"encoding/base32"
	"encoding/hex"
	"strings"
)

// sameDigest reports whether two payload digests are the same, in whatever letters they are
// written; known is whether that can be told: both are there, and of one algorithm.
func sameDigest(a, b string) (same, known bool) {
	if a == b {
		return a != "", a != ""
	}
	x, y := digestOf(a), digestOf(b)
	if x.sum == nil || y.sum == nil || x.algorithm != y.algorithm {
		return false, false
	}
	return bytes.Equal(x.sum, y.sum), true
}

// digest is a digest with its algorithm.
type digest struct {
	algorithm string // in lower case, without "-"
	sum       []byte // nil if it is not understood
}

// digestOf reads "sha1:" and base32 or hexadecimal digits; what has no algorithm is SHA-1, as in
// the lines of old indexes.
func digestOf(text string) digest {
	name, value, found := strings.Cut(text, ":")
	if !found {
		name, value = "sha1", text
	}
	d := digest{algorithm: strings.ReplaceAll(strings.ToLower(name), "-", "")}
	size := map[string]int{"md5": 16, "sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}[d.algorithm]
	if size == 0 {
		return d
	}
	if len(value) == hex.EncodedLen(size) {
		if sum, err := hex.DecodeString(value); err == nil {
			d.sum = sum
		}
		return d
	}
	value = strings.TrimRight(strings.ToUpper(value), "=")
	sum, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(value)
	if err == nil && len(sum) == size {
		d.sum = sum
	}
	return d
}

// DigestKey is the same for payload digests that are the same, in whatever letters they are written.
func DigestKey(text string) string {
	d := digestOf(text)
	if d.sum == nil {
		return text
	}
	return d.algorithm + ":" + string(d.sum)
}

// DigestAlgorithm is the algorithm of a payload digest, in lower case and without "-"; "" if the digest
// is not understood, so that it can be compared with none. Those of two algorithms cannot be either.
func DigestAlgorithm(text string) string {
	if d := digestOf(text); d.sum != nil {
		return d.algorithm
	}
	return ""
}
