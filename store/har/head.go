package har

import (
	"bytes"
	"strings"

	"warcorder/store/readback"
)

// head is the head of a message: the three words of its first line, and its fields.
type head struct {
	start  [3]string
	fields []field
}

// field is one field, with the bytes that it has.
type field struct{ name, value string }

// parseHead reads a head, as [readback.Fields] does.
func parseHead(b []byte) (h head) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	h.start = words(string(bytes.TrimSuffix(line, []byte("\r"))))
	for name, value := range readback.Fields(b) {
		h.fields = append(h.fields, field{name, value})
	}
	return h
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
