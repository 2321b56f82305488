package canon

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// warcioJSKey returns what warcio.js calls a SURT (getSurt): a simpler one, of URLs that begin with
// http: or https: in lower case and that a browser can parse. The key of a URL that cannot be
// parsed is the URL without its "www.", and ok is false. The key of a URL of another scheme is the
// URL, and ok is false as well.
//
// Case is folded before the URL is parsed: %C3%A9 is lower case in a key, and é, which is escaped
// only later, is %C3%A9.
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

// withoutJSWWW drops "www.", "www2." and the like right behind the slashes.
func withoutJSWWW(url string) string {
	host, ok := cutHTTP(url)
	if !ok {
		return url
	}
	rest := withoutWWW([]byte(host))
	return url[:len(url)-len(host)] + string(rest)
}

// lowerJS returns s as JavaScript's toLowerCase does.
func lowerJS(s string) string {
	if isASCII([]byte(s)) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(string(appendText(nil, []byte(s))))
}

// browserURL is a URL as a browser takes it apart, each part as the browser writes it.
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

// browserPort returns a port with its colon, or nothing if there is none or if it is the scheme's
// own.
func browserPort(scheme, digits string) (port string, ok bool) {
	number, ok := parsePort(digits)
	if digits == "" || !ok || scheme == "http" && number == 80 || scheme == "https" && number == 443 {
		return "", ok
	}
	return ":" + strconv.Itoa(number), true
}

// browserPath returns a path with its segments resolved and escaped. A backslash parts segments as
// a slash does.
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

// browserSegment and browserQuery keep what the path percent-encode set and the special-query
// percent-encode set of the URL Standard leave alone.
var (
	browserSegment = printable().except(` "#<>?` + "`{}")
	browserQuery   = printable().except(` "#<>'`)
)
