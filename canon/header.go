package canon

import (
	"bytes"
	"strings"
)

// contentDisposition returns the first Content-Disposition in the head of a part. Folded lines
// belong to it; a line that is no header ends the head, as in Python.
func contentDisposition(head []byte) (value string, ok bool) {
	for len(head) > 0 {
		var name, field []byte
		name, field, head = cutField(head)
		if name == nil {
			return "", false
		}
		if bytes.EqualFold(name, []byte("Content-Disposition")) {
			return string(field), true
		}
	}
	return "", false
}

// cutField takes the header field that head begins with, together with the lines that are folded
// into it. name is nil if head begins with no field.
func cutField(head []byte) (name, value, rest []byte) {
	line, rest := cutLine(head)
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || leading(line[:colon], isFieldName) < colon {
		return nil, nil, nil
	}
	name, end := line[:colon], len(line)
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
		_, rest = cutLine(rest)
		end = len(head) - len(rest)
	}
	return name, head[colon+1 : end], rest
}

func isFieldName(c byte) bool { return c > ' ' && c < 0x7f }

// cutLine takes a line, with the LF, CR LF or CR that ends it.
func cutLine(s []byte) (line, rest []byte) {
	end := bytes.IndexAny(s, "\r\n")
	switch {
	case end < 0:
		end = len(s)
	case bytes.HasPrefix(s[end:], []byte("\r\n")):
		end += 2
	default:
		end++
	}
	return s[:end], s[end:]
}

// parameter returns a parameter of a header's value, the last one of that name. Its value may be
// quoted, with a backslash before a quote or a backslash. As in Python a semicolon counts unless an
// odd number of quotes stands before it.
func parameter(header, name string) (value string, ok bool) {
	_, rest := cutParameter(header)
	for rest != "" {
		var field string
		field, rest = cutParameter(rest)
		key, text, found := strings.Cut(field, "=")
		if found && strings.EqualFold(trimSpace(key), name) {
			value, ok = unquote(trimSpace(text)), true
		}
	}
	return value, ok
}

// cutParameter cuts at the first semicolon that is not quoted. A quote behind a backslash does not
// count.
func cutParameter(s string) (field, rest string) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"' && (i == 0 || s[i-1] != '\\'):
			quoted = !quoted
		case s[i] == ';' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

const asciiSpace = " \t\n\v\f\r"

func trimSpace(s string) string { return strings.Trim(s, asciiSpace) }

// unquote drops the quotes around s, if it has both, and then the backslashes before
// backslashes and quotes.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	s = strings.ReplaceAll(s[1:len(s)-1], `\\`, `\`)
	return strings.ReplaceAll(s, `\"`, `"`)
}
