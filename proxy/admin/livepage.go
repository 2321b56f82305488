package admin

import (
	"net"
	"net/http"
	"strconv"

	"warcorder/proxy/admin/live"
)

// Live is how the live page is shown at /, to those who may read. Others are led to the trust page,
// as all are who come by our own name.
//
// A page needs proof to change something, as all do; so the browser of who may read, where Control
// says so, gets the cookie when it shows the page (token.go), which counts for pages of ours alone.
type Live struct {
	Control bool          // who may read, changes things from the page too
	Frames  func() uint16 // the port of the frames in which recorded pictures are; nil or 0: none
}

const frontPattern = "GET /{$}"

// seesLive reports whether a request for / shows the live page.
func (a *Admin) seesLive(r *http.Request, given proof) bool {
	_, named := cameByName(r)
	return a.live != nil && !named && a.refuse(r, &Page{For: Readers}, given) == nil
}

// livePage shows the live page. A browser in which a person looks at it gets the cookie.
func (a *Admin) livePage(w http.ResponseWriter, r *http.Request, given proof) {
	if a.live.Control && followsLink(r) && a.mayRead(r) == nil {
		a.proofs.give(w, r)
		given = inCookie
	}
	live.Visit{Control: given != noProof, Previews: a.framesAt(r), Proxy: a.proxyAt(r)}.Write(w)
}

// needsProof is what a request gets that has none, for a page that changes something. A page that was
// open for as long as a cookie counts is told how it gets another one.
func (a *Admin) needsProof(r *http.Request, from sender) *refusal {
	why := needsToken
	if a.live != nil && a.live.Control && from == ourPage && a.mayRead(r) == nil {
		why = "This page was open for so long that it may change nothing any more, or its browser keeps " +
			"no cookies: load it again."
	}
	return &refusal{http.StatusUnauthorized, why}
}

// framesAt is the origin of the frames, as the client of a request reaches it: at the host that it
// has asked us at.
func (a *Admin) framesAt(r *http.Request) string {
	if a.live.Frames == nil {
		return ""
	}
	port := a.live.Frames()
	at := a.ownAt(r.Host)
	if port == 0 || at == "" {
		return ""
	}
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return ""
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(int(port)))
}
