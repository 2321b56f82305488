package admin

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// navigable are the pages that a link on any site may lead to: those for people, certificates, and
// the file that configures a browser. Nothing is worked out for them, and the page that links sees
// nothing of them.
var navigable = map[string]bool{"/": true, "/ca.pem": true, "/ca.crt": true, "/proxy.pac": true}

// crossSite reports a request that a page of another site made a browser send. Browsers say so of
// every request to an address of loopback (Fetch Metadata Request Headers, section 2.3); older ones
// say whose page it is of those that change something. Whoever says neither is no page.
func crossSite(r *http.Request) bool {
	if sites := r.Header.Values("Sec-Fetch-Site"); len(sites) > 0 {
		return len(sites) > 1 || sites[0] != "same-origin" && sites[0] != "none"
	}
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, "http://"+r.Host) {
			return true
		}
	}
	return false
}

// followsLink reports a request by which a person goes from one page to another in a tab.
func followsLink(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// onLoopbackName reports a Host at which browsers take us for trustworthy, and so send what
// crossSite needs. At others, such as 0.0.0.0 or the machine's name, they may reach us and do not.
func onLoopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}
