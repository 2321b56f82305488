package parquet

import "bytes"

// location is a URL taken apart, as far as a table has columns for it. What there is none of is nil;
// an empty query is not.
type location struct {
	scheme, host, path, query []byte
	port                      int32 // -1 if it is not said
}

// locationOf takes a URL apart, in linear time and whatever it holds.
func locationOf(text []byte) location {
	l := location{port: -1}
	text, _, _ = bytes.Cut(text, []byte("#"))
	scheme, rest, found := bytes.Cut(text, []byte(":"))
	if !found || !isScheme(scheme) {
		return l
	}
	l.scheme = bytes.ToLower(scheme)
	rest, query, found := bytes.Cut(rest, []byte("?"))
	if found {
		l.query = query[:len(query):len(query)]
	}
	authority, is := bytes.CutPrefix(rest, []byte("//"))
	switch {
	case is:
		l.path = authority[len(authority):]
		if slash := bytes.IndexByte(authority, '/'); slash >= 0 {
			authority, l.path = authority[:slash], authority[slash:]
		}
		l.setHost(authority)
	case string(l.scheme) == "dns":
		l.host = rest
	}
	if len(l.host) == 0 {
		l.host = nil
	}
	return l
}

// isScheme reports whether a text is the scheme of a URL (RFC 3986 section 3.1), of at most 32 bytes.
func isScheme(text []byte) bool {
	for i, c := range text {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return len(text) > 0 && len(text) <= 32
}

// setHost takes host and port of an authority.
func (l *location) setHost(authority []byte) {
	l.host = authority[bytes.LastIndexByte(authority, '@')+1:]
	colon := bytes.LastIndexByte(l.host, ':')
	if colon < 0 || bytes.IndexByte(l.host[colon:], ']') >= 0 {
		return
	}
	l.port = portOf(l.host[colon+1:])
	l.host = l.host[:colon]
}

// portOf returns the number of a port, or -1 if it is none.
func portOf(text []byte) int32 {
	if len(text) == 0 {
		return -1
	}
	n := int32(0)
	for _, c := range text {
		if n = n*10 + int32(c-'0'); c < '0' || c > '9' || n > 0xffff {
			return -1
		}
	}
	return n
}
