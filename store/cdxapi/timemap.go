package cdxapi

import (
	"errors"
	"fmt"
	"net/http"
	neturl "net/url"
	"strings"

	"warcorder/store"
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
		q.links = linkMapOf(r, prefix, q.query.URL)
		q.links.isWhole = url != ""
		q.format = q.links.format()
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

// linkMap is a time map of RFC 7089. The captures are had below base, as they were sent.
type linkMap struct {
	url, base   string
	isWhole     bool           // no parameter leaves any capture out
	first, last *store.Capture // of the URL; nil if they are not known
}

func linkMapOf(r *http.Request, prefix, url string) *linkMap {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return &linkMap{url: url, base: scheme + "://" + r.Host + prefix}
}

// format returns how the links are written.
func (m *linkMap) format() format {
	head := fmt.Sprintf("<%s>; rel=\"original\",\n<%s>; rel=\"self\"; type=\"application/link-format\"",
		linkable(m.url), linkable(m.base+"timemap/link/"+m.url))
	if m.isWhole && m.first != nil && m.last != nil {
		head += fmt.Sprintf("; from=\"%s\"; until=\"%s\"", dateOf(m.first), dateOf(m.last))
	}
	return format{
		contentType: "application/link-format",
		begin:       head + ",\n", between: ",\n", end: "\n", none: head + "\n",
		line: func(dst []byte, l *line) []byte {
			return appendMemento(dst, m.base+l.value("timestamp")+"id_/"+l.URL, m.relation(l.Capture), l)
		},
	}
}

// relation returns what a capture is to the URL.
func (m *linkMap) relation(c *store.Capture) (text string) {
	if m.first != nil && m.first.Location == c.Location {
		text = "first "
	}
	if m.last != nil && m.last.Location == c.Location {
		text += "last "
	}
	return text + "memento"
}

// findEnds finds the first and the last capture of the URL, whatever part of them is asked for. A map of
// all ends with that one, though others may come meanwhile. Where too many captures have no line at an
// end, which one it is stays unknown.
func (r *run) findEnds(walk *store.Walk) error {
	m := r.links
	if !r.isExact() {
		return nil
	}
	for _, end := range []struct {
		back bool
		is   **store.Capture
	}{{false, &m.first}, {true, &m.last}} {
		all, looked := *walk, 0
		all.Query.From, all.Query.To, all.Back = "", "", end.back
		all.Look = func(n int, _ store.Place) error {
			if r.told != nil {
				r.told(r.ctx, n)
			}
			if looked += n; looked > r.bounds.looked {
				return errEnough
			}
			return r.ctx.Err()
		}
		err := r.index.Walk(all, func(c *store.Capture) bool {
			one := *c
			*end.is = &one
			return false
		})
		if err != nil && !errors.Is(err, errEnough) && !errors.Is(err, store.ErrBack) {
			return err
		}
	}
	if m.isWhole && m.last != nil {
		walk.Query.To = store.FourDigitYear(m.last.Time).Format("20060102150405")
	}
	return nil
}
