package record

import (
	"errors"
	"strings"
)

// TargetURI is the WARC-Target-URI for a URL as it was asked for: without fragment and userinfo,
// and with every byte that RFC 3986 does not allow where it stands written as %XX. That includes a
// '%' that no two hexadecimal digits follow, which becomes %25, and brackets outside the host.
// Everything else is left as it was: escapes, the case of letters, a default port, dot segments.
func TargetURI(url string) string {
	url, _, _ = strings.Cut(url, "#")
	hostAt := 0
	if i := strings.Index(url, "://"); i >= 0 {
		hostAt = i + len("://")
	}
	pathAt := len(url)
	if i := strings.IndexAny(url[hostAt:], "/?"); i >= 0 {
		pathAt = hostAt + i
	}
	if i := strings.LastIndexByte(url[hostAt:pathAt], '@'); i >= 0 {
		url = url[:hostAt] + url[hostAt+i+1:]
		pathAt -= i + 1
	}
	bad := 0
	for i := hostAt; i < len(url); i++ {
		if !allowed(url, i, pathAt) {
			bad++
		}
	}
	if bad == 0 {
		return url
	}
	return escape(url, hostAt, pathAt, bad)
}

// escape writes the bytes that are not allowed from hostAt on as %XX.
func escape(url string, hostAt, pathAt, bad int) string {
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(url)+2*bad)
	b = append(b, url[:hostAt]...)
	for i := hostAt; i < len(url); i++ {
		if c := url[i]; allowed(url, i, pathAt) {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// allowed says whether the byte at i may stand there.
func allowed(url string, i, pathAt int) bool {
	switch c := url[i]; uriBytes[c] {
	case always:
		return true
	case inHost:
		return i < pathAt
	case beforeHex:
		return i+2 < len(url) && isHex(url[i+1]) && isHex(url[i+2])
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

const (
	never = iota
	always
	inHost
	beforeHex
)

// uriBytes says where each byte may stand in a URI behind its scheme (RFC 3986 appendix A).
var uriBytes = func() (class [256]byte) {
	for c := '0'; c <= 'z'; c++ {
		if c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c {
			class[c] = always
		}
	}
	for _, c := range "-._~:/?@!$&'()*+,;=" {
		class[c] = always
	}
	class['['], class[']'] = inHost, inHost
	class['%'] = beforeHex
	return class
}()

// checkURI looks whether a URI can stand in a header and be read from there. What RFC 3986 allows
// in which place is the business of its scheme; of http it is made good.
func checkURI(uri string) error {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || !isScheme(scheme) || rest == "" {
		return errors.New(
			"is not absolute: it begins with no scheme, such as https: or urn: before the rest")
	}
	if IsHTTP(uri) {
		uri = TargetURI(uri)
		after, slashes := strings.CutPrefix(uri[len(scheme)+1:], "//")
		if !slashes || strings.IndexAny(after+"/", "/?:") == 0 {
			return errors.New("has no host")
		}
	}
	for _, c := range []byte(uri) {
		switch {
		case c <= ' ' || c == 0x7f:
			return errors.New("has spaces or control characters in it: write them as %XX")
		case c > 0x7f:
			return errors.New("has characters in it that are not ASCII: write their UTF-8 bytes as %XX")
		case c == '<' || c == '>':
			return errors.New("has < or > in it: write them as %3C and %3E")
		}
	}
	return nil
}

// isScheme reports whether text is a scheme of RFC 3986 section 3.1.
func isScheme(text string) bool {
	for i, c := range []byte(text) {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return text != ""
}

// IsHTTP reports whether the records of a URI hold HTTP messages.
func IsHTTP(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// BareURI returns a URI without the angle brackets that wget puts around it. It is false if it
// cannot stand in our header.
func BareURI(uri string) (string, bool) {
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	good := len(uri) <= MaxOriginalURL && !strings.ContainsFunc(uri, isOdd) && checkURI(uri) == nil
	return uri, good
}

// isOdd reports a character that no URI in our headers has: TargetURI has escaped it before the URI
// is written.
func isOdd(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' }

// MaxOriginalURL is how long the URL of a response may be that takes part, in bytes: one that is as
// long as a body would have to be written with each revisit.
const MaxOriginalURL = 2 << 10
