package shared

import (
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"time"

	"warcorder/store"
)

// The value of an original, and the key that it stands under:
//
//	key    "warcorder:1:" kind(1) hash(32)
//
//	value  version(1)   1
//	       flags(1)     1 the WARC-Date has whole seconds
//	       id(16)       of the record; withdrawing.go looks for it by its place
//	       time(8)      microseconds since 1970
//	       digest       of the payload: 20 bytes, or 32 of SHA-256
//	       length(1)    and the name of the WARC file
//	       length(1)    and who has it: host/collection
//	       the URL
//	       check(4)     CRC-32C of the key and of all before
//
// The kind says which digests the recorder writes, since a revisit has that of its original: recorders
// that differ in it share nothing. The check finds a value that was cut, or came as the answer to
// another question. It is none against somebody who may write there.
const (
	namespace = "warcorder:1:"

	valueVersion = 1
	flagSeconds  = 1

	valueID   = 1 + 1
	valueTime = valueID + 16
	valueHead = valueTime + 8
	checkSize = 4

	// maxValue is more bytes than any value of ours has.
	maxValue = valueHead + 32 + 2*(1+maxName) + maxURL + checkSize
	maxName  = 255
	maxURL   = 2 << 10 // record.MaxOriginalURL
)

// kinds are all kinds of digests.
const kinds = "abcd"

// kindOf is the kind of what a recorder writes.
func kindOf(sha256, entity bool) byte {
	n := 0
	if sha256 {
		n += 2
	}
	if entity {
		n++
	}
	return kinds[n]
}

// keyOf is what an original of that kind stands under.
func keyOf(kind byte, key *store.OriginalKey) string {
	var b [len(namespace) + 1 + len(key)]byte
	return string(append(append(append(b[:0], namespace...), kind), key[:]...))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkOf is the check of a value under a key.
func checkOf(key string, value []byte) uint32 {
	var b [len(namespace) + 1 + 32]byte
	return crc32.Update(crc32.Checksum(b[:copy(b[:], key)], castagnoli), castagnoli, value)
}

// appendValue appends the value of an original under a key; ok is false if it has no place there.
func appendValue(dst []byte, key string, o *store.Original, who string) (value []byte, ok bool) {
	if len(o.URL) > maxURL || len(o.File) > maxName || len(who) > maxName {
		return dst, false
	}
	start, flags := len(dst), byte(0)
	if o.Seconds {
		flags |= flagSeconds
	}
	dst = append(append(dst, valueVersion, flags), o.RecordID[:]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(o.Time.UnixMicro()))
	if dst, ok = appendDigest(dst, kindIn(key), o.Digest); !ok {
		return dst[:start], false
	}
	dst = append(append(dst, byte(len(o.File))), o.File...)
	dst = append(append(dst, byte(len(who))), who...)
	dst = append(dst, o.URL...)
	return binary.BigEndian.AppendUint32(dst, checkOf(key, dst[start:])), true
}

func kindIn(key string) byte { return key[len(namespace)] }

func isSHA256(kind byte) bool { return kind >= kinds[2] }

const (
	sha1Label, sha256Label = "sha1:", "sha256:"
	sha1Size, sha256Size   = 20, 32
)

// appendDigest appends the bytes of a digest as ours are spelled, which must be of the kind.
func appendDigest(dst []byte, kind byte, digest string) ([]byte, bool) {
	if isSHA256(kind) {
		text, labelled := strings.CutPrefix(digest, sha256Label)
		b, err := hex.DecodeString(text)
		return append(dst, b...), labelled && err == nil && len(b) == sha256Size
	}
	text, labelled := strings.CutPrefix(digest, sha1Label)
	b, err := base32.StdEncoding.DecodeString(text)
	return append(dst, b...), labelled && err == nil && len(b) == sha1Size
}

// digestOf spells the digest at the start of b, and returns the rest.
func digestOf(kind byte, b []byte) (digest string, rest []byte, ok bool) {
	size := sha1Size
	if isSHA256(kind) {
		size = sha256Size
	}
	if len(b) < size {
		return "", nil, false
	}
	if isSHA256(kind) {
		return sha256Label + hex.EncodeToString(b[:size]), b[size:], true
	}
	return sha1Label + base32.StdEncoding.EncodeToString(b[:size]), b[size:], true
}

// decode reads the value that stands under a key; ok is false if it is none of ours. Whether a revisit
// may name what it says is for who asked to judge.
func decode(key, value string) (o store.Original, ok bool) {
	if len(value) < valueHead+checkSize || len(value) > maxValue || value[0] != valueVersion {
		return o, false
	}
	b := []byte(value)
	end := len(b) - checkSize
	if binary.BigEndian.Uint32(b[end:]) != checkOf(key, b[:end]) || b[1]&^flagSeconds != 0 {
		return o, false
	}
	copy(o.Key[:], key[len(key)-len(o.Key):])
	o.Seconds, o.RecordID = b[1]&flagSeconds != 0, [16]byte(b[valueID:])
	o.Time = time.UnixMicro(int64(binary.BigEndian.Uint64(b[valueTime:]))).UTC()
	o.Digest, b, ok = digestOf(kindIn(key), b[valueHead:end])
	if ok {
		o.File, b, ok = named(b)
	}
	if ok {
		_, b, ok = named(b)
	}
	o.URL = string(b)
	return o, ok && len(b) <= maxURL
}

// named reads a name, behind its length.
func named(b []byte) (name string, rest []byte, ok bool) {
	if len(b) == 0 || len(b) <= int(b[0]) {
		return "", nil, false
	}
	n := 1 + int(b[0])
	return string(b[1:n]), b[n:], true
}
