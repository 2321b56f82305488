package json

import "strings"

// Space is what RFC 8259 calls white space.
const Space = " \t\n\r"

// A scanner steps over the words of a JSON text.
type scanner struct {
	src    string
	at     int
	digits int // as in Rules
}

// peek returns the byte to be read next, 0 at the end: a NUL stands in no JSON text.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

func (s *scanner) skipSpace() {
	for s.at < len(s.src) && strings.IndexByte(Space, s.src[s.at]) >= 0 {
		s.at++
	}
}

// skipScalar steps over a string, number or word; it is false if there is none.
func (s *scanner) skipScalar() bool {
	switch s.peek() {
	case '"':
		return s.skipString()
	case 't':
		return s.skipWord("true")
	case 'f':
		return s.skipWord("false")
	case 'n':
		return s.skipWord("null")
	}
	return s.skipNumber()
}

func (s *scanner) skipWord(word string) bool {
	ok := strings.HasPrefix(s.src[s.at:], word)
	if ok {
		s.at += len(word)
	}
	return ok
}

// skipNumber steps over a number (RFC 8259 section 6).
func (s *scanner) skipNumber() bool {
	if s.peek() == '-' {
		s.at++
	}
	zero := s.peek() == '0'
	digits := s.skipDigits()
	if digits == 0 || zero && digits > 1 {
		return false
	}
	integer := true
	if s.peek() == '.' {
		integer = false
		s.at++
		if s.skipDigits() == 0 {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		integer = false
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if s.skipDigits() == 0 {
			return false
		}
	}
	return !integer || s.digits == 0 || digits <= s.digits
}

// skipDigits returns how many digits it stepped over.
func (s *scanner) skipDigits() int {
	start := s.at
	for s.at < len(s.src) && '0' <= s.src[s.at] && s.src[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}

// skipString steps over a string, which has no control characters, and no escapes but those of RFC
// 8259 section 7. Half a surrogate pair may be escaped.
func (s *scanner) skipString() bool {
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < ' ':
			return false
		case c == '\\':
			s.at++
			if !s.skipEscape() {
				return false
			}
		}
	}
	return false
}

// skipEscape steps to the last byte of an escape, from the one behind the backslash.
func (s *scanner) skipEscape() bool {
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		_, ok := hex4(s.src[s.at+1:])
		s.at += 4
		return ok
	}
	return false
}

// hex4 reads the four hexadecimal digits of a \u escape.
func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range []byte(s[:4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
