package store

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"warcorder/canon"
)

// AppendCDXJ appends the capture's CDXJ line in the dialect pywb, without newline, to dst:
//
//	urlkey ts14 {"url":…,"mime":…,"status":…,"digest":…,"length":…,"offset":…,"filename":…,
//	             "method":…,"requestBody":…}
//
// All values are strings, as cdxj-indexer and pywb write them; what is unknown is left out, and so
// is the method GET. The line holds no line break and its JSON is valid whatever the fields hold:
// bytes that are no UTF-8 become U+FFFD.
func (c *Capture) AppendCDXJ(dst []byte) []byte { return c.appendPywb(dst, URLKey) }

// AppendLine appends the capture's CDXJ line, in the dialect that Export would write it in, without
// newline, to dst. What is no GET must have its bodies in all dialects, as UnderWithBodies gives them.
func (c *Capture) AppendLine(dst []byte, dialect canon.Dialect) []byte {
	if dialect == canon.Pywb {
		return c.AppendCDXJ(dst)
	}
	body := c.bodyIn(dialect)
	return c.appendLine(dst, c.keyIn(dialect, body), c.Method, body)
}

// bodyIn returns the dialect's query of the request's body.
func (c *Capture) bodyIn(dialect canon.Dialect) string {
	switch {
	case c.isGET() || dialect == canon.Pywb:
		return c.RequestBody
	case dialect == canon.Spec:
		return c.SpecBody
	}
	return c.WarcioJSBody
}

// keyIn returns the dialect's URL key, as it stands in a line.
func (c *Capture) keyIn(dialect canon.Dialect, body string) string {
	key, _ := dialect.Key(dialect.Append(c.URL, c.Method, body))
	if key != "" && keyPrefix(key) == len(key) {
		return key
	}
	return string(appendURLKey(nil, key))
}

// appendPywb appends the line in the dialect pywb that begins with the key of that name. pywb
// writes methods in upper case.
func (c *Capture) appendPywb(dst []byte, name Key) []byte {
	method := c.Method
	if !c.isGET() {
		method = strings.ToUpper(method)
	}
	return c.appendLine(dst, *c.key(name), method, c.RequestBody)
}

// A line that says that an earlier one is void has a member "removed": when the capture was removed
// from the collection, or this, of a part whose whole has come.
const voidPart = "whole"

// appendVoid appends the line of a capture that has no line any more, since its whole has come.
func (c *Capture) appendVoid(dst []byte, name Key) []byte {
	dst = c.appendPywb(dst, name)
	return append(appendMember(dst[:len(dst)-1], `,"removed":`, voidPart), '}')
}

// AppendRemoved appends the line that says of a capture that was removed at that time that its line is
// void, without newline. Of the capture URL, Time, Digest and File are known; its key is that of a GET.
func (c *Capture) AppendRemoved(dst []byte, dialect canon.Dialect, removed string) []byte {
	dst = appendURLKey(dst, c.keyIn(dialect, ""))
	dst = appendSeconds(append(dst, ' '), FourDigitYear(c.Time))
	dst = appendJSON(append(dst, ` {"url":`...), c.URL)
	dst = appendMember(dst, `,"digest":`, c.Digest)
	dst = appendMember(dst, `,"filename":`, c.File)
	return append(appendMember(dst, `,"removed":`, removed), '}')
}

// appendLine appends a line, without newline. It is the only encoder.
func (c *Capture) appendLine(dst []byte, key, method, body string) []byte {
	dst = appendURLKey(dst, key)
	dst = append(dst, ' ')
	dst = appendSeconds(dst, FourDigitYear(c.Time))
	dst = append(dst, ` {"url":`...)
	dst = appendJSON(dst, c.URL)
	dst = appendMember(dst, `,"mime":`, c.MIME)
	if c.Status > 0 {
		dst = appendNumber(dst, `,"status":"`, int64(c.Status))
	}
	dst = appendMember(dst, `,"digest":`, c.Digest)
	if c.File != "" {
		dst = appendNumber(dst, `,"length":"`, c.Length)
		dst = appendNumber(dst, `,"offset":"`, c.Offset)
		dst = appendMember(dst, `,"filename":`, c.File)
	}
	if method != "GET" {
		dst = appendMember(dst, `,"method":`, method)
	}
	dst = appendMember(dst, `,"requestBody":`, body)
	return append(dst, '}')
}

func appendMember(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendJSON(append(dst, name...), value)
}

func appendNumber(dst []byte, name string, n int64) []byte {
	dst = append(dst, name...)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, '"')
}

const upperHex = "0123456789ABCDEF"

// appendURLKey appends a URL key as it stands in lines and in the index: bytes that are not '!' to
// '~' as %XX, and an empty key as "-". So a key has neither space nor line break, and two lines
// compare as their keys do before anything else. A SURT has no such bytes; the key of a URL that
// cannot be parsed may have some.
func appendURLKey(dst []byte, key string) []byte {
	if key == "" {
		return append(dst, '-')
	}
	plain := keyPrefix(key) // all of it, as a rule
	dst = append(dst, key[:plain]...)
	for i := plain; i < len(key); i++ {
		c := key[i]
		if '!' <= c && c <= '~' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// AppendJSON appends s as a JSON string, as it stands in a line.
func AppendJSON(dst []byte, s string) []byte { return appendJSON(dst, s) }

// appendJSON appends s as a JSON string.
func appendJSON(dst []byte, s string) []byte {
	plain := jsonPrefix(s) // all of it, as a rule
	dst = append(dst, '"')
	dst = append(dst, s[:plain]...)
	for s = s[plain:]; s != ""; {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ' || r == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', upperHex[r>>4], upperHex[r&15])
		default:
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
	return append(dst, '"')
}

// keyPrefix returns how many bytes at the beginning of s stand for themselves in a URL key.
func keyPrefix(s string) int {
	n := 0
	for n+8 <= len(s) && outside(eight(s[n:]), '!') == 0 {
		n += 8
	}
	for n < len(s) && '!' <= s[n] && s[n] <= '~' {
		n++
	}
	return n
}

// jsonPrefix returns how many bytes at the beginning of s stand for themselves in a JSON string.
func jsonPrefix(s string) int {
	n := 0
	for ; n+8 <= len(s); n += 8 {
		if x := eight(s[n:]); outside(x, ' ')|equal(x, '"')|equal(x, '\\') != 0 {
			break
		}
	}
	for n < len(s) && ' ' <= s[n] && s[n] <= '~' && s[n] != '"' && s[n] != '\\' {
		n++
	}
	return n
}

// An export looks at every byte of every URL, eight of them at a time, in one number. Each byte of
// ones is 1, each byte of tops is its top bit.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// eight returns the first eight bytes of s.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// outside is not zero if a byte of x is below low or above '~'. A byte below low borrows and shows
// its top bit, one above '~' has it or carries into it; in a number without such bytes nothing is
// borrowed or carried.
func outside(x uint64, low byte) uint64 { return ((x - ones*uint64(low)) | (x + ones) | x) & tops }

// equal is not zero if a byte of x is c, and only then.
func equal(x uint64, c byte) uint64 {
	x ^= ones * uint64(c)
	return (x - ones) & ^x & tops
}
