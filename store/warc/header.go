package warc

import (
	"fmt"
	"strconv"
	"strings"
)

// The first lines of records: Version is what we write by default, Version10 is for readers that do
// not know WARC 1.1.
const (
	Version   = "WARC/1.1"
	Version10 = "WARC/1.0"
)

// Field is one named field of a WARC header, without the line break.
type Field struct{ Name, Value string }

// Header is a WARC header's fields in their order.
type Header []Field

// Get returns the value of the first field of that name, in any case, or "".
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Values returns the values of all fields of that name, in any case.
func (h Header) Values(name string) []string {
	var values []string
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return values
}

// DedupFrom is the field of a warcinfo record of ours that names another archive, to whose records
// revisits of the file may refer. There is one for each.
const DedupFrom = "dedupFrom"

// AppendField appends "name: value\r\n" to dst. A CR, LF or NUL in value becomes a space, so that
// no value can end its line.
func AppendField[T string | []byte](dst []byte, name string, value T) []byte {
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	start := len(dst)
	dst = append(dst, value...)
	for i, c := range dst[start:] {
		if c == '\r' || c == '\n' || c == 0 {
			dst[start+i] = ' '
		}
	}
	return append(dst, "\r\n"...)
}

// AppendInt appends "name: n\r\n" to dst.
func AppendInt(dst []byte, name string, n int64) []byte {
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, "\r\n"...)
}

// ParseHeader parses a whole WARC header, from its version line to the empty line at its end (WARC
// 1.1 section 4). Lines may end in LF alone; a folded line is joined to the one before by a space.
// Errors wrap ErrHeader.
func ParseHeader(b []byte) (version string, h Header, err error) {
	text := string(b) // the fields are slices of this one string
	version, text = cutLine(text)
	if !strings.HasPrefix(version, "WARC/") {
		return "", nil, fmt.Errorf("%w: the first line is %s", ErrHeader, quote(version))
	}
	lines := strings.Count(text, "\n")
	if lines > maxLines {
		return "", nil, fmt.Errorf("%w: it has %d lines, and %d are too many", ErrHeader, lines,
			maxLines+1)
	}
	h = make(Header, 0, lines)
	for text != "" {
		var line string
		line, text = cutLine(text)
		switch {
		case line == "" && text == "":
			return version, h, nil
		case line == "":
			return "", nil, fmt.Errorf("%w: %d bytes follow its empty line", ErrHeader, len(text))
		case isFold(line):
			return "", nil, fmt.Errorf("%w: it begins with a folded line", ErrHeader)
		default:
			if h, err = h.appendLine(line); err == nil && text != "" && isFold(text) {
				text = h.unfold(text)
			}
		}
		if err != nil {
			return "", nil, err
		}
	}
	return "", nil, fmt.Errorf("%w: it has no empty line at its end", ErrHeader)
}

// maxLines is the greatest number of lines in a header: more than any tool writes, and few enough
// for the fields to take no more memory than the text.
const maxLines = 1 << 16

// isFold reports whether a line continues the one before.
func isFold(line string) bool { return line[0] == ' ' || line[0] == '\t' }

func (h Header) appendLine(line string) (Header, error) {
	name, value, found := strings.Cut(line, ":")
	if !found || name == "" || strings.ContainsFunc(name, notToken) {
		return h, fmt.Errorf("%w: %s is not a field", ErrHeader, quote(line))
	}
	return append(h, Field{name, strings.Trim(value, " \t")}), nil
}

// unfold joins the continuation lines at the beginning of text to the last field, and returns the
// text behind them.
func (h Header) unfold(text string) (rest string) {
	last := &h[len(h)-1]
	var value strings.Builder
	value.WriteString(last.Value)
	for text != "" && isFold(text) {
		var line string
		line, text = cutLine(text)
		line = strings.Trim(line, " \t")
		if value.Len() > 0 && line != "" {
			value.WriteByte(' ')
		}
		value.WriteString(line)
	}
	last.Value = value.String()
	return text
}

// length returns the Content-Length. Several fields of this name have to agree.
func (h Header) length() (int64, error) {
	values := h.Values("Content-Length")
	if len(values) == 0 {
		return 0, fmt.Errorf("%w: no Content-Length", ErrHeader)
	}
	for _, v := range values[1:] {
		if v != values[0] {
			return 0, fmt.Errorf("%w: Content-Length is %s and %s", ErrHeader, quote(values[0]), quote(v))
		}
	}
	// ParseUint takes no sign, as opposed to ParseInt; 62 bits leave room for sums
	n, err := strconv.ParseUint(values[0], 10, 62)
	if err != nil {
		return 0, fmt.Errorf("%w: Content-Length is %s", ErrHeader, quote(values[0]))
	}
	return int64(n), nil
}

// cutLine returns the first line of s without its line break, and the rest of s.
func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// isBlank reports whether line, with its line break, is the empty line that ends a header.
func isBlank(line []byte) bool { return string(line) == "\r\n" || string(line) == "\n" }

// notToken reports whether a field's name cannot contain r: controls, spaces and separators (WARC
// 1.1 section 4, RFC 2616 section 2.2).
func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;\"/[]?={}`, r)
}

// quote quotes the beginning of s for an error.
func quote(s string) string {
	if len(s) > 80 {
		return strconv.Quote(s[:80]) + "…"
	}
	return strconv.Quote(s)
}
