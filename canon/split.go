package canon

import (
	"strconv"
	"strings"
)

// parts are a URL taken apart, each part as it was written.
type parts struct {
	scheme, host, path, query string
	port                      int // 0: none
}

// clean drops what a URL copied from a page may carry: white space around it,
// line breaks and tabs within it, a missing scheme, and a doubled one.
func clean(url string) string {
	url = withoutBreaks(strings.Trim(url, "\t\n\v\f\r "))
	if !hasScheme(url) {
		url = "http://" + url
	}
	for {
		rest, ok := cutHTTP(url)
		if _, again := cutHTTP(rest); !ok || !again {
			return url
		}
		url = rest
	}
}

// withoutBreaks returns s without TAB, CR and LF. Three searches by byte cost
// less than one for any of them.
func withoutBreaks(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 &&
		strings.IndexByte(s, '\t') < 0 {
		return s
	}
	kept := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c != '\n' && c != '\r' && c != '\t' {
			kept = append(kept, c)
		}
	}
	return string(kept)
}

// hasScheme reports whether url begins with a scheme and its colon (RFC 3986
// section 3.1). So does "example.com:8080", whose scheme is then "example.com".
func hasScheme(url string) bool {
	for i := range len(url) {
		c := url[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		switch {
		case letter:
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// cutHTTP returns url without a leading http:// or https://, and whether it had one.
func cutHTTP(url string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(url, "http://"); ok {
		return rest, true
	}
	return strings.CutPrefix(url, "https://")
}

// split takes url, which has a scheme, apart as RFC 2396 appendix B does, and drops the fragment.
// It is false if the port is no port.
func split(url string) (p parts, ok bool) {
	url, _, _ = strings.Cut(url, "#")
	p.scheme, url, _ = strings.Cut(url, ":")
	p.path, p.query, _ = strings.Cut(url, "?")
	if rest, has := strings.CutPrefix(p.path, "//"); has {
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		p.host, p.port, ok = splitAuthority(rest[:end])
		if !ok {
			return p, false
		}
		p.path = rest[end:]
	}
	if p.host == "" && p.path != "" && strings.HasPrefix(p.scheme, "http") {
		p.host, p.path = hostFromPath(p.path)
	}
	return p, true
}

// splitAuthority drops the user information and parts host from port. An IPv6 address loses its
// brackets.
func splitAuthority(authority string) (host string, port int, ok bool) {
	authority = strings.TrimRight(authority, ":")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, digits, _ := strings.Cut(authority, ":")
	if _, inside, bracketed := strings.Cut(authority, "["); bracketed {
		host, digits, _ = strings.Cut(inside, "]")
		_, digits, _ = strings.Cut(digits, ":")
	}
	port, ok = parsePort(digits)
	return host, port, ok
}

// parsePort reads a decimal port of any length; none at all is 0.
func parsePort(digits string) (port int, ok bool) {
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		port = port*10 + int(c-'0')
		if port > 65535 {
			return 0, false
		}
	}
	return port, true
}

// hostFromPath reads the host of http:/example.com/a and http:////example.com/a
// where browsers find it: in the first segment of the path.
func hostFromPath(path string) (host, rest string) {
	path = strings.TrimLeft(path, "/")
	host, _, found := strings.Cut(path, "/")
	if !found {
		return host, "/"
	}
	return host, path[len(host):]
}

// appendPort appends ":port" unless there is no port or it is the scheme's own. As in pywb, ftp, ws
// and wss have no port of their own.
func appendPort(dst []byte, scheme string, port int) []byte {
	switch {
	case port == 0,
		port == 80 && strings.EqualFold(scheme, "http"),
		port == 443 && strings.EqualFold(scheme, "https"):
		return dst
	}
	return strconv.AppendInt(append(dst, ':'), int64(port), 10)
}
