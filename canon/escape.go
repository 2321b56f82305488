package canon

import (
	"strings"
	"unicode/utf8"
)

// unescape replaces buf's content by s with its percent-escapes decoded until none is left; a %
// that begins no escape stays. Two escapes never overlap, so that the order of decoding does not
// matter: one pass that looks back at what it has written gives what repeated passes would, in
// linear time (%2525252541 -> A).
func unescape(buf []byte, s string) []byte {
	first := strings.IndexByte(s, '%')
	if first < 0 {
		return append(buf[:0], s...)
	}
	buf = append(buf[:0], s[:first]...)
	for i := first; i < len(s); i++ {
		buf = append(buf, s[i])
		for len(buf) >= 3 && buf[len(buf)-3] == '%' {
			high, low := unhex[buf[len(buf)-2]], unhex[buf[len(buf)-1]]
			if high|low > 15 {
				break
			}
			buf = append(buf[:len(buf)-3], high<<4|low)
		}
	}
	return buf
}

// appendEscaped appends s in lower case with everything escaped that must not stand in a key: white
// space, controls, non-ASCII bytes, % and #. The escapes are in lower case, as the key is.
func appendEscaped(dst, s []byte) []byte {
	for _, c := range s {
		if l := literal[c]; l != 0 {
			dst = append(dst, l)
			continue
		}
		dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// unhex is the value of a hexadecimal digit, above 15 for any other byte.
var unhex = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range byte(16) {
		t[hexDigits[i]] = i
		t[upper(hexDigits[i])] = i
	}
	return t
}()

// literal is what a byte becomes in a key, 0 if it is escaped.
var literal = func() (t [256]byte) {
	for c := byte('!'); c <= '~'; c++ {
		t[c] = lower(c)
	}
	t['%'], t['#'] = 0, 0
	return t
}()

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// lowerASCII returns s in lower case.
func lowerASCII(s string) string { return string(folded(s)) }

// folded returns s in lower case, as bytes.
func folded(s string) []byte {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lower(c)
	}
	return folded
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isAlnum reports whether c is an ASCII digit or lower-case letter.
func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

// isLetter reports whether c is an ASCII lower-case letter.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// leading returns how many bytes s begins with that belong to class.
func leading(s []byte, class func(byte) bool) int {
	for i, c := range s {
		if !class(c) {
			return i
		}
	}
	return len(s)
}
