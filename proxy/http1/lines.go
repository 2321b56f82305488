package http1

import "bytes"

// Fields calls f with each field of a head, its start line left out: the name as it is spelled, and
// the value without the blanks around it. Blanks before the colon, which sloppy readers pass over,
// are no part of a name. What a fold goes on with comes as one more value of its field. What is no
// field is passed over.
func Fields(head []byte, f func(name, value []byte)) {
	_, head = cutLine(head)
	var name []byte
	for len(head) > 0 {
		var line []byte
		line, head = cutLine(head)
		if len(line) == 0 {
			return
		}
		if line[0] == ' ' || line[0] == '\t' {
			if name != nil {
				f(name, trim(line))
			}
			continue
		}
		name = nil
		if field := nameOf(line); isToken(field) {
			name = field
			f(name, trim(line[bytes.IndexByte(line, ':')+1:]))
		}
	}
}

// Without appends a head to dst but for the fields of the names, in lower case: their lines go with
// their folds, and every other byte stays.
func Without(dst, head []byte, names ...string) []byte {
	start := bytes.IndexByte(head, '\n') + 1
	dst, head = append(dst, head[:start]...), head[start:]
	for len(head) > 0 {
		end := endOfField(head)
		if !isOneOf(nameOf(head[:end]), names) {
			dst = append(dst, head[:end]...)
		}
		head = head[end:]
	}
	return dst
}

// isOneOf reports whether a name is one of some in lower case.
func isOneOf(name []byte, names []string) bool {
	for _, one := range names {
		if is(name, one) {
			return true
		}
	}
	return false
}

// HasToken reports whether a comma-separated list holds a token, in any case.
func HasToken(list []byte, token string) bool { return hasToken(list, token) }
