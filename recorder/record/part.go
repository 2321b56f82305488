package record

import (
	"bytes"
	"hash/crc32"
	"math"
	"net/http"
	"strconv"

	"warcorder/store"
)

// Fill sets what a capture says of a response with that head: media type, status, and what tells
// parts from wholes. truncated says whether the record of the response has WARC-Truncated.
func (h *Head) Fill(c *store.Capture, truncated bool) {
	c.MIME, c.Status, c.Truncated = Text(h.MIME()), h.Status(), truncated
	if c.Status != http.StatusOK && c.Status != http.StatusPartialContent {
		return
	}
	c.Entity = entityID(h.validator())
	if r, ok := h.partRange(); ok && c.Status == http.StatusPartialContent {
		c.Whole = r.IsAll() && !truncated
	}
}

// entityID is a short name of the version that has a validator; 0 without one. One that is made to
// collide takes another version of the same URL for its own, and nothing else.
func entityID(validator []byte) uint32 {
	if len(validator) == 0 {
		return 0
	}
	return max(crc32.ChecksumIEEE(validator), 1)
}

// validator is what tells the versions of an entity apart (RFC 9110 section 8.8): the ETag, else
// Last-Modified; nil if there is neither. Weak tags are as good as strong ones where the bytes are
// compared too, and servers make the one of the other as they compress.
func (h *Head) validator() []byte {
	if tag := bytes.TrimPrefix(h.etag, []byte("W/")); len(tag) > 0 {
		return tag
	}
	return h.modified
}

// partRange is what the Content-Range of the head says. It is false if there is none, or more than
// one.
func (h *Head) partRange() (r ByteRange, ok bool) {
	if h.ranges != 1 {
		return r, false
	}
	return ParseContentRange(h.contentRange)
}

// ByteRange is which bytes of an entity a part has (RFC 9110 section 14.4).
type ByteRange struct {
	First, Last int64
	Of          int64 // length of the entity; -1 if unknown
}

// Length is that of the part.
func (r ByteRange) Length() int64 { return r.Last - r.First + 1 }

// IsAll reports whether the part is all of the entity.
func (r ByteRange) IsAll() bool { return r.First == 0 && r.Length() == r.Of }

// append appends the range, spelled in one way only.
func (r ByteRange) append(dst []byte) []byte {
	dst = append(strconv.AppendInt(dst, r.First, 10), '-')
	dst = append(strconv.AppendInt(dst, r.Last, 10), '/')
	return strconv.AppendInt(dst, r.Of, 10)
}

// ParseContentRange reads the value of a Content-Range: "bytes 0-499/1234", and '*' for an unknown
// length. It is false for any other, and for bytes that the entity does not have. More blanks than
// one behind the unit say the same: browsers read them so.
func ParseContentRange(value []byte) (r ByteRange, ok bool) {
	unit, rest, _ := bytes.Cut(value, []byte(" "))
	bounds, of, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("/"))
	first, last, _ := bytes.Cut(bounds, []byte("-"))
	r = ByteRange{decimal(first), decimal(last), decimal(of)}
	if !bytes.EqualFold(unit, []byte("bytes")) || r.First < 0 || r.Last < r.First ||
		r.Last == math.MaxInt64 {
		return r, false
	}
	return r, r.Of > r.Last || string(of) == "*"
}

// decimal is the number that digits mean; -1 if they are none, or more than a length has.
func decimal(digits []byte) int64 {
	if len(bytes.Trim(digits, "0123456789")) > 0 || len(digits) > maxDigits {
		return -1
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// maxDigits is how many digits the longest length has.
const maxDigits = len("9223372036854775807")
