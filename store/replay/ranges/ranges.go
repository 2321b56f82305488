// Package ranges reads which bytes of an entity a client wants (Range, RFC 9110 section 14.2) and
// which a stored part has (Content-Range), picks the parts that together have what is wanted, and
// frames several stretches as one body (multipart/byteranges). Numbers and text go in, and come
// out: the package opens nothing, and imports no io.
//
//	Parse ──► Set ──► Set.Of(size) ──► spans ──► Cover(span, parts) ──► pieces
//	                                        └──► Multipart(…)
//
// Invariant: no span that comes out lies beyond the entity, none overlaps another, and all of them
// together have at most the bytes that the entity has, so that no client gets more than it by asking
// for less. All work is linear in the field, and n log n in the number of parts.
package ranges

import (
	"math"
	"slices"
	"strings"
)

// Span is a stretch of an entity: its first byte and its last, as HTTP counts them.
type Span struct{ First, Last int64 }

// Length is how many bytes the span has.
func (s Span) Length() int64 { return s.Last - s.First + 1 }

// Has reports whether all of other lies in the span.
func (s Span) Has(other Span) bool { return s.First <= other.First && other.Last <= s.Last }

// Set is what a Range field asks for, in its order.
type Set []spec

// spec is one of the ranges of a field: first to last, or, if first is negative, the last bytes of
// the entity, of which there are to be last.
type spec struct{ first, last int64 }

// Most is how many ranges a field may have. One with more is ignored, as RFC 9110 section 14.2
// allows: who reads a file asks for a few, and each takes a search of its own.
const Most = 64

// Parse reads the value of a Range field. It is false for what a server ignores: another unit than
// bytes, what is no list of ranges, a range that ends before it begins, more than Most ranges.
// Blanks may stand between any two words. A number beyond an int64 counts as the largest int64,
// which lies beyond every entity.
func Parse(field string) (Set, bool) {
	unit, list, found := strings.Cut(field, "=")
	if !found || !strings.EqualFold(trim(unit), "bytes") {
		return nil, false
	}
	var set Set
	for one := range strings.SplitSeq(list, ",") {
		if one = trim(one); one == "" {
			continue // a list may have empty elements (RFC 9110 section 5.6.1)
		}
		wanted, ok := parseSpec(one)
		if !ok || len(set) == Most {
			return nil, false
		}
		set = append(set, wanted)
	}
	return set, len(set) > 0
}

func parseSpec(text string) (spec, bool) {
	before, behind, found := strings.Cut(text, "-")
	before, behind = trim(before), trim(behind)
	first, last := number(before), number(behind)
	if before == "" {
		return spec{-1, last}, found && last >= 0
	}
	if behind == "" {
		last = math.MaxInt64
	}
	return spec{first, last}, found && first >= 0 && first <= last
}

// number is what digits mean, or math.MaxInt64 if that is more; -1 if they are none.
func number(digits string) (n int64) {
	if digits == "" {
		return -1
	}
	for i := range len(digits) {
		d := int64(digits[i]) - '0'
		switch {
		case d < 0 || d > 9:
			return -1
		case n > (math.MaxInt64-d)/10:
			n = math.MaxInt64 // and stays so
		default:
			n = 10*n + d
		}
	}
	return n
}

func trim(s string) string { return strings.Trim(s, " \t") }

// FromEnd reports whether a range of the set counts from the end of the entity.
func (set Set) FromEnd() bool {
	return slices.ContainsFunc(set, func(s spec) bool { return s.first < 0 })
}

// Of returns the spans of an entity of that size, in bytes, which the set asks for. There are none
// if no range of the set lies in the entity (416). Spans that overlap or touch each other come as
// one, in the place of the first of them.
func (set Set) Of(size int64) []Span {
	spans := make([]Span, 0, len(set))
	for _, wanted := range set {
		s := Span{wanted.first, min(wanted.last, size-1)}
		if wanted.first < 0 {
			s = Span{max(size-wanted.last, 0), size - 1}
		}
		if s.First <= s.Last {
			spans = add(spans, s)
		}
	}
	return spans
}

// add adds a span to others, none of which touch each other, and keeps them so.
func add(spans []Span, s Span) []Span {
	at := len(spans) // of the first one that s touches
	kept := 0
	for _, other := range spans {
		if other.First <= s.Last+1 && s.First <= other.Last+1 {
			s = Span{min(s.First, other.First), max(s.Last, other.Last)}
			if at == len(spans) {
				at = kept
				kept++
			}
			continue
		}
		spans[kept] = other
		kept++
	}
	if at == len(spans) {
		return append(spans, s)
	}
	spans[at] = s
	return spans[:kept]
}
