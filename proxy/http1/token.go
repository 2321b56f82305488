package http1

import "bytes"

// trim takes blanks off both ends. Most values have one in front and no other, for which bytes.Trim
// does too much.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// is compares a field name with a lower-case one.
func is(name []byte, lower string) bool {
	return len(name) == len(lower) && bytes.EqualFold(name, []byte(lower))
}

// hasToken reports whether a comma-separated list holds a token, in any case.
func hasToken(list []byte, token string) bool {
	for more := true; more; {
		var one []byte
		one, list, more = bytes.Cut(list, []byte{','})
		if is(trim(one), token) {
			return true
		}
	}
	return false
}

// isToken reports whether b is an RFC 9110 token.
func isToken(b []byte) bool {
	for _, c := range b {
		if !tokenByte[c] {
			return false
		}
	}
	return len(b) > 0
}

// tokenByte has the bytes of a token (RFC 9110 section 5.6.2).
var tokenByte = func() (t [256]bool) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = true
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-0x20] = true, true
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		t[c] = true
	}
	return t
}()

// versionOf reads HTTP/1.0 or HTTP/1.1. Nothing else is relayed.
func versionOf(b []byte) (minor byte, ok bool) {
	if len(b) != 8 || string(b[:7]) != "HTTP/1." || b[7] != '0' && b[7] != '1' {
		return 0, false
	}
	return b[7] - '0', true
}
