package admin

import (
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"warcorder/proxy/admin/trust"
)

// The pages of setting up, and the two questions of the trust page: by what it can have at these
// addresses it tells whether a browser goes through the recorder, and trusts its certificate.
const (
	trustPath = trust.Path
	askPath   = "/here"
	ask       = "http://" + Name + askPath
	askTrust  = "https://" + TrustName + askPath
)

// trustPage shows the trust page.
func (a *Admin) trustPage(w http.ResponseWriter, r *http.Request) {
	visit := trust.Visit{
		Proxy:  a.proxyAt(r),
		Local:  IsLocal(r),
		Phones: a.forPhones(r),
		System: trust.SystemOf(r.UserAgent()),
	}
	if _, named := cameByName(r); named {
		visit.Pages = "http://" + visit.Proxy
	}
	page, err := trust.Page(a.facts, visit)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", trust.Policy(a.facts))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page)
}

// front leads to the trust page; under our own name it is that page.
func (a *Admin) front(w http.ResponseWriter, r *http.Request) {
	if _, named := cameByName(r); named {
		a.trustPage(w, r)
		return
	}
	w.Header().Set("Location", trustPath)
	w.WriteHeader(http.StatusFound)
}

// pac is the script for automatic proxy configuration.
func (a *Admin) pac(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-ns-proxy-autoconfig")
	io.WriteString(w, trust.PAC(a.proxyAt(r)))
}

// here says which recorder this is, to a page of a recorder's own (isRecordersPage). It is the same
// for all who ask, for as long as the process lives.
func (a *Admin) here(w http.ResponseWriter, r *http.Request) {
	if _, named := cameByName(r); !named {
		http.NotFound(w, r)
		return
	}
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close") // each question is to be a handshake of its own
	json.NewEncoder(w).Encode(map[string]string{"recorder": a.facts.Recorder})
}

// isRecordersPage reports an Origin that only the page of a recorder has, this one or another, or
// what else somebody serves in a network where recorders are: our own name, this machine's, and
// addresses that are nobody's from outside.
func (a *Admin) isRecordersPage(origin string) bool {
	page, err := url.Parse(origin)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" || page.User != nil {
		return false
	}
	host := strings.TrimSuffix(hostOf(page.Host), ".")
	if host == Name {
		return page.Port() == ""
	}
	if page.Scheme != "http" {
		return false
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost" || a.hostname != "" && host == a.hostname
	}
	address = address.Unmap()
	return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() ||
		address == a.listener.Addr()
}
