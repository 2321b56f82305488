package canon

import "bytes"

// multipart reads the parts of a multipart body (RFC 2046 section 5.1) as Python's FieldStorage
// does: a line may end in LF alone, white space may follow a delimiter, the end may be missing.
// Nothing is copied.
type multipart struct {
	rest      []byte
	delimiter []byte // "--" and the boundary
	closed    bool   // the closing delimiter was there
}

// A part is a part of a multipart body.
type part struct {
	disposition string // the value of Content-Disposition, empty if there is none
	value       []byte
}

// openMultipart finds the beginning of the first part. valid is false if the media type gives no
// boundary, or a malformed one; begun is false if no delimiter is in the body.
func openMultipart(contentType string, body []byte) (m *multipart, valid, begun bool) {
	boundary, ok := parameter(contentType, "boundary")
	if !ok || !isBoundary(boundary) {
		return nil, false, false
	}
	m = &multipart{rest: body, delimiter: []byte("--" + boundary)}
	return m, true, m.begin()
}

// isBoundary reports whether s is up to 201 printable characters, the last no space.
func isBoundary(s string) bool {
	if s == "" || len(s) > 201 || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// begin steps behind the first line that is the delimiter, with or without white space around it.
func (m *multipart) begin() bool {
	for len(m.rest) > 0 {
		if bytes.Equal(bytes.Trim(m.line(), asciiSpace), m.delimiter) {
			return true
		}
	}
	return false
}

// line takes the next line and the LF that ends it.
func (m *multipart) line() []byte {
	end := bytes.IndexByte(m.rest, '\n') + 1
	if end == 0 {
		end = len(m.rest)
	}
	line := m.rest[:end]
	m.rest = m.rest[end:]
	return line
}

// next reads a part; it is false if none is left.
func (m *multipart) next() (p part, ok bool) {
	if m.closed || len(m.rest) == 0 {
		return part{}, false
	}
	p.disposition, _ = contentDisposition(m.head())
	p.value = m.value()
	return p, true
}

// head takes the lines up to a blank one, and the blank one.
func (m *multipart) head() []byte {
	all := m.rest
	for len(m.rest) > 0 && len(bytes.TrimSpace(m.line())) > 0 {
	}
	return all[:len(all)-len(m.rest)]
}

// value takes a part's value, and behind it the line break and the delimiter. The end of the body
// delimits as well.
func (m *multipart) value() []byte {
	for at := 0; ; at += len(m.delimiter) {
		next := bytes.Index(m.rest[at:], m.delimiter)
		if next < 0 {
			value := m.rest
			m.rest = nil
			return withoutBreak(value)
		}
		at += next
		if at == 0 || m.rest[at-1] == '\n' {
			if value, ok := m.delimited(at); ok {
				return value
			}
		}
	}
}

// delimited takes the value before the delimiter at at, if that stands alone on its line or with
// "--" behind it.
func (m *multipart) delimited(at int) (value []byte, ok bool) {
	line := multipart{rest: m.rest[at+len(m.delimiter):]}
	behind := bytes.TrimRight(line.line(), asciiSpace)
	if len(behind) > 0 && string(behind) != "--" {
		return nil, false
	}
	value = withoutBreak(m.rest[:at])
	m.rest, m.closed = line.rest, len(behind) > 0
	return value, true
}

// withoutBreak returns s without the last line break, if s ends with one.
func withoutBreak(s []byte) []byte {
	s = bytes.TrimSuffix(s, []byte("\n"))
	return bytes.TrimSuffix(s, []byte("\r"))
}
