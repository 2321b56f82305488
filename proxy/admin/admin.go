// Package admin answers what is asked of the proxy itself, on the proxy's own port: its state, the
// root certificate, the writing of records that are no exchanges (RecordPage), and whatever is
// mounted beside them, such as the export of the index.
//
// Invariant: pages answer only to the proxy's own names: a web page that lets its own host name
// point at this machine (DNS rebinding) gets nothing. What a page of another site makes a browser
// send starts no work: it may lead a person to a page of ours, and that is all. Beyond loopback
// only the front page and the root certificate are given, and what needs a token. Nothing changes
// state without one.
package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// Authority is the root certificate as it is offered for download.
type Authority struct{ PEM, DER []byte }

// Admin is the handler of the proxy's own pages.
type Admin struct {
	mux      *http.ServeMux
	guarded  *http.ServeMux // pages that need a token
	hostname string
}

// New makes the pages. status gives what /status shows as JSON, and whether the recorder is
// recording.
func New(ca Authority, status func() (state any, recording bool)) *Admin {
	a := &Admin{mux: http.NewServeMux(), guarded: http.NewServeMux()}
	if name, err := os.Hostname(); err == nil {
		a.hostname = strings.ToLower(name)
	}
	a.Handle("GET /{$}", http.HandlerFunc(front))
	a.Handle("GET /status", statusPage(status))
	a.Handle("GET /ca.pem", file("application/x-pem-file", "warcorder-ca.pem", ca.PEM))
	a.Handle("GET /ca.crt", file("application/x-x509-ca-cert", "warcorder-ca.crt", ca.DER))
	return a
}

// Handle mounts a page; pattern is that of http.ServeMux.
func (a *Admin) Handle(pattern string, page http.Handler) { a.mux.Handle(pattern, page) }

// HandleWithToken mounts a page for those, on any machine, who send token as "Authorization: Bearer
// TOKEN". Without a token it is for nobody. What a web page makes a browser send has none, so that
// of those who do it does not matter from which site they come: a page may send the field only with
// our consent (CORS), which nobody gets.
func (a *Admin) HandleWithToken(pattern, token string, page http.Handler) {
	// of which neither length nor start shows in the time that a comparison takes
	want := sha256.Sum256([]byte(token))
	a.guarded.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		switch {
		case token == "":
			http.Error(w,
				"This needs a token, and none is set: start warcorder with api-token in its configuration "+
					"file or WARCORDER_API_TOKEN in its environment, and send the token as Authorization: "+
					"Bearer TOKEN.",
				http.StatusForbidden)
		case !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", `Bearer realm="warcorder"`)
			http.Error(w,
				"This needs the token that warcorder was started with (api-token): send it as Authorization: "+
					"Bearer TOKEN.",
				http.StatusUnauthorized)
		default:
			page.ServeHTTP(w, r)
		}
	})
}

// ServeHTTP answers a request in origin-form.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.ownName(r.Host) {
		http.Error(w,
			"This is warcorder, and "+r.Host+" is none of its names. To record, set this address as the "+
				"proxy; for its own pages use an IP address or localhost.",
			http.StatusMisdirectedRequest)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if page, pattern := a.guarded.Handler(r); pattern != "" {
		page.ServeHTTP(w, r)
		return
	}
	open := navigable[r.URL.Path]
	if crossSite(r) && !(open && followsLink(r)) {
		http.Error(w,
			"A page of another site asked for this, and such pages get nothing here. To see it, type the "+
				"address into a tab.",
			http.StatusForbidden)
		return
	}
	if !open && (!local(r.RemoteAddr) || !onLoopbackName(r.Host)) {
		http.Error(w,
			"Only programs on the proxy's own machine may read this page, at 127.0.0.1, [::1] or localhost.",
			http.StatusForbidden)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// local reports a client on this machine's loopback.
func local(address string) bool {
	ap, err := netip.ParseAddrPort(address)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// ownName reports a Host that no foreign page can make a browser send to us: an address, localhost,
// this machine's name.
func (a *Admin) ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || host == a.hostname
}

var frontPage = template.Must(template.New("front").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>warcorder</title>
<h1>warcorder is recording</h1>
<p>Set <code>{{.}}</code> as the proxy of your browser for HTTP and HTTPS, and trust its root certificate:
<a href="/ca.pem">PEM</a>, <a href="/ca.crt">DER</a>.</p>
<p><a href="/status">Status</a> · <a href="/export">CDXJ of all captures</a></p>
</html>
`))

func front(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	frontPage.Execute(w, r.Host)
}

// statusPage is 503 while nothing can be recorded, so that a health check needs to read no JSON.
func statusPage(status func() (any, bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		state, recording := status()
		w.Header().Set("Content-Type", "application/json")
		if !recording {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.Encode(state)
	})
}

func file(kind, name string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		w.Write(content)
	})
}
