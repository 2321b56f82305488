package recorder

import "strings"

// targetURI is the WARC-Target-URI for a URL as it was asked for: without fragment and userinfo,
// and with every byte that RFC 3986 does not allow where it stands written as %XX. That includes a
// '%' that no two hexadecimal digits follow, which becomes %25, and brackets outside the host.
// Everything else is left as it was: escapes, the case of letters, a default port, dot segments.
// TargetURI is the WARC-Target-URI that a URL is recorded under.
func TargetURI(url string) string { return targetURI(url) }

func targetURI(url string) string {
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
