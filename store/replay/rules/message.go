package rules

import (
	"cmp"
	"net/url"
	"strings"

	"warcorder/canon"
)

// argument is an argument of a query, a field of a form or a leaf of a JSON body.
type argument struct{ name, value string }

func byName(a, b argument) int {
	return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.value, b.value))
}

// message is a request taken apart.
type message struct {
	asked    *Asked
	method   string // in upper case
	host     string // in lower case, without port
	surtHost string // as it begins the URL key
	site     string // scheme, authority and the slashes between
	path     string // as it was written
	segments []string
	query    []argument
	raw      []string // the arguments of the query as they were written
	body     []argument
	pywb     string // the body as it stands in the URL key
}

// newMessage takes a request apart. It is false for a URL that is none of HTTP, has no proper host,
// or a fragment, which nobody sends; and for a request of more arguments than maxArgs.
func newMessage(a *Asked) (*message, bool) {
	m := &message{asked: a, method: strings.ToUpper(cmp.Or(a.Method, "GET"))}
	site, path, query, ok := cutURL(a.URL)
	key, hasKey := canon.SURT(a.URL)
	if !ok || !hasKey || !only(a.URL, isOfURL) || strings.Count(query, "&") >= maxArgs {
		return nil, false
	}
	if m.site, m.path, m.host = site, path, hostOf(site); !isHost(m.host) {
		return nil, false
	}
	m.surtHost = surtHost(key)
	m.segments = appendSegments(nil, path)
	if query != "" {
		m.raw = strings.Split(query, "&")
	}
	m.query = appendQuery(nil, query)
	if m.method == "GET" {
		return m, true
	}
	request := canon.Request{URL: a.URL, Method: m.method, ContentType: a.ContentType, Body: a.Body}
	m.pywb = canon.Pywb.Query(&request)
	m.body = appendBody(nil, canon.Spec.Query(&request))
	return m, len(m.query)+len(m.body) <= maxArgs
}

// cutURL takes a URL of http or https apart, without its fragment.
func cutURL(u string) (site, path, query string, ok bool) {
	u, _, _ = strings.Cut(u, "#")
	u, query, _ = strings.Cut(u, "?")
	scheme, rest, ok := strings.Cut(u, "://")
	ok = ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		at := len(scheme) + len("://") + slash
		return u[:at], u[at:], query, ok
	}
	return u, "", query, ok
}

// hostOf returns the host of scheme://user@host:port, in lower case.
func hostOf(site string) string {
	_, host, _ := strings.Cut(site, "://")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	return strings.ToLower(host)
}

// isOfURL reports whether a URL that is asked for may hold c as it is: no blank, nothing that does
// not show, and no fragment.
func isOfURL(c byte) bool { return c > ' ' && c != 0x7f && c != '#' }

// isHost reports whether a host is one that a browser asks: others have keys of their own.
func isHost(host string) bool {
	if address, found := strings.CutPrefix(host, "["); found {
		address, found = strings.CutSuffix(address, "]")
		return found && only(address, func(c byte) bool { return isHex(c) || c == ':' || c == '.' })
	}
	return host != "" && host[0] != '.' && !strings.Contains(host, "..") &&
		only(host, func(c byte) bool {
			return isDigit(c) || isLetter(c) || strings.IndexByte("-._", c) >= 0
		})
}

// appendSegments appends the segments of a path, decoded: those between its slashes.
func appendSegments(dst []string, path string) []string {
	path = strings.TrimPrefix(path, "/")
	for more := true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		dst = append(dst, decoded(segment))
	}
	return dst
}

// appendQuery appends the arguments of a query.
func appendQuery(dst []argument, query string) []argument {
	return appendPairs(dst, query, decoded)
}

// appendPairs appends what stands between each & of a text as a name and a value.
func appendPairs(dst []argument, text string, decode func(string) string) []argument {
	for more := text != ""; more; {
		var pair string
		pair, text, more = strings.Cut(text, "&")
		name, value, _ := strings.Cut(pair, "=")
		dst = append(dst, argument{decode(name), decode(value)})
	}
	return dst
}

// decoded returns s with its escapes decoded once, or s itself if one of them is none. A plus sign
// is a plus sign.
func decoded(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if text, err := url.PathUnescape(s); err == nil {
		return text
	}
	return s
}

// postData is what a body stands behind that is no JSON, in the dialect spec.
const postData = "__wb_post_data="

// appendBody appends the arguments of a body, whose query in the dialect spec is given: that one is
// not cut. JSON is leaves there already; of a form, the text has been decoded once and encoded as a
// whole. A body that is neither is one argument without a name.
func appendBody(dst []argument, query string) []argument {
	text, isText := strings.CutPrefix(query, postData)
	if !isText {
		return appendPairs(dst, query, unplussed) // a name that comes again has a number: tags.2_
	}
	plain, err := url.QueryUnescape(text)
	switch {
	case err != nil || strings.IndexByte(text, '&') >= 0: // too long: its beginning and its digest
		return append(dst, argument{"", text})
	case strings.HasPrefix(plain, "--"):
		return appendParts(dst, plain)
	case strings.IndexByte(plain, '=') < 0 || text[len(text)-1] == '=': // Base64
		return append(dst, argument{"", text})
	}
	return appendPairs(dst, plain, func(s string) string { return s })
}

// unplussed decodes what is percent-plus encoded.
func unplussed(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		return text
	}
	return s
}

// appendParts appends the parts of a multipart body: name and value of each. Its boundary is
// another one each time.
func appendParts(dst []argument, body string) []argument {
	boundary, rest, found := strings.Cut(body, "\r\n")
	if !found || len(boundary) > 80 {
		return append(dst, argument{"", body})
	}
	for more := true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "\r\n"+boundary)
		rest = strings.TrimPrefix(rest, "\r\n")
		head, value, _ := strings.Cut(part, "\r\n\r\n")
		if part != "" && part != "--" && part != "--\r\n" {
			dst = append(dst, argument{partName(head), value})
		}
	}
	return dst
}

// partName returns the name of a part, as browsers write it; else all of its head.
func partName(head string) string {
	_, name, found := strings.Cut(head, `name="`)
	name, _, closed := strings.Cut(name, `"`)
	if !found || !closed {
		return head
	}
	return name
}
