package canon

import "strings"

// jsonSpace is what RFC 8259 calls white space.
const jsonSpace = " \t\n\r"

// peek is the byte to be read next, 0 at the end. (A NUL belongs to no JSON text.)
func (p *jsonParser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

func (p *jsonParser) skipSpace() {
	for p.at < len(p.src) && strings.IndexByte(jsonSpace, p.src[p.at]) >= 0 {
		p.at++
	}
}

// skipScalar steps over a string, number or word, false if there is none.
func (p *jsonParser) skipScalar() bool {
	switch p.peek() {
	case '"':
		return p.skipString()
	case 't':
		return p.skipWord("true")
	case 'f':
		return p.skipWord("false")
	case 'n':
		return p.skipWord("null")
	}
	return p.skipNumber()
}

func (p *jsonParser) skipWord(word string) bool {
	ok := strings.HasPrefix(p.src[p.at:], word)
	if ok {
		p.at += len(word)
	}
	return ok
}

// skipNumber steps over a number (RFC 8259 section 6).
func (p *jsonParser) skipNumber() bool {
	if p.peek() == '-' {
		p.at++
	}
	zero := p.peek() == '0'
	digits := p.skipDigits()
	if digits == 0 || zero && digits > 1 {
		return false
	}
	integer := true
	if p.peek() == '.' {
		integer = false
		p.at++
		if p.skipDigits() == 0 {
			return false
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		integer = false
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if p.skipDigits() == 0 {
			return false
		}
	}
	return !integer || p.rules.digits == 0 || digits <= p.rules.digits
}

// skipDigits returns how many digits it stepped over.
func (p *jsonParser) skipDigits() int {
	start := p.at
	for p.at < len(p.src) && isDigit(p.src[p.at]) {
		p.at++
	}
	return p.at - start
}

// skipString steps over a string: no control characters, and no other escapes than
// those of RFC 8259 section 7. Half a surrogate pair may be escaped.
func (p *jsonParser) skipString() bool {
	for p.at++; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; {
		case c == '"':
			p.at++
			return true
		case c < ' ':
			return false
		case c == '\\':
			p.at++
			if !p.skipEscape() {
				return false
			}
		}
	}
	return false
}

// skipEscape steps to the last byte of an escape, from the one behind the backslash.
func (p *jsonParser) skipEscape() bool {
	switch p.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		_, ok := hex4(p.src[p.at+1:])
		p.at += 4
		return ok
	}
	return false
}

// hex4 reads the four hexadecimal digits of a \u escape.
func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		digit := unhex[s[i]]
		if digit > 15 {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}
