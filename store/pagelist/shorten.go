package pagelist

import (
	"io"
	"unicode/utf8"
)

// shortener reads the lines of a JSON list, without so much of their long texts that they fit into
// MaxLine: a page whose text is longer is a page all the same. What is short stays as it is.
//
// A text is cut where a character begins, and only what is behind its first maxURL bytes; the rest of
// a line has mostBehind bytes then.
type shortener struct {
	in io.Reader

	line    int // bytes of the line that were kept
	text    int // bytes of the string that were read
	escape  int // within an escape sequence: -1 behind its backslash, else how many digits are to come
	inText  bool
	cutting bool
}

const mostBehind = 256 << 10

// Read reads what is kept.
func (s *shortener) Read(p []byte) (int, error) {
	for {
		n, err := s.in.Read(p)
		kept := 0
		for _, b := range p[:n] {
			if s.keep(b) {
				p[kept] = b
				kept++
				s.line++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// keep reports whether the next byte is kept.
func (s *shortener) keep(b byte) bool {
	begins := s.escape == 0 // unless it stands within a character
	switch {
	case b == '\n': // which no string holds
		*s = shortener{in: s.in, line: -1}
		return true
	case !s.inText:
		s.inText = b == '"'
		s.text = 0
		return true
	case s.escape < 0 && b == 'u':
		s.escape = 4
	case s.escape < 0:
		s.escape = 0
	case s.escape > 0:
		s.escape--
	case b == '\\':
		s.escape = -1
	case b == '"':
		s.inText, s.cutting = false, false
		return true
	}
	s.text++
	if begins && utf8.RuneStart(b) && s.text > maxURL && s.line >= MaxLine-mostBehind {
		s.cutting = true
	}
	return !s.cutting
}
