package admin

import (
	"net/http"
	"strings"
)

// sender is what made the client send a request.
type sender int

const (
	program   sender = iota // no browser
	ourPage                 // a page of ours, or a person who typed the address
	otherPage               // a page of another site
	untold                  // a browser that does not say
)

// senderOf says what made the client send a request.
//
// Browsers say so of every request to an address of loopback (Fetch Metadata Request Headers,
// section 2.3). To other addresses of plain HTTP they do not: there an Origin goes with what
// changes something and with what a page could read, and a Referer with most of the rest, which the
// page that asks may suppress, and never forge. So a browser that says none of the three may come
// from anywhere. It is known by its User-Agent, which no page can change unless we consent, and by
// the field of those that leave one page for another. What a typed address redirects to is typed
// too.
func senderOf(r *http.Request) sender {
	said := program
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return otherPage
		}
		said = ourPage
	}
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, ownOrigin(r)) && !isSecured(origin, r, said == ourPage) {
			return otherPage
		}
		said = ourPage
	}
	if said == ourPage {
		return said
	}
	for _, page := range r.Header.Values("Referer") {
		start := ownOrigin(r) + "/"
		if len(page) < len(start) || !strings.EqualFold(page[:len(start)], start) {
			return otherPage
		}
		said = ourPage
	}
	if said == program && isBrowser(r.Header) {
		return untold
	}
	return said
}

// isSecured reports an Origin of ours where something before us takes TLS off and leaves Host as it
// is: no field that such a proxy adds says so for certain, but the browser says that what it asked
// for is of the page's own origin, scheme included, and so there is no other than ours.
func isSecured(origin string, r *http.Request, isSame bool) bool {
	const secure, port = "https://", ":443"
	return isSame && len(origin) > len(secure) && strings.EqualFold(origin[:len(secure)], secure) &&
		strings.EqualFold(strings.TrimSuffix(origin[len(secure):], port), strings.TrimSuffix(r.Host, port))
}

// isBrowser reports the fields of a browser: all of them call themselves Mozilla.
func isBrowser(h http.Header) bool {
	return strings.HasPrefix(h.Get("User-Agent"), "Mozilla/") ||
		h.Get("Upgrade-Insecure-Requests") != "" || h.Get("Sec-Fetch-Mode") != ""
}

// ownOrigin is the origin of our own pages, as the client has asked for them.
func ownOrigin(r *http.Request) string {
	if mark, named := cameByName(r); named && mark.secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// followsLink reports a request by which a person goes from one page to another in a tab.
func followsLink(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	}
	return r.Header.Get("Upgrade-Insecure-Requests") != "" && r.Header.Get("Origin") == ""
}

// isProbe reports a question that a machine asks under whatever name it knows us by.
func isProbe(r *http.Request) bool { return r.URL.Path == healthPath || r.URL.Path == readyPath }
