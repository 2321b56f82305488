package record

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"warcorder/store"
)

// visit is what a head says of the page that it belongs to. Of a field that is there twice the
// first one counts.
type visit struct {
	referer, origin, location []byte

	dest   store.Dest
	site   store.Site
	traits store.Traits

	agent    bool // the User-Agent is that of a browser
	language bool // there is Accept-Language
	attached bool // the response is a download
	reserved bool // and lets no more be told than an origin
}

// take notes the value of one of the fields.
func (v *visit) take(field fieldName, value []byte) {
	if len(value) == 0 {
		return
	}
	first := func(to *[]byte) {
		if *to == nil {
			*to = value
		}
	}
	switch field {
	case referer:
		first(&v.referer)
	case origin:
		first(&v.origin)
	case location:
		first(&v.location)
	case userAgent:
		v.agent = v.agent || isBrowser(value)
	case acceptLanguage:
		v.language = true
	case fetchMode:
		v.traits |= store.Told
		if bytes.EqualFold(value, []byte("navigate")) {
			v.traits |= store.Navigates
		}
	case fetchDest:
		v.traits |= store.Told
		if v.dest == store.DestUnknown {
			v.dest = destOf(value)
		}
	case fetchSite:
		if v.site == store.SiteUnknown {
			v.site = siteOf(value)
		}
	case purpose:
		if bytes.HasPrefix(bytes.ToLower(value[:min(len(value), len("prefetch"))]), []byte("pre")) {
			v.traits |= store.Ahead
		}
	case upgrades:
		v.traits |= store.Upgrades
	case requestedWith:
		v.traits |= store.Scripted
	case referrerPolicy:
		v.reserved = isReserved(value)
	case disposition:
		kind, _, _ := bytes.Cut(value, []byte(";"))
		v.attached = v.attached || bytes.EqualFold(bytes.TrimSpace(kind), []byte("attachment"))
	}
}

// isBrowser reports whether a User-Agent is that of a browser, as far as it says so: crawlers that
// name the one that they are "compatible" with are none.
func isBrowser(agent []byte) bool {
	return bytes.HasPrefix(agent, []byte("Mozilla/5.0 (")) &&
		!bytes.HasPrefix(agent, []byte("Mozilla/5.0 (compatible"))
}

// isReserved reports whether a Referrer-Policy lets no more be told than an origin, also to it. Of
// several words the last one counts that is known; those to come may be none of ours.
func isReserved(policy []byte) bool {
	last := bytes.TrimSpace(policy[bytes.LastIndexByte(policy, ',')+1:])
	return bytes.EqualFold(last, []byte("no-referrer")) || bytes.EqualFold(last, []byte("origin")) ||
		bytes.EqualFold(last, []byte("strict-origin"))
}

// destOf reads a Sec-Fetch-Dest.
func destOf(value []byte) store.Dest {
	switch string(value) {
	case "document":
		return store.DestDocument
	case "iframe", "frame", "fencedframe", "object", "embed":
		return store.DestFrame
	case "empty":
		return store.DestEmpty
	case "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet":
		return store.DestWorker
	case "style", "xslt":
		return store.DestStyle
	case "script", "json", "manifest":
		return store.DestScript
	}
	return store.DestLeaf
}

// siteOf reads a Sec-Fetch-Site.
func siteOf(value []byte) store.Site {
	switch string(value) {
	case "none":
		return store.SiteNone
	case "same-origin":
		return store.SiteSameOrigin
	case "same-site":
		return store.SiteSameSite
	case "cross-site":
		return store.SiteCross
	}
	return store.SiteUnknown
}

// asked adds what the head of the request says to a visit.
func (v *visit) asked(to *store.Visit, method []byte) {
	to.Dest, to.Site = v.dest, v.site
	to.Traits |= v.traits
	if v.agent && (v.language || v.traits&store.Upgrades != 0) {
		to.Traits |= store.Browser // and not a crawler that calls itself so
	}
	if len(v.origin) > 0 && string(method) == "GET" && v.traits&store.Told == 0 {
		to.Traits |= store.Scripted
	}
	if to.Referer = hashOf(v.referer); to.Referer != 0 {
		if isRoot(v.referer) {
			to.Traits |= store.AtRoot
		}
		return
	}
	if to.Referer = hashOf(v.origin); to.Referer != 0 {
		to.Traits |= store.ByOrigin
	}
}

