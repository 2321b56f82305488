package json

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns what a string literal says. An escaped half of a surrogate pair becomes three
// bytes that are not UTF-8, so that one half can be told from another (see WithoutSurrogates).
func Unquote(literal string) string {
	s := literal[1 : len(literal)-1]
	first := strings.IndexByte(s, '\\')
	if first < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		if s[i] != 'u' {
			out = append(out, unescape(s[i]))
			continue
		}
		r, size := escapedRune(s[i:])
		out = appendRune(out, r)
		i += size - 1
	}
	return string(out)
}

// unescape returns the character that a backslash and c stand for.
func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// escapedRune reads the character that u, four digits, and perhaps another escape stand for, and
// how long these are.
func escapedRune(s string) (r rune, size int) {
	high, _ := hex4(s[1:])
	if rest, ok := strings.CutPrefix(s[5:], `\u`); ok {
		low, _ := hex4(rest)
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return r, 11
		}
	}
	return high, 5
}

// HasSurrogate reports whether a literal has half a surrogate pair in it, which can only be
// escaped.
func HasSurrogate(literal string) bool {
	for {
		escape := strings.IndexByte(literal, '\\')
		if escape < 0 {
			return false
		}
		literal = literal[escape+1:]
		size := 1
		if literal[0] == 'u' {
			var r rune
			if r, size = escapedRune(literal); utf16.IsSurrogate(r) {
				return true
			}
		}
		literal = literal[size:]
	}
}

// appendRune appends r in UTF-8, half a surrogate pair likewise.
func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xed, byte(r>>6)&0x3f|0x80, byte(r)&0x3f|0x80)
	}
	return utf8.AppendRune(dst, r)
}

// WithoutSurrogates returns s with U+FFFD for each half of a surrogate pair, which is what browsers
// send for one.
func WithoutSurrogates(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			size = min(3, len(s))
		}
		out.WriteRune(r)
		s = s[size:]
	}
	return out.String()
}
