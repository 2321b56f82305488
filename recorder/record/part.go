package record

import (
	"bytes"
	"hash/crc32"
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
		c.Whole = r.isAll() && !truncated
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
func (h *Head) partRange() (r byteRange, ok bool) {
	if h.ranges != 1 {
		return r, false
	}
	return parseRange(h.contentRange)
}

// byteRange is which bytes of an entity a part has (RFC 9110 section 14.4).
type byteRange struct {
	first, last int64
	of          int64 // length of the entity; -1 if unknown
}

// length is that of the part.
func (r byteRange) length() int64 { return r.last - r.first + 1 }

// isAll reports whether the part is all of the entity.
func (r byteRange) isAll() bool { return r.first == 0 && r.length() == r.of }

// append appends the range, spelled in one way only.
func (r byteRange) append(dst []byte) []byte {
	dst = append(strconv.AppendInt(dst, r.first, 10), '-')
	dst = append(strconv.AppendInt(dst, r.last, 10), '/')
	return strconv.AppendInt(dst, r.of, 10)
}

// parseRange reads the value of a Content-Range: "bytes 0-499/1234", and '*' for an unknown length.
// It is false for any other, and for bytes that the entity does not have.
func parseRange(value []byte) (r byteRange, ok bool) {
	unit, rest, _ := bytes.Cut(value, []byte(" "))
	bounds, of, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("/"))
	first, last, _ := bytes.Cut(bounds, []byte("-"))
	r = byteRange{decimal(first), decimal(last), decimal(of)}
	if !bytes.EqualFold(unit, []byte("bytes")) || r.first < 0 || r.last < r.first {
		return r, false
	}
	return r, r.of > r.last || string(of) == "*"
}

// decimal is the number that digits mean; -1 if they are none, or more than a length has.
func decimal(digits []byte) int64 {
	if len(digits) == 0 || len(digits) > 18 {
		return -1
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
