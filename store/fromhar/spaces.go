package fromhar

import "io"

// spaces reads JSON, with one blank for each stretch of white space outside of strings:
// json.Decoder goes through such a stretch from its beginning each time more of it comes.
type spaces struct {
	in      io.Reader
	within  bool // a string
	escaped bool // the next byte of a string stands behind a backslash
	blank   bool // the last byte was white space
}

func (s *spaces) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		n, err = s.in.Read(p)
		n = s.squeeze(p[:n])
	}
	return n, err
}

// squeeze leaves out what is too much of some bytes, and returns how many are left.
func (s *spaces) squeeze(p []byte) (n int) {
	for _, b := range p {
		blank := !s.within && (b == ' ' || b == '\t' || b == '\n' || b == '\r')
		if blank && s.blank {
			continue
		}
		s.blank = blank
		s.step(b)
		if blank {
			b = ' '
		}
		p[n] = b
		n++
	}
	return n
}

// step takes note of where strings begin and end.
func (s *spaces) step(b byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.within && b == '\\':
		s.escaped = true
	case b == '"':
		s.within = !s.within
	}
}
