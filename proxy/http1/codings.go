package http1

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Codings is a set of content codings (RFC 9110 section 8.4.1). identity, which is none, is in
// each. The zero Codings has no other.
type Codings struct {
	Any   bool     // all that there are
	Names []string // in lower case
}

// knownCodings are those that are registered with IANA.
var knownCodings = []string{
	"br", "compress", "dcb", "dcz", "deflate", "gzip", "identity", "x-compress", "x-gzip", "zstd",
}

// ParseCodings reads a list of codings with commas between them, or "any" for all that there are.
// What is not known is refused, since it would take the coding that was meant from every request.
func ParseCodings(text string) (c Codings, err error) {
	if is([]byte(strings.TrimSpace(text)), "any") {
		return Codings{Any: true}, nil
	}
	for one := range strings.SplitSeq(strings.ToLower(text), ",") {
		one = strings.TrimSpace(one)
		if !slices.Contains(knownCodings, one) {
			return Codings{}, fmt.Errorf("%q is no content coding: give some of %s, identity for none of "+
				"them, or any", one, strings.Join(slices.DeleteFunc(slices.Clone(knownCodings),
				func(name string) bool { return name == "identity" }), ", "))
		}
		c.Names = append(c.Names, one)
	}
	return c, nil
}

// String gives back what ParseCodings reads.
func (c *Codings) String() string {
	switch {
	case c.Any:
		return "any"
	case len(c.Names) == 0:
		return "identity"
	}
	return strings.Join(c.Names, ",")
}

func (c *Codings) has(name []byte) bool {
	return c.Any || is(name, "identity") ||
		slices.ContainsFunc(c.Names, func(known string) bool { return is(name, known) })
}

// dictionaries reports whether the set has a coding that needs a dictionary (RFC 9842).
func (c *Codings) dictionaries() bool { return c.has([]byte("dcb")) || c.has([]byte("dcz")) }

// Other returns the first coding of a Content-Encoding that is not in the set; nil if all are.
func (c *Codings) Other(encoding []byte) []byte {
	for more := !c.Any; more; {
		var one []byte
		one, encoding, more = bytes.Cut(encoding, []byte{','})
		if one = trim(one); len(one) > 0 && !c.has(one) {
			return one
		}
	}
	return nil
}

// appendKept appends an Accept-Encoding field to dst, without the codings that are not in the set,
// and without "*", which means others too. Where nothing is taken away the field stays byte for
// byte. That holds also for what is named to be refused, as in Chrome's "identity;q=1, *;q=0": a
// weight of 0 asks for nothing. Where nothing is left that is asked for, identity takes the place
// of all, since without the field the origin might choose any coding; it does so in the first such
// field, and another one, which emptied says, goes as a whole.
//
// What is taken away goes with the comma that divides it from its neighbour, and with the blanks
// and folds beside that; no other byte changes.
func (c *Codings) appendKept(dst, field []byte, emptied *bool) []byte {
	const blanks = " \t\r\n"
	colon := bytes.IndexByte(field, ':') + 1
	list := bytes.Trim(field[colon:], blanks)
	at := colon + len(field[colon:]) - len(bytes.TrimLeft(field[colon:], blanks))
	start := len(dst)
	dst = append(dst, field[:at]...)
	begin, asks, kept, cut, lost := len(dst), false, false, false, false
	for rest, more := list, true; more; {
		var one []byte
		one, rest, more = bytes.Cut(rest, []byte{','})
		name, refused := codingOf(bytes.Trim(one, blanks))
		if cut = len(name) > 0 && !refused && (name[0] == '*' || !c.has(name)); cut {
			lost = true
			continue
		}
		asks = asks || len(name) > 0 && !refused
		switch {
		case kept:
			dst = append(dst, ',')
		case lost:
			one = bytes.TrimLeft(one, blanks)
		}
		dst, kept = append(dst, one...), true
	}
	switch {
	case !lost:
		return append(dst[:start], field...)
	case !asks && *emptied:
		return dst[:start]
	case !asks:
		*emptied = true
		dst = append(dst[:begin], "identity"...)
	case cut:
		dst = dst[:begin+len(bytes.TrimRight(dst[begin:], blanks))]
	}
	return append(dst, field[at+len(list):]...)
}

// codingOf takes an item of an Accept-Encoding apart: refused says that its weight is 0.
func codingOf(item []byte) (name []byte, refused bool) {
	name, rest, more := bytes.Cut(item, []byte{';'})
	for more {
		var parameter []byte
		parameter, rest, more = bytes.Cut(rest, []byte{';'})
		key, value, _ := bytes.Cut(parameter, []byte{'='})
		if is(bytes.TrimSpace(key), "q") {
			refused = isZero(bytes.TrimSpace(value))
		}
	}
	return bytes.TrimSpace(name), refused
}

// isZero reports whether a weight is 0, 0.0, 0.00 or 0.000 (RFC 9110 section 12.4.2).
func isZero(weight []byte) bool {
	return len(weight) > 0 && weight[0] == '0' && len(bytes.Trim(weight[1:], ".0")) == 0
}
