package canon

import "bytes"

// multipart reads the parts of a multipart body (RFC 2046 section 5.1) as Python's
// FieldStorage does: lines may end in LF alone, white space may follow a delimiter,
// the end may be missing. It copies nothing.
type multipart struct {
	rest      []byte
	delimiter []byte // "--" and the boundary
	closed    bool   // the closing delimiter was there
}

// part is a part of a multipart body.
type part struct {
	disposition string // the value of Content-Disposition, empty if there is none
	value       []byte
}

// openMultipart finds the beginning of the first part. valid is false if the media
// type gives no boundary that is one; begun, if no delimiter is in the body.
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

// begin steps behind the first line that is the delimiter, whatever white space is
// around it.
func (m *multipart) begin() bool {
	for len(m.rest) > 0 {
		if bytes.Equal(bytes.Trim(m.line(), asciiSpace), m.delimiter) {
			return true
		}
	}
	return false
}

const asciiSpace = " \t\n\v\f\r"

// line takes the next line, with what ends it.
func (m *multipart) line() []byte {
	end := bytes.IndexByte(m.rest, '\n') + 1
	if end == 0 {
		end = len(m.rest)
	}
	line := m.rest[:end]
	m.rest = m.rest[end:]
	return line
}

// next reads a part, false if there is none left.
func (m *multipart) next() (p part, ok bool) {
	if m.closed || len(m.rest) == 0 {
		return part{}, false
	}
	p.disposition, _ = contentDisposition(m.head())
	p.value = m.value()
	return p, true
}

// head takes the lines up to one that is blank, and that.
func (m *multipart) head() []byte {
	all := m.rest
	for len(m.rest) > 0 && len(bytes.TrimSpace(m.line())) > 0 {
	}
	return all[:len(all)-len(m.rest)]
}

// value takes what comes before the next delimiter, which it takes too, and the
// line break that belongs to that. The end of the body delimits as well.
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

// delimited takes the value before the line that begins at at with the delimiter,
// if nothing else than "--" is on it.
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

// withoutBreak returns s without one line break at the end.
func withoutBreak(s []byte) []byte {
	s = bytes.TrimSuffix(s, []byte("\n"))
	return bytes.TrimSuffix(s, []byte("\r"))
}
