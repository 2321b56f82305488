package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
)

// The value of an original in the index:
//
//	version(1)  2; 1 had no file
//	flags(1)    1 digestSHA1, as in captures.go; 2 seconds
//	id(16)
//	time(8)     microseconds since 1970
//	file(4)
//	text        digest
//	            the URL, up to the end
const (
	originalVersion = 2

	flagSeconds = 1 << 1

	originalTime = 1 + 1 + 16 // where the time lies
	originalFile = originalTime + 8
	originalHead = originalFile + 4
)

var errOriginal = fmt.Errorf("%w: an original's value", ErrDamaged)

// appendValue appends the value of o, which lies in the file with that id.
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
	digest := v.text()
	if v.failed {
		return Original{}, 0, errOriginal
	}
	var buf [256]byte // both texts are cut from one string
	text := buf[:0]
	if value[1]&flagDigestSHA1 != 0 {
		text = appendSHA1(text, digest)
	} else {
		text = append(text, digest...)
	}
	digestEnd := len(text)
	both := string(append(text, v.rest...))
	return Original{
		Key: key, RecordID: [16]byte(value[2:]), Digest: both[:digestEnd], URL: both[digestEnd:],
		Time: time.UnixMicro(timeOf(value)).UTC(), Seconds: value[1]&flagSeconds != 0,
	}, binary.BigEndian.Uint32(value[originalFile:]), nil
}

// timeOf returns the microseconds of an original's value.
func timeOf(value []byte) int64 {
	if len(value) < originalHead {
		return math.MinInt64
	}
	return int64(binary.BigEndian.Uint64(value[originalTime:]))
}

// MaxAhead is how far ahead of the clock the time of an original may be. An original that is
// further ahead was recorded with a wrong clock, and would never be replaced.
const MaxAhead = 5 * time.Minute

// originals are those of one Commit as keys and values. Their memory is used again.
type originals struct {
	buf  []byte
	rows []originalRow
}

// originalRow is where an original lies in buf: its value follows its key.
type originalRow struct{ key, value, end int }

// add adds an original, which lies in the file with that id.
func (s *originals) add(o *Original, id uint32) {
	r := originalRow{key: len(s.buf)}
	s.buf = append(s.buf, o.Key[:]...)
	r.value = len(s.buf)
	s.buf = o.appendValue(s.buf, id)
	r.end = len(s.buf)
	s.rows = append(s.rows, r)
}

func (s *originals) key(r originalRow) []byte   { return s.buf[r.key:r.value:r.value] }
func (s *originals) value(r originalRow) []byte { return s.buf[r.value:r.end:r.end] }

// sort brings the originals into the order of the bucket, so that each page is changed once.
func (s *originals) sort() {
	slices.SortFunc(s.rows, func(x, y originalRow) int { return bytes.Compare(s.key(x), s.key(y)) })
}

// put stores the originals, but for those of whose key the bucket has a later one: recovery does
// not read files in the order of time.
func (s *originals) put(bucket keyValues) error {
	limit := time.Now().Add(MaxAhead).UnixMicro()
	for _, r := range s.rows {
		if isLater(timeOf(bucket.Get(s.key(r))), timeOf(s.value(r)), limit) {
			continue
		}
		if err := bucket.Put(s.key(r), s.value(r)); err != nil {
			return err
		}
	}
	return nil
}

// reset forgets the originals, and memory beyond keep.
func (s *originals) reset(keep int) {
	s.buf, s.rows = s.buf[:0], s.rows[:0]
	if cap(s.buf) > keep {
		s.buf = nil
	}
}

// isLater reports whether an original is to be preferred to another, by their times. A time beyond
// the limit comes last.
func isLater(time, other, limit int64) bool {
	if (time > limit) != (other > limit) {
		return other > limit
	}
	return time > other
}

// keyValues is what originals need of a bucket.
type keyValues interface {
	Get(key []byte) []byte
	Put(key, value []byte) error
}
