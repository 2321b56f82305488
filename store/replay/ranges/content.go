package ranges

import (
	"math"
	"strconv"
	"strings"
)

// Content is what a Content-Range says: which bytes of an entity a part has (RFC 9110 section 14.4).
type Content struct {
	Span
	Of int64 // length of the entity; negative if that is not known
}

// ParseContent reads the value of a Content-Range: "bytes 0-499/1234", with '*' for an unknown
// length. It is false for any other, and for bytes that the entity does not have.
func ParseContent(value string) (Content, bool) {
	unit, rest, _ := strings.Cut(trim(value), " ")
	bounds, size, found := strings.Cut(trim(rest), "/")
	first, last, _ := strings.Cut(bounds, "-")
	c := Content{Span{number(trim(first)), number(trim(last))}, number(trim(size))}
	if !found || !strings.EqualFold(unit, "bytes") || c.First < 0 || c.Last < c.First ||
		c.Last == math.MaxInt64 {
		return c, false
	}
	return c, c.Of > c.Last || trim(size) == "*"
}

// IsAll reports whether the part is all of the entity.
func (c Content) IsAll() bool { return c.First == 0 && c.Length() == c.Of }

// String is the value of the field.
func (c Content) String() string {
	dst := append(make([]byte, 0, 48), "bytes "...)
	dst = append(strconv.AppendInt(dst, c.First, 10), '-')
	dst = append(strconv.AppendInt(dst, c.Last, 10), '/')
	return string(appendSize(dst, c.Of))
}

// Unsatisfied is the Content-Range of a 416: none of the ranges that were asked for lies in an
// entity of that size.
func Unsatisfied(size int64) string { return string(appendSize([]byte("bytes */"), size)) }

func appendSize(dst []byte, size int64) []byte {
	if size < 0 {
		return append(dst, '*')
	}
	return strconv.AppendInt(dst, size, 10)
}
