package outbackcdx

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Key returns the key under which OutbackCDX keeps a URL, without rules of its operator (--fuzzy, and
// aliases); not ok for a URL of which that is not certain. It is certain of http and https URLs of plain
// ASCII, with a host of letters, digits, "-" and "_" that is no address, the default port or none, and a
// path and a query whose escapes are UTF-8.
//
// The facts are those of its UrlCanonicalizer of 2026: the host loses www and a number behind it, and is
// turned around; path and query are put into lower case, unescaped until nothing changes, and escaped
// again; of the path go empty segments, dots and session IDs, and of the query, whose fields are sorted
// as they were before that, empty fields and session IDs.
func Key(url string) (key string, ok bool) {
	if len(url) > maxURL || strings.IndexFunc(url, isNotPlain) >= 0 {
		return "", false
	}
	host, rest, ok := splitURL(url)
	if !ok {
		return "", false
	}
	host, ok = keyHost(host)
	if !ok {
		return "", false
	}
	path, query, hasQuery := strings.Cut(rest, "?")
	path, ok = keyPath(path)
	if !ok {
		return "", false
	}
	if !hasQuery {
		return host + path, true
	}
	query, ok = keyQuery(query)
	if !ok {
		return "", false
	}
	return host + path + query, true
}

// maxURL is how many bytes a URL may have: the work is linear, in memory of a few times as many.
const maxURL = 64 << 10

// isNotPlain reports whether a URL with that in it is not looked at further: Java's parser takes a
// fragment off, and blanks and tabs; what it does with others is not known.
func isNotPlain(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' || r == '\\' }

// splitURL returns the host, without a default port, and what follows it.
func splitURL(url string) (host, rest string, ok bool) {
	scheme, rest, found := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	port, known := map[string]string{"http": ":80", "https": ":443"}[scheme]
	if !found || !known {
		return "", "", false
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host, rest = rest[:end], rest[end:]
	return strings.TrimSuffix(host, port), rest, true
}

var (
	hostName = regexp.MustCompile(`^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$`)
	number   = regexp.MustCompile(`^(0x[0-9a-f]*|[0-9]+)$`)
	www      = regexp.MustCompile(`^www[0-9]*\.`)
)

// keyHost returns the host's labels, the last one first. An address is kept in other ways, by either.
func keyHost(host string) (string, bool) {
	host = strings.ToLower(host)
	if len(host) > 253 || !hostName.MatchString(host) {
		return "", false
	}
	host = www.ReplaceAllString(host, "")
	labels := strings.Split(host, ".")
	if number.MatchString(labels[len(labels)-1]) {
		return "", false
	}
	slices.Reverse(labels)
	return strings.Join(labels, ",") + ")", true
}

var (
	pathSessions = [...]*regexp.Regexp{
		regexp.MustCompile(`/\([0-9a-z]{24}\)(/[^?]+.aspx)`),
		regexp.MustCompile(`;jsessionid=[0-9a-z]{32}()$`),
	}
	querySession = regexp.MustCompile(`^(jsessionid=[0-9a-z]{10,}|sessionid=[0-9a-z]{16,}|` +
		`phpsessid=[0-9a-z]{16,}|sid=[0-9a-z]{16,}|aspsessionid[a-z]{8}=[0-9a-z]{16,})$`)
	coldFusion = regexp.MustCompile(`(^|&)cfid=[0-9]+&cftoken=[0-9a-z-]+`)
)

// keyPath returns the path as it stands in a key. Where Java's parser resolves dots before anything is
// unescaped, it is not looked at further.
func keyPath(path string) (string, bool) {
	if strings.Contains(path, "/.") && hasDots(path) {
		return "", false
	}
	path, ok := unescaped(strings.ToLower(path))
	if !ok {
		return "", false
	}
	var kept []string
	for segment := range strings.SplitSeq(escaped(path), "/") {
		switch {
		case segment == "..":
			kept = kept[:max(0, len(kept)-1)]
		case segment != "" && segment != ".":
			kept = append(kept, segment)
		}
	}
	path = "/" + strings.Join(kept, "/")
	for _, session := range pathSessions {
		path = replaceFirst(session, path, "$1")
	}
	return path, true
}

// hasDots reports whether a segment is "." or "..".
func hasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// keyQuery returns the query as it stands in a key, with its question mark; "" if nothing is left.
func keyQuery(query string) (string, bool) {
	fields := strings.Split(strings.ToLower(query), "&")
	slices.Sort(fields)
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "" || querySession.MatchString(f) })
	query, ok := unescaped(strings.Join(fields, "&"))
	query = replaceFirst(coldFusion, escaped(query), "")
	if query == "" {
		return "", ok
	}
	return "?" + query, ok
}

// replaceFirst replaces the first match.
func replaceFirst(pattern *regexp.Regexp, s, with string) string {
	at := pattern.FindStringSubmatchIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]] + string(pattern.ExpandString(nil, with, s, at)) + s[at[1]:]
}

// mostLayers is how many layers of escapes are taken off: what has more has been made for that.
const mostLayers = 8

// unescaped takes escapes off until nothing changes. It is not ok if what they say is no UTF-8.
func unescaped(s string) (string, bool) {
	for range mostLayers {
		next, ok := unescapedOnce(s)
		if !ok {
			return "", false
		}
		if next == s {
			return s, true
		}
		s = next
	}
	return "", false
}

func unescapedOnce(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		run := len(out)
		for i+2 < len(s) && s[i] == '%' && digit(s[i+1]) >= 0 && digit(s[i+2]) >= 0 {
			out = append(out, byte(digit(s[i+1])<<4|digit(s[i+2])))
			i += 3
		}
		if !utf8.Valid(out[run:]) {
			return "", false
		}
		if i < len(s) {
			out = append(out, s[i])
			i++
		}
	}
	return string(out), true
}

// digit returns what a hexadecimal digit stands for, -1 for anything else.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// escaped escapes what may not stand in a URL.
func escaped(s string) string {
	const hex = "0123456789abcdef"
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c == '%' || c == '#' || c <= ' ' || c >= 0x7f {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}
