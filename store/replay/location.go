package replay

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// resolve returns the URL to which a Location of the answer to base leads, without its fragment; ""
// if it leads to none of HTTP. It is read as browsers read it (URL Standard, basic URL parser),
// which refuse next to nothing: escapes that are none, backslashes, blanks and line ends in it.
// Escapes stay as they are written; the one that they add besides those of record.TargetURI is that
// of an apostrophe in a query.
func resolve(base, location string) string {
	scheme, authority, from := split(base)
	to, _, _ := strings.Cut(withoutBlanks(location), "#")
	if own, rest, has := cutScheme(to); has {
		if own != "http" && own != "https" {
			return ""
		}
		if own != scheme { // what follows another scheme is a host, however many slashes there are
			rest = "//" + rest
		}
		scheme, to = own, rest
	}
	path, query, hasQuery := strings.Cut(to, "?")
	path = strings.ReplaceAll(path, `\`, "/")
	fromPath, fromQuery, _ := strings.Cut(from, "?")
	switch {
	case strings.HasPrefix(path, "//"):
		authority, path, _ = strings.Cut(strings.TrimLeft(path, "/"), "/")
		authority, path = plainAuthority(authority), "/"+path
	case path == "":
		path = fromPath
		if !hasQuery {
			query, hasQuery = fromQuery, fromQuery != ""
		}
	case path[0] != '/':
		path = fromPath[:strings.LastIndexByte(fromPath, '/')+1] + path
	}
	if to = scheme + "://" + authority + withoutDots(path); hasQuery {
		to += "?" + query
	}
	return quoted(to)
}

// quoted returns a URL with the apostrophes of its query as browsers write them.
func quoted(u string) string {
	path, query, has := strings.Cut(u, "?")
	if !has {
		return u
	}
	return path + "?" + strings.ReplaceAll(query, "'", "%27")
}

// withoutBlanks returns a Location without what a browser takes out of it.
func withoutBlanks(location string) string {
	location = strings.TrimFunc(location, func(c rune) bool { return c <= ' ' })
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c == '\r' {
			return -1
		}
		return c
	}, location)
}

// cutScheme cuts the scheme off a URL, and returns it in lower case. It is false if there is none.
func cutScheme(u string) (scheme, rest string, has bool) {
	scheme, rest, has = strings.Cut(u, ":")
	scheme = strings.ToLower(scheme)
	isOther := func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < '0' || '9' < c) && !strings.ContainsRune("+-.", c)
	}
	if !has || scheme == "" || scheme[0] < 'a' || strings.ContainsFunc(scheme, isOther) {
		return "", u, false
	}
	return scheme, rest, true
}

// plainAuthority returns an authority as browsers ask for it: without a password, decoded, in lower
// case and in ASCII. One that is none comes back in some way.
func plainAuthority(authority string) string {
	host, port := authority[strings.LastIndexByte(authority, '@')+1:], ""
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host, port = host[:colon], strings.TrimLeft(host[colon+1:], "0")
	}
	if plain, err := url.PathUnescape(host); err == nil {
		host = plain
	}
	if len(host) <= maxName &&
		strings.ContainsFunc(host, func(c rune) bool { return c >= utf8.RuneSelf }) {
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			host = ascii
		}
	}
	if host = strings.ToLower(host); port != "" {
		host += ":" + port
	}
	return host
}

// withoutDots returns a path without the segments . and .., however their dots are written.
func withoutDots(path string) string {
	var kept []string
	for rest, more := path[1:], true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		switch dots(segment) {
		case 2:
			kept = kept[:max(len(kept)-1, 0)]
			fallthrough
		case 1:
			if !more {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// dots tells how many dots a segment is; 0 if it is something else.
func dots(segment string) int {
	if len(segment) > len("%2e%2e") {
		return 0
	}
	switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}
