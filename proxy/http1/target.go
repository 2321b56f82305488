package http1

import (
	"bytes"
	"net/url"
	"strings"
)

// Authority is a scheme with the host and the port that a target or a CONNECT names.
type Authority struct {
	Secure bool   // https
	Host   string // lower case, no brackets
	Port   string
}

// TargetForm reports whether the request that b begins is one to relay, and whether b tells yet.
// Such a request has an absolute target. Only a CONNECT, a path and "*" are not for the relay: a
// malformed head is, too, which then refuses it and says why.
func TargetForm(b []byte) (absolute, known bool) {
	long := len(b) > maxMethod
	b = b[:min(len(b), maxMethod)] // what comes in many pieces is looked at as often
	method, rest, _ := bytes.Cut(b, []byte{' '})
	rest = bytes.TrimLeft(rest, " ")
	switch {
	case bytes.IndexByte(b, '\n') < 0 && len(rest) == 0 && !long:
		return false, false
	case string(method) == "CONNECT":
		return false, true
	}
	return len(rest) == 0 || rest[0] != '/' && rest[0] != '*', true
}

// IsConnect reports whether a head is that of a CONNECT.
func IsConnect(head []byte) bool { return bytes.HasPrefix(head, []byte("CONNECT ")) }

// maxMethod is where a target has begun in whatever is an HTTP request.
const maxMethod = 4 << 10

// ParseAbsolute splits a target in absolute form, scheme://rest. path is what follows the
// authority, a query included. Names and passwords are passed over.
func ParseAbsolute(scheme string, rest []byte) (a Authority, path []byte, err error) {
	switch strings.ToLower(scheme) {
	case "http":
		a.Port = "80"
	case "https":
		a.Secure, a.Port = true, "443"
	default:
		return a, nil, Refuse("only http and https can be fetched, not " + url.QueryEscape(scheme))
	}
	end := bytes.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	place, path := rest[:end], rest[end:]
	place = place[bytes.LastIndexByte(place, '@')+1:]
	a.Host, a.Port, err = SplitAuthority(string(place), a.Port)
	return a, path, err
}

// OriginForm returns what the origin is sent of an absolute target (RFC 9112 section 3.2): its path
// and query, or "*" for an OPTIONS without either.
func OriginForm(path []byte, options bool) []byte {
	switch {
	case len(path) > 0 && path[0] == '/':
		return path
	case len(path) == 0 && options:
		return []byte("*")
	}
	return append([]byte("/"), path...)
}

// SplitAuthority splits host and port. The host comes without brackets, in lower case.
func SplitAuthority(authority, defaultPort string) (host, port string, err error) {
	host, port = authority, defaultPort
	if colon := strings.LastIndexByte(authority, ':'); colon >= 0 &&
		!strings.HasSuffix(authority, "]") {
		host = authority[:colon]
		if p := authority[colon+1:]; p != "" {
			port = p
		}
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	} else if strings.Contains(host, ":") {
		return "", "", Refuse("an IPv6 address in a target stands in brackets")
	}
	if len(host) > MaxHost {
		return "", "", Refuse("the target's host is longer than any name")
	}
	if host == "" || strings.ContainsFunc(host, endsHost) {
		return "", "", Refuse("the target has no valid host")
	}
	if !validPort(port) {
		return "", "", Refuse("the target's port is not a number from 1 to 65535")
	}
	return strings.ToLower(host), port, nil
}

// endsHost reports what is in no host, and at which another reader might end it, or begin it: what
// we take for the name user@127.0.0.1 is an address to that reader.
func endsHost(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\<>"*@?#`, r)
}

// MaxHost is beyond what a name of 253 characters can take in UTF-8. Whatever is longer leads
// nowhere, and putting it in letters of ASCII takes time by the square of its length.
const MaxHost = 1 << 10

func validPort(port string) bool {
	n := 0
	for _, c := range []byte(port) {
		if c < '0' || c > '9' || len(port) > 5 {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return n > 0 && n < 65536
}

// WithoutUserinfo takes names and passwords out of a URL or an authority, also a malformed one: the
// log and the gap list show neither.
func WithoutUserinfo(target string) string {
	scheme, rest, found := strings.Cut(target, "://")
	if !found {
		scheme, rest = "", target
	} else {
		scheme += "://"
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	return scheme + rest[strings.LastIndexByte(rest[:end], '@')+1:]
}
