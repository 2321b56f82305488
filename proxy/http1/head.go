package http1

import "bytes"

// HeadEnd returns the length of the head at the start of b through its blank line, or -1 if the
// blank line has not come yet. Lines end in LF or CRLF. from is where an earlier call stopped
// looking; next is where the next call may start: no byte is looked at twice, also of a line that
// comes in many pieces.
func HeadEnd(b []byte, from int) (end, next int) {
	for at := from; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1, len(b)
		}
		at += i + 1
		if endsInBlankLine(b[:at-1]) {
			return at, 0
		}
	}
}

// endsInBlankLine reports whether the line that b ends with, but for its LF, is empty.
func endsInBlankLine(b []byte) bool {
	b = bytes.TrimSuffix(b, []byte{'\r'})
	return len(b) == 0 || b[len(b)-1] == '\n'
}

// EmptyLines returns the length of the empty lines at the start of b. A reader skips them before a
// head (RFC 9112 section 2.2). A CR at the very end may become one and does not count yet.
func EmptyLines(b []byte) (n int) {
	for {
		switch rest := b[n:]; {
		case len(rest) > 0 && rest[0] == '\n':
			n++
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			n += 2
		default:
			return n
		}
	}
}

// cutLine splits b behind its first LF; line has no line end.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// lineEnds counts the line ends, and those of them that are CRLF.
func lineEnds(b []byte) (all, withCR int) {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return all, withCR
		}
		all++
		if i > 0 && b[i-1] == '\r' {
			withCR++
		}
		b = b[i+1:]
	}
}
