package cdxapi

import (
	"fmt"
	"net/http"
	neturl "net/url"
	"strings"
)

// TimeMap answers as the Wayback Machine does below /web/timemap/: the path ends with cdx, json or
// link, and the URL behind that, or in the parameter url. A URL in the path has all that follows for
// its own, its query too; there are no parameters then. The links lead to paths below the name of
// the collection, if it has one.
func TimeMap(c Collection) http.Handler { return newHandler(c, usual, askedOfTimeMap) }

// askedOfTimeMap judges a request.
func askedOfTimeMap(r *http.Request, name string) (*question, error) {
	prefix, output, url := timeMapOf(r)
	p := paramsOf(r.URL.RawQuery, waybackKnows)
	if url != "" {
		p = &params{values: map[string][]string{"url": {url}}}
	}
	q := p.wayback()
	if url != "" {
		q.limit = 0 // there is no parameter to ask for the rest
	}
	switch output {
	case "cdx", "json":
		p.waybackFormat(q, output)
	case "link":
		if q.resumable {
			p.fail("showResumeKey", "links have no place for a key: ask for cdx or json")
		}
		if name != "" {
			prefix = "/" + neturl.PathEscape(name) + prefix
		}
		q.format = timeMap(r, prefix, q.query.URL)
	default:
		p.fail("timemap", "%s is not supported: it is one of cdx, json, link", quoted(output))
	}
	return q, p.err
}

// timeMapOf takes the target of a request apart: what is before timemap/, how the map is to be
// written, and the URL.
func timeMapOf(r *http.Request) (prefix, output, url string) {
	prefix, rest, _ := strings.Cut(r.URL.EscapedPath(), "timemap/")
	output, url, _ = strings.Cut(rest, "/")
	if url == "" {
		return prefix, output, ""
	}
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		url += "?" + r.URL.RawQuery
	}
	if plain := strings.ToLower(url); strings.HasPrefix(plain, "http%3a") || strings.HasPrefix(plain, "https%3a") {
		if decoded, err := neturl.PathUnescape(url); err == nil {
			url = decoded
		}
	}
	if scheme, rest, found := strings.Cut(url, ":/"); found && !strings.HasPrefix(rest, "/") &&
		(strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		url = scheme + "://" + rest // a client, or a proxy, has made one slash of two
	}
	return prefix, output, url
}

// timeMap writes a time map of RFC 7089. The captures are had below prefix, as they were sent.
func timeMap(r *http.Request, prefix, url string) format {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	base := scheme + "://" + r.Host + prefix
	head := fmt.Sprintf("<%s>; rel=\"original\",\n<%s>; rel=\"self\"; type=\"application/link-format\"",
		linkable(url), linkable(base+"timemap/link/"+url))
	relation := "first memento"
	return format{
		contentType: "application/link-format",
		begin:       head + ",\n", between: ",\n", end: "\n", none: head + "\n",
		line: func(dst []byte, l *line) []byte {
			dst = appendMemento(dst, base+l.value("timestamp")+"id_/"+l.URL, relation, l)
			relation = "memento"
			return dst
		},
	}
}
