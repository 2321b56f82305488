package v09

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warcorder/store/warc"
)

// Header is the header of a record: the words of its first line, without version and length, and
// its named fields in their order.
type Header struct {
	Type        string // "response", "request", …
	URI         string // subject-uri
	Date        string // creation-date, YYYYMMDDhhmmss in GMT
	ContentType string
	ID          string // record-id, without angle brackets
	Fields      warc.Header
}

// dateFormat is the form of a creation-date (WARC 0.9 section 5.1).
const dateFormat = "20060102150405"

// parseHead parses a header from its first line to its empty line. length is the data-length.
// Lines may end in LF alone. Errors wrap warc.ErrHeader.
func parseHead(b []byte) (h Header, length int64, err error) {
	first, text := cutLine(string(b))
	if h, length, err = parseFirst(first); err != nil {
		return h, 0, err
	}
	if lines := strings.Count(text, "\n"); lines > maxLines {
		return h, 0, fmt.Errorf("%w: it has %d lines, and %d are too many", warc.ErrHeader, lines,
			maxLines+1)
	}
	var folds []string // lines that continue the last field
	for text != "" {
		var line string
		line, text = cutLine(text)
		switch {
		case line == "":
			unfold(h.Fields, folds)
			return h, length, nil
		case line[0] == '#': // a comment (ANVL)
		case line[0] == ' ' || line[0] == '\t':
			if len(h.Fields) == 0 {
				return h, 0, fmt.Errorf("%w: it begins with a folded line", warc.ErrHeader)
			}
			folds = append(folds, strings.Trim(line, " \t"))
		default:
			unfold(h.Fields, folds)
			folds = folds[:0]
			h.Fields, err = appendLine(h.Fields, line)
		}
		if err != nil {
			return h, 0, err
		}
	}
	return h, 0, fmt.Errorf("%w: it has no empty line at its end", warc.ErrHeader)
}

// parseFirst parses the line of positional parameters (WARC 0.9 section 5.1). A content-type with
// spaces, such as before a parameter, is taken for one.
func parseFirst(line string) (h Header, length int64, err error) {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) < 7 || words[0] != magic {
		return h, 0, fmt.Errorf("%w: its first line is %s", warc.ErrHeader, quote(line))
	}
	// ParseUint takes no sign, as opposed to ParseInt; 62 bits leave room for sums
	n, err := strconv.ParseUint(words[1], 10, 62)
	if err != nil {
		return h, 0, fmt.Errorf("%w: data-length is %s", warc.ErrHeader, quote(words[1]))
	}
	if _, err := time.Parse(dateFormat, words[4]); err != nil || len(words[4]) != len(dateFormat) {
		return h, 0, fmt.Errorf("%w: creation-date is %s", warc.ErrHeader, quote(words[4]))
	}
	last := len(words) - 1
	return Header{
		Type:        words[2],
		URI:         words[3],
		Date:        words[4],
		ContentType: strings.Join(words[5:last], " "),
		ID:          words[last],
	}, int64(n), nil
}

func appendLine(h warc.Header, line string) (warc.Header, error) {
	name, value, found := strings.Cut(line, ":")
	name = strings.TrimRight(name, " \t")
	if !found || name == "" {
		return h, fmt.Errorf("%w: %s is not a field", warc.ErrHeader, quote(line))
	}
	return append(h, warc.Field{Name: name, Value: strings.Trim(value, " \t")}), nil
}

// maxLines bounds the lines of a header.
const maxLines = 1 << 16

// unfold joins continuation lines to the last field. The line break and the spaces behind it become
// one space (WARC 0.9 section 3).
func unfold(h warc.Header, lines []string) {
	if len(lines) == 0 {
		return
	}
	last := &h[len(h)-1]
	lines = append([]string{last.Value}, lines...)
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	last.Value = strings.Join(lines, " ")
}

// append appends the header of a record whose block has size bytes, with its empty line.
func (h *Header) append(dst []byte, size int64) []byte {
	var rest []byte
	for _, word := range []string{h.Type, h.URI, h.Date, h.ContentType, h.ID} {
		rest = append(append(rest, ' '), word...)
	}
	rest = append(rest, "\r\n"...)
	for _, f := range h.Fields {
		rest = warc.AppendField(rest, f.Name, f.Value)
	}
	rest = append(rest, "\r\n"...)
	dst = append(append(dst, magic...), ' ')
	dst = strconv.AppendInt(dst, dataLength(int64(len(magic)+1+len(rest))+size), 10)
	return append(dst, rest...)
}

// dataLength returns the data-length of a record that has n bytes beside the digits of its
// data-length, which count, too.
func dataLength(n int64) int64 {
	digits := int64(len(strconv.FormatInt(n, 10)))
	return n + int64(len(strconv.FormatInt(n+digits, 10)))
}

// with returns h with another field at its end; h stays as it is.
func (h Header) with(name, value string) Header {
	h.Fields = append(h.Fields[:len(h.Fields):len(h.Fields)], warc.Field{Name: name, Value: value})
	return h
}

// without returns h without the fields of these names; h stays as it is.
func (h Header) without(names ...string) Header {
	var fields warc.Header
	for _, f := range h.Fields {
		if !holds(names, f.Name) {
			fields = append(fields, f)
		}
	}
	h.Fields = fields
	return h
}

// holds reports whether one of names is name, in any case.
func holds(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// cutLine returns the first line of s, without its line break, and what follows.
func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// quote quotes the beginning of s for an error.
func quote(s string) string {
	if len(s) > 80 {
		return strconv.Quote(s[:80]) + "…"
	}
	return strconv.Quote(s)
}
