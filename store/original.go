package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
)

// OriginalKey is a hash of all in which the responses must agree that one record can stand for.
// What that is is the recorder's matter.
type OriginalKey [32]byte

// Original is a response that is stored in full: what a revisit says of it. The index has one for
// each key, the latest.
type Original struct {
	Key      OriginalKey
	RecordID [16]byte  // its UUID
	Time     time.Time // WARC-Date; kept as that of a Capture is
	Seconds  bool      // the WARC-Date has no fraction
	Digest   string    // payload digest, as in the record
	URL      string    // WARC-Target-URI
	// base name of the file that it lies in: that of its Capture, which Commit looks at
	File string
}

// The value of an original in the index:
//
//	version(1)  2; 1 had no file
//	flags(1)    1 digestSHA1, as of a capture; 2 seconds
//	id(16)
//	time(8)     microseconds since 1970
//	file(4)
//	text        digest
//	            its URL, up to the end
const (
	originalVersion = 2

	flagSeconds = 1 << 1

	originalTime = 1 + 1 + 16 // where the time lies
	originalFile = originalTime + 8
	originalHead = originalFile + 4
)

var errOriginal = fmt.Errorf("%w: an original's value", ErrDamaged)

func (o *Original) appendValue(dst []byte, file uint32) []byte {
	start := len(dst)
	dst = append(append(dst, originalVersion, 0), o.RecordID[:]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(FourDigitYear(o.Time).UnixMicro()))
	dst = binary.BigEndian.AppendUint32(dst, file)
	if digest, ok := appendDigest(dst, o.Digest); ok {
		dst = digest
		dst[start+1] |= flagDigestSHA1
	} else {
		dst = appendText(dst, o.Digest)
	}
	if o.Seconds {
		dst[start+1] |= flagSeconds
	}
	return append(dst, o.URL...)
}

// decodeOriginal returns the original of that value, and the ID of its file. It keeps nothing of
// the value.
func decodeOriginal(key OriginalKey, value []byte) (o Original, file uint32, err error) {
	if len(value) < originalHead || value[0] != originalVersion {
		return Original{}, 0, errOriginal
	}
	v := reader{rest: value[originalHead:]}
	digest := string(v.text())
	if v.failed {
		return Original{}, 0, errOriginal
	}
	if value[1]&flagDigestSHA1 != 0 {
		digest = sha1Text([]byte(digest))
	}
	return Original{
		Key: key, RecordID: [16]byte(value[2:]), Time: time.UnixMicro(timeOf(value)).UTC(), Seconds: value[1]&flagSeconds != 0,
		Digest: digest, URL: string(v.rest),
	}, binary.BigEndian.Uint32(value[originalFile:]), nil
}

// timeOf returns the microseconds of an original's value.
func timeOf(value []byte) int64 {
	if len(value) < originalHead {
		return math.MinInt64
	}
	return int64(binary.BigEndian.Uint64(value[originalTime:]))
}

// originalRow is where an original lies in the buffer of a batch: its value follows its key.
type originalRow struct{ key, value, end int }

// addOriginal adds an original to the batch, which lies in the file with that id.
func (b *batch) addOriginal(o *Original, id uint32) {
	r := originalRow{key: len(b.buf)}
	b.buf = append(b.buf, o.Key[:]...)
	r.value = len(b.buf)
	b.buf = o.appendValue(b.buf, id)
	r.end = len(b.buf)
	b.originals = append(b.originals, r)
}

// sortOriginals brings the originals into the order of the bucket, so that a page is come to once.
func (b *batch) sortOriginals() {
	slices.SortFunc(b.originals,
		func(x, y originalRow) int { return bytes.Compare(b.buf[x.key:x.value], b.buf[y.key:y.value]) })
}

// MaxAhead is how far ahead of the clock the time of an original may be. One that is further was
// recorded with a wrong clock, and would never be replaced.
const MaxAhead = 5 * time.Minute

// putOriginals stores the originals of the batch, but for those of which the bucket has a later
// one: files are not always read in the order of time.
func (b *batch) putOriginals(bucket keyValues) error {
	limit := time.Now().Add(MaxAhead).UnixMicro()
	for _, r := range b.originals {
		key, value := b.part(r.key, r.value), b.part(r.value, r.end)
		if isLater(timeOf(bucket.Get(key)), timeOf(value), limit) {
			continue
		}
		if err := bucket.Put(key, value); err != nil {
			return err
		}
	}
	return nil
}

// isLater reports whether an original is to be preferred to another, by their times. What is beyond
// the limit comes last.
func isLater(time, other, limit int64) bool {
	if (time > limit) != (other > limit) {
		return other > limit
	}
	return time > other
}

// keyValues is a bucket.
type keyValues interface {
	Get(key []byte) []byte
	Put(key, value []byte) error
}
