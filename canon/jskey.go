package canon

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// warcioJSKey returns what warcio.js calls a SURT: a simpler one, of URLs that begin
// with http: or https: in lower case and that a browser can parse. Of a URL that cannot
// be parsed the key is the rest, without its "www.", and ok is false; it is false as
// well for a URL of another scheme, which stays as it is.
//
// Case is folded before the URL is parsed: %C3%A9 is lower case in a key, and é, which
// is escaped only then, is %C3%A9.
func warcioJSKey(url string) (key string, ok bool) {
	if !strings.HasPrefix(url, "http:") && !strings.HasPrefix(url, "https:") {
		return url, false
	}
	url = withoutJSWWW(url)
	u, ok := parseBrowserURL(lowerJS(url))
	if !ok {
		return url, false
	}
	labels := strings.Split(u.host, ".")
	slices.Reverse(labels)
	key = strings.Join(labels, ",") + u.port + ")" + u.path
	if u.query != "" {
		arguments := strings.Split(u.query, "&")
		slices.Sort(arguments)
		key += "?" + strings.Join(arguments, "&")
	}
	return key, true
}

// withoutJSWWW drops "www.", "www2." and the like where it is right behind the slashes.
func withoutJSWWW(url string) string {
	host, ok := cutHTTP(url)
	if !ok {
		return url
	}
	rest := withoutWWW([]byte(host))
	return url[:len(url)-len(host)] + string(rest)
}

// lowerJS is s as JavaScript's toLowerCase gives it.
func lowerJS(s string) string {
	if isASCII([]byte(s)) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(string(appendText(nil, []byte(s))))
}

// browserURL is a URL as a browser takes it apart, each part as it writes it.
type browserURL struct {
	host, path, query string
	port              string // with its colon; empty if it is the scheme's own
}

// parseBrowserURL parses an http or https URL in lower case as the URL Standard does
// (section 4.4), without its fragment and user information.
func parseBrowserURL(url string) (u browserURL, ok bool) {
	url = strings.TrimFunc(url, func(r rune) bool { return r <= ' ' })
	url, _, _ = strings.Cut(withoutBreaks(url), "#")
	scheme, url, _ := strings.Cut(url, ":")
	url, query, _ := strings.Cut(strings.TrimLeft(url, `/\`), "?")
	end := strings.IndexAny(url, `/\`)
	if end < 0 {
		end = len(url)
	}
	host := url[strings.LastIndexByte(url[:end], '@')+1 : end]
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		u.port, ok = browserPort(scheme, host[colon+1:])
		if !ok {
			return u, false
		}
		host = host[:colon]
	}
	u.host, ok = browserHost(host)
	u.path = browserPath(url[end:])
	u.query = browserQuery.encoded(query)
	return u, ok
}

// browserPort is a port with its colon, empty if it is none or the scheme's own.
func browserPort(scheme, digits string) (port string, ok bool) {
	number, ok := parsePort(digits)
	if digits == "" || !ok || scheme == "http" && number == 80 || scheme == "https" && number == 443 {
		return "", ok
	}
	return ":" + strconv.Itoa(number), true
}

// browserPath is a path with its segments resolved and escaped. A backslash parts
// segments as a slash does.
func browserPath(path string) string {
	out := make([]byte, 0, len(path)+len(path)/8)
	for rest, more := path[min(1, len(path)):], true; more; {
		end := strings.IndexAny(rest, `/\`)
		segment := rest
		if more = end >= 0; more {
			segment, rest = rest[:end], rest[end+1:]
		}
		switch strings.ReplaceAll(segment, "%2e", ".") {
		case "..":
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
		case ".":
		default:
			out = browserSegment.appendString(append(out, '/'), segment)
			continue
		}
		if !more {
			out = append(out, '/')
		}
	}
	return string(out)
}

// browserSegment and browserQuery keep what the URL Standard's path percent-encode
// set and special-query percent-encode set leave alone.
var (
	browserSegment = printable().except(` "#<>?` + "`{}")
	browserQuery   = printable().except(` "#<>'`)
)
