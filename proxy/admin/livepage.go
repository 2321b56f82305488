package admin

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"warcorder/proxy/admin/live"
	"warcorder/proxy/hosts"
)

// Live is how the live page is shown at /, to those who may read. Others are led to the trust page,
// as all are who come by our own name.
//
// A page needs proof to change something, as all do; so the browser of who is in Control gets the
// cookie when it shows the page (token.go), which counts for pages of ours alone.
type Live struct {
	Control hosts.Networks        // whose page changes something without the token, if they may read
	Frames  func() netip.AddrPort // where the listener is whose frames show recorded pictures; nil: none
}

const frontPattern = "GET /{$}"

// seesLive reports whether a request for / shows the live page.
func (a *Admin) seesLive(r *http.Request, given proof) bool {
	_, named := cameByName(r)
	return a.live != nil && !named && a.refuse(r, &Page{For: Readers}, given) == nil
}

// livePage shows the live page. A browser in which a person looks at it gets the cookie.
func (a *Admin) livePage(w http.ResponseWriter, r *http.Request, given proof) {
	if followsLink(r) && a.mayControl(r) {
		a.proofs.give(w, r)
		given = inCookie
	}
	live.Visit{Control: given != noProof, Previews: a.framesAt(r), Proxy: a.proxyAt(r)}.Write(w)
}

// mayControl reports whether the page of who has no token may change something.
func (a *Admin) mayControl(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && a.live != nil && a.live.Control.HasPeer(from.Addr()) && a.mayRead(r) == nil
}

// needsProof is what a request gets that has none, for a page that changes something. A page whose
// cookie counts no more is told how it gets another one.
func (a *Admin) needsProof(r *http.Request, from sender) *refusal {
	if from != ourPage || !a.mayControl(r) {
		return needsToken
	}
	return &refusal{http.StatusUnauthorized, "This page may change nothing any more: the recorder was " +
		"started anew, the page was open for long, or its browser keeps no cookies. Load it again."}
}

// framesAt is the origin of the frames, as the client of a request reaches it: at the host that it
// has asked us at, unless they are at another address; "" if they are where it cannot reach them.
func (a *Admin) framesAt(r *http.Request) string {
	if a.live.Frames == nil {
		return ""
	}
	at := a.live.Frames()
	host, _, err := net.SplitHostPort(a.ownAt(r.Host))
	if !at.IsValid() || err != nil {
		return ""
	}
	if address := at.Addr().Unmap(); !address.IsUnspecified() && address != localAddress(r).Addr() {
		if address.IsLoopback() && !IsLocal(r) {
			return ""
		}
		host = address.String()
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(int(at.Port())))
}
