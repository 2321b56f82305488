package replay

import (
	"bytes"
	"strings"
)

// head is the head of a message, from its first line to its empty line, as it was sent. It is read
// with the eyes of those who read archives: any line end, folded lines, lines without a colon.
// Nothing of it is kept: each question goes through all of it once.
type head []byte

// get returns the values of all fields of that name, with commas between them; "" if there is none.
func (h head) get(name string) string {
	first, all := "", []string(nil)
	h.each(name, func(value string) bool {
		if first == "" && all == nil {
			first = value
			return true
		}
		if all == nil {
			all = append(all, first)
		}
		all = append(all, value)
		return true
	})
	if all != nil {
		return strings.Join(all, ", ")
	}
	return first
}

// first returns the value of the first field of that name; "" if there is none.
func (h head) first(name string) (first string) {
	h.each(name, func(value string) bool {
		first = value
		return false
	})
	return first
}

// has reports whether there is a field of that name.
func (h head) has(name string) (has bool) {
	h.each(name, func(string) bool {
		has = true
		return false
	})
	return has
}

// each calls yield with the value of each field of that name, until yield returns false. Case
// decides nothing in a name.
func (h head) each(name string, yield func(value string) bool) {
	h.fields(func(of, value []byte) bool {
		return !isNamed(of, name) || yield(string(value))
	})
}

// values returns what get returns for each of some names, in one pass.
func (h head) values(names []string) []string {
	values := make([]string, len(names))
	parts := make([][]string, len(names))
	h.fields(func(of, value []byte) bool {
		for i, name := range names {
			if isNamed(of, name) {
				parts[i] = append(parts[i], string(value))
			}
		}
		return true
	})
	for i := range values {
		values[i] = strings.Join(parts[i], ", ")
	}
	return values
}

func isNamed(field []byte, name string) bool {
	return len(field) == len(name) && strings.EqualFold(string(field), name)
}

// fields calls yield with the name and the value of each field, until yield returns false.
func (h head) fields(yield func(name, value []byte) bool) {
	_, rest := cutLine(h)
	for len(rest) > 0 {
		var line []byte
		if line, rest = cutLine(rest); len(line) == 0 {
			return
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		value = bytes.TrimSpace(value)
		for owned := false; isContinuation(rest); owned = true {
			if line, rest = cutLine(rest); !owned {
				value = bytes.Clone(value)
			}
			value = append(append(value, ' '), bytes.TrimSpace(line)...)
		}
		if !yield(bytes.TrimRight(name, " \t"), bytes.TrimSpace(value)) {
			return
		}
	}
}

// isContinuation reports whether a line goes on the one before (RFC 9112 section 5.2).
func isContinuation(line []byte) bool {
	return len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
}

// cutLine returns the first line of b without its line end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// listed calls yield with each element of a field's value that is a list, without blanks around
// it, until yield returns false. Commas within quotes separate nothing.
func listed(value string, yield func(element string) bool) {
	for value != "" {
		end := elementEnd(value)
		if element := strings.TrimSpace(value[:end]); element != "" && !yield(element) {
			return
		}
		value = value[min(end+1, len(value)):]
	}
}

// elementEnd returns where the first element of a list ends.
func elementEnd(value string) int {
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			return i
		}
	}
	return len(value)
}
