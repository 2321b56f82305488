package http1

import "bytes"

// Change is what a request loses on its way, beside what no origin gets: Proxy-* fields, and those
// by which crawlers tell a recorder what to do. The zero Change is for a request that loses nothing
// else.
type Change struct {
	Codings   *Codings // that Accept-Encoding may name; nil is all
	Condition bool     // If-None-Match and If-Modified-Since go
}

// fieldSet says which of the fields a request has that do not reach every origin as they came.
type fieldSet uint8

const (
	proxyField fieldSet = 1 << iota
	controlField
	codingsField
	dictionaryField
	conditionField
)

// setOf returns the set that a field belongs to; 0 for all others. The length and the first letter
// tell most of them apart.
func setOf(name []byte) fieldSet {
	if len(name) < len("veidemann_eid") {
		return proxySet(name)
	}
	switch name[0] | 0x20 {
	case 'a':
		if is(name, "accept-encoding") {
			return codingsField
		}
		return dictionarySet(name)
	case 'd':
		return dictionarySet(name)
	case 'i':
		if is(name, "if-none-match") || is(name, "if-modified-since") {
			return conditionField
		}
	case 'p':
		return proxySet(name)
	case 'r', 'v', 'w':
		return controlSet(name)
	}
	return 0
}

func proxySet(name []byte) fieldSet {
	if len(name) > len("proxy-") && is(name[:len("proxy-")], "proxy-") {
		return proxyField
	}
	return 0
}

// dictionarySet knows the fields of RFC 9842, by which a client says which dictionary it has.
func dictionarySet(name []byte) fieldSet {
	if is(name, "available-dictionary") || is(name, "dictionary-id") {
		return dictionaryField
	}
	return 0
}

// controlSet knows the fields by which crawlers tell other recording proxies what to do: warcprox
// (brozzler sends it), the recorder of pywb, veidemann. They name jobs and seeds, which are no
// origin's business.
func controlSet(name []byte) fieldSet {
	if is(name, "warcprox-meta") || is(name, "recorder-skip") || is(name, "veidemann_eid") ||
		is(name, "veidemann_jeid") || is(name, "veidemann_cid") {
		return controlField
	}
	return 0
}

// nameOf returns the name on a line. Blanks before the colon, which sloppy readers pass over, are
// no part of it.
func nameOf(line []byte) []byte {
	return trim(line[:max(bytes.IndexByte(line, ':'), 0)])
}

// Conditional reports If-None-Match or If-Modified-Since.
func (req *Request) Conditional() bool { return req.fields&conditionField != 0 }

// changes returns the sets of the fields of a request that are left out, or written anew.
func (req *Request) changes(c *Change) fieldSet {
	these := proxyField | controlField
	if c.Condition {
		these |= conditionField
	}
	if c.Codings != nil {
		these |= codingsField
		if !c.Codings.dictionaries() {
			these |= dictionaryField
		}
	}
	return req.fields & these
}

// Forward appends to dst the head of a request as its origin gets it. target takes the place of the
// request's own; nil leaves that as it came. Beyond that the fields change that no origin gets, a
// Proxy-Connection without a Connection beside it becomes one, as the client would have written
// without a proxy, and what c says is left out. Order, case, spacing and duplicates of all other
// lines stay. The head becomes no longer, but for target and a few bytes.
func (req *Request) Forward(dst, head, target []byte, c Change) []byte {
	if target != nil {
		dst = append(append(dst, head[:req.targetAt]...), target...)
		head = head[req.targetAt+len(req.Target):]
	}
	// The rest of the request line is no field, though its method may look like one.
	line := bytes.IndexByte(head, '\n') + 1
	dst, head = append(dst, head[:line]...), head[line:]
	changes := req.changes(&c)
	if changes == 0 {
		return append(dst, head...)
	}
	emptied := false
	for len(head) > 0 {
		end := endOfField(head)
		field := head[:end]
		head = head[end:]
		switch setOf(nameOf(field)) & changes {
		case 0:
			dst = append(dst, field...)
		case codingsField:
			dst = c.Codings.appendKept(dst, field, &emptied)
		case proxyField:
			if !req.connection && len(field) > 17 && is(field[:17], "proxy-connection:") {
				dst = append(dst, field[len("proxy-"):]...)
			}
		}
	}
	return dst
}

// endOfField returns the length of the field at the start of b, with its folds, which share its
// fate.
func endOfField(b []byte) (end int) {
	for {
		i := bytes.IndexByte(b[end:], '\n')
		if i < 0 {
			return len(b)
		}
		end += i + 1
		if end == len(b) || b[end] != ' ' && b[end] != '\t' {
			return end
		}
	}
}
