package har

import (
	"bytes"
	"strings"
)

// head is the head of a message: the three words of its first line, and its fields.
type head struct {
	start  [3]string
	fields []field
}

// field is one field, with the bytes that it has.
type field struct{ name, value string }

// parseHead reads a head with the eyes of those who read archives: any line end, folded lines, bytes
// of any kind. Lines that are no field are left out.
func parseHead(b []byte) (h head) {
	line, rest := cutLine(b)
	h.start = words(string(line))
	for len(rest) > 0 {
		if line, rest = cutLine(rest); len(line) == 0 {
			break
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		if name = bytes.Trim(name, " \t"); !found || len(name) == 0 {
			continue
		}
		if isFold(rest) {
			value, rest = unfold(value, rest)
		}
		h.fields = append(h.fields, field{string(name), string(bytes.Trim(value, " \t"))})
	}
	return h
}

// cutLine returns the first line of b without its line end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// isFold reports whether a line goes on the one before (RFC 9112 section 5.2).
func isFold(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }

// unfold joins a value with the lines that go on it, by a space each.
func unfold(value, rest []byte) (whole, behind []byte) {
	whole = bytes.Clone(bytes.Trim(value, " \t"))
	for isFold(rest) {
		var line []byte
		line, rest = cutLine(rest)
		whole = append(append(whole, ' '), bytes.Trim(line, " \t")...)
	}
	return whole, rest
}

// words returns the first two words of a first line, and what is behind them.
func words(line string) (w [3]string) {
	w[0], line, _ = strings.Cut(line, " ")
	w[1], line, _ = strings.Cut(strings.TrimLeft(line, " "), " ")
	w[2] = strings.TrimSpace(line)
	return w
}

// get returns the value of the first field of that name, in any case; "" if there is none.
func (h *head) get(name string) string {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			return f.value
		}
	}
	return ""
}

// isChunked reports whether the last transfer coding that a head names is chunked.
func (h *head) isChunked() (is bool) {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, "Transfer-Encoding") {
			last := f.value[strings.LastIndexByte(f.value, ',')+1:]
			is = strings.EqualFold(strings.TrimSpace(last), "chunked")
		}
	}
	return is
}

// pairs returns the fields as they are written, in their order.
func (h *head) pairs() []pair {
	pairs := make([]pair, len(h.fields))
	for i, f := range h.fields {
		pairs[i] = pairOf(f.name, f.value)
	}
	return pairs
}