// VisitOf is what the head of a request alone says of a page.
func VisitOf(request []byte) (v store.Visit) {
	h := ParseHead(request)
	h.visit.asked(&v, h.Method())
	return v
}

// hashOf is the hash of the URL in a field.
func hashOf(value []byte) store.URLHash {
	if len(value) == 0 {
		return 0
	}
	return store.HashURL(TargetURI(Text(value)))
}

// isRoot reports whether nothing follows the host of a URL but a slash.
func isRoot(url []byte) bool {
	_, rest, _ := bytes.Cut(url, []byte("://"))
	at := bytes.IndexAny(rest, "/?#")
	return at < 0 || string(rest[at:]) == "/"
}

// FillVisit adds what the head of a response says of the page to a capture that Fill has filled.
func (h *Head) FillVisit(c *store.Capture) {
	to, status := &c.Visit, c.Status
	if IsHTML(h.MIME()) {
		to.Traits |= store.HTML
	}
	switch {
	case status == http.StatusOK:
		to.Traits |= store.OK
	case status == http.StatusNoContent || status == http.StatusResetContent:
		to.Traits |= store.Aside
	case status >= 300 && status < 400 && len(h.visit.location) > 0:
		to.Next = nextOf(c.URL, Text(h.visit.location))
	}
	if h.visit.reserved {
		to.Traits |= store.Reserved
	}
	if h.visit.attached || status == http.StatusOK && !isShown(h.MIME()) {
		to.Traits |= store.Aside
	}
}

// IsHTML reports whether a media type is that of an HTML document.
func IsHTML(mime []byte) bool {
	return bytes.EqualFold(mime, []byte("text/html")) ||
		bytes.EqualFold(mime, []byte("application/xhtml+xml"))
}

// shownKinds are the kinds of media that browsers show; "" is what says of none.
var shownKinds = [...][]byte{[]byte("text"), []byte("image"), []byte("audio"), []byte("video"), nil}

// isShown reports whether browsers show what is of that media type, and do not save it.
func isShown(mime []byte) bool {
	kind, sub, _ := bytes.Cut(mime, []byte("/"))
	for _, shown := range shownKinds {
		if bytes.EqualFold(kind, shown) {
			return true
		}
	}
	sub = bytes.ToLower(sub)
	if !bytes.EqualFold(kind, []byte("application")) {
		return bytes.HasPrefix(sub, []byte("x-mixed-replace"))
	}
	name := string(sub)
	return name == "xml" || name == "json" || name == "pdf" || name == "javascript" ||
		strings.HasSuffix(name, "+xml") || strings.HasSuffix(name, "+json")
}

// nextOf is the hash of the URL to which a response redirects.
func nextOf(from, location string) store.URLHash {
	if len(location) > maxLocation || len(from) > maxLocation {
		return 0
	}
	base, err := url.Parse(from)
	if err != nil {
		return 0
	}
	next, err := base.Parse(location)
	if err != nil {
		return 0
	}
	return store.HashURL(TargetURI(next.String()))
}

// maxLocation is how long a URL may be that redirects, or that is redirected to, in bytes: browsers
// take some that are longer.
const maxLocation = 64 << 10

// NoteURN is what the URI of a note begins with, before the URL of the page: a metadata record of
// text/plain that refers to the record of the page's document. At the page's own URL it would be the
// newest capture of that.
const NoteURN = "urn:note:"

// aboutPrefixes are how the URIs of records about pages begin, before the page's URL.
var aboutPrefixes = []string{"urn:view:", "urn:fullPage:", "urn:text:", "urn:thumbnail:", "urn:pageinfo:",
	NoteURN}

// VisitAbout is what the URI of a record that is no exchange says of a page.
func VisitAbout(uri string) (v store.Visit) {
	if of, is := CutAbout(uri); is {
		if v.Referer = store.HashURL(TargetURI(of)); v.Referer != 0 {
			v.Traits = store.About
		}
	}
	return v
}

// CutAbout returns the URL of the page that a record with that URI is about, as its picture or its
// text; false if it is about none.
func CutAbout(uri string) (url string, is bool) {
	for _, prefix := range aboutPrefixes {
		if url, is = strings.CutPrefix(uri, prefix); is {
			return url, true
		}
	}
	return uri, false
}

// URIsAbout are the URIs that records about the page of a URL may have. Those of "" are how all such
// URIs begin.
func URIsAbout(url string) (uris []string) {
	for _, prefix := range aboutPrefixes {
		uris = append(uris, prefix+url)
	}
	return uris
}
