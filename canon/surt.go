package canon

import "strings"

// room is how long a URL may be for its key to be made on the stack alone.
const room = 1024

// SURT returns the key of url as the surt library and pywb make it. A URL that cannot be parsed,
// since its port is no number or above 65535, is its own key, unchanged, and ok is false.
func SURT(url string) (key string, ok bool) {
	if url == "" {
		return "-", true
	}
	if strings.HasPrefix(url, "filedesc") {
		return url, true
	}
	p, ok := split(clean(url))
	if !ok {
		return url, false
	}
	return p.key(len(url)), true
}

// key assembles the key of a URL of size bytes. Unescaping only shortens, so that scratch never
// grows; the key grows only where the URL has raw bytes to escape.
func (p parts) key(size int) string {
	var keyRoom, scratchRoom [room]byte
	dst, scratch := keyRoom[:0], scratchRoom[:0]
	if size > room-16 { // 16: an IPv4 address written out, and punctuation
		dst, scratch = make([]byte, 0, size+size/8+16), make([]byte, 0, size+16)
	}
	host := canonicalHost(scratch, p.host, p.scheme)
	if len(host) == 0 {
		return string(p.appendHostless(dst, scratch))
	}
	dst = appendReversed(dst, host)
	dst = appendPort(dst, p.scheme, p.port)
	dst = append(dst, ')')
	dst = appendPath(dst, resolveDots(unescape(scratch, p.path)))
	return string(appendQuery(dst, scratch, p.query))
}

// appendHostless appends the key of a URL without a host, such as mailto: and
// urn:. As in pywb, a query behind an empty path gets a path: foo:?a -> foo:/?a.
func (p parts) appendHostless(dst, scratch []byte) []byte {
	dst = append(append(dst, p.scheme...), ':')
	if p.path != "" {
		dst = appendPath(dst, unescape(scratch, p.path))
		return appendQuery(dst, scratch, p.query)
	}
	slash := len(dst)
	dst = appendQuery(append(dst, '/'), scratch, p.query)
	if len(dst) == slash+1 {
		return dst[:slash]
	}
	return dst
}
