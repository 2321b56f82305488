package readback

import (
	"bytes"
	"iter"
)

// Fields gives the names of the fields of a head, and their values. The head is read with the eyes of
// those who read archives: any line end, folded lines, bytes of any kind. Lines that are no field are
// left out, and so are blanks around names and values.
func Fields(head []byte) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		_, rest := cutLine(head)
		for len(rest) > 0 {
			var line []byte
			if line, rest = cutLine(rest); len(line) == 0 {
				return
			}
			name, value, found := bytes.Cut(line, []byte(":"))
			if name = bytes.Trim(name, " \t"); !found || len(name) == 0 {
				continue
			}
			if isFold(rest) {
				value, rest = unfold(value, rest)
			}
			if !yield(string(name), string(bytes.Trim(value, " \t"))) {
				return
			}
		}
	}
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
