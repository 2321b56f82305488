package canon

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const replacement = "\ufffd"

// byteOrderMark may begin a UTF-8 text and is then no part of it.
const byteOrderMark = "\ufeff"

// appendText appends s as UTF-8 text. What is not UTF-8 becomes U+FFFD, one for each maximal
// subpart (Unicode, section 3.9), as in Python and browsers; the standard library replaces byte by
// byte.
func appendText(dst, s []byte) []byte {
	if utf8.Valid(s) {
		return append(dst, s...)
	}
	dst = slices.Grow(dst, len(s)+2*notASCII(s)) // so much, if nothing is UTF-8
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r == utf8.RuneError && size == 1 {
			size = subpart(s)
			dst = append(dst, replacement...)
		} else {
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
	return dst
}

// notASCII counts the bytes beyond ASCII.
func notASCII(s []byte) (n int) {
	for _, c := range s {
		n += int(c >> 7)
	}
	return n
}

// subpart measures what one U+FFFD stands for at the beginning of s, which is not
// UTF-8: as much as begins some character, at least a byte.
func subpart(s []byte) int {
	if len(s) == 1 || s[1] < secondLow(s[0]) || s[1] > secondHigh(s[0]) {
		return 1
	}
	if s[0] >= 0xf0 && len(s) > 2 && 0x80 <= s[2] && s[2] <= 0xbf {
		return 3
	}
	return 2
}

// secondLow and secondHigh are the bounds of the second byte of a character of three
// or four bytes. They cross where first begins none; of two bytes one stands alone.
func secondLow(first byte) byte {
	switch {
	case first < 0xe0 || first > 0xf4:
		return 0xff
	case first == 0xe0:
		return 0xa0
	case first == 0xf0:
		return 0x90
	}
	return 0x80
}

func secondHigh(first byte) byte {
	switch first {
	case 0xed: // no surrogates
		return 0x9f
	case 0xf4: // nothing above U+10FFFF
		return 0x8f
	}
	return 0xbf
}

// browserText returns s as a browser's TextDecoder does: as appendText, without a byte order mark.
func browserText(s []byte) string {
	text := string(s)
	if !utf8.Valid(s) {
		text = string(appendText(nil, s))
	}
	return strings.TrimPrefix(text, byteOrderMark)
}

// cutRunes returns the first n code points of s, which is UTF-8.
func cutRunes(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for i := 0; i < len(s); n-- {
		if n == 0 {
			return s[:i]
		}
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return s
}

// cutUTF16 returns the first n UTF-16 units of s, which is UTF-8. Half of a character
// that takes two of them becomes U+FFFD, as it does in the URL.
func cutUTF16(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i, r := range s {
		switch {
		case n == 0:
			return s[:i]
		case n == 1 && r > 0xffff:
			return s[:i] + replacement
		case r > 0xffff:
			n -= 2
		default:
			n--
		}
	}
	return s
}
