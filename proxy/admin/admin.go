// Package admin answers what is asked of the proxy itself, on the proxy's own port and, through the
// proxy, by its own name (name.go): its state, the root certificate and how to trust it (package
// trust), the writing of records that are no exchanges (RecordPage), the switch that pauses
// recording, and whatever is mounted beside them, such as the export of the index.
//
//	a request ─► came it by our own name?      name.go: what is for everybody, and nothing else
//	          ─► whose name is in Host?        ownName: else 421
//	          ─► which page is it for?         tree.go: some have paths that end with a URL
//	          ─► has it the token?             token.go: header and URL count from everywhere
//	          ─► what made a browser send it?  sender.go: a page of another site gets nothing
//	          ─► the cookie                    token.go: of a page of ours; for a change it says so
//	          ─► the address that asks         Config.Readers; nobody changes anything by it, but who
//	                                           is in Live.Control gets the cookie: livepage.go
//
// Invariant: pages answer only to the proxy's own names: a web page that lets its own host name
// point at this machine (DNS rebinding) gets nothing. What a page of another site makes a browser
// send starts no work and changes nothing: it may lead a person to a page that is open to
// everybody, and that is all. Nothing changes state without the token or the cookie, by the cookie
// nothing that is not for Controllers, and no answer tells the token.
package admin

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"warcorder/proxy/admin/live"
	"warcorder/proxy/admin/trust"
	"warcorder/proxy/hosts"
)

// Config is what the pages show, and to whom.
type Config struct {
	CA       Authority
	Listener netip.AddrPort // where the proxy listens
	Readers  hosts.Networks // who may read what is recorded without a token

	// Tokens read and change, from everywhere. Each is as good as the others; an empty one is none.
	Tokens []string

	// State is what /status shows, as JSON, and whether clients are served in that state: both are of
	// one moment.
	State func() (state any, serving bool)
	Ready func() error // nil unless clients are refused: nothing can be recorded

	Live *Live // what who may read sees at /; nil: what all see

	// Asked is told of each request for a page that is for Controllers, before that has it; nil: nobody
	// is told.
	Asked func(r *http.Request, byPage bool)
}

// DefaultReaders are the programs of this machine.
const DefaultReaders = "@loopback"

// Page is one of the proxy's own pages.
type Page struct {
	Pattern string // as http.ServeMux has it
	For     Audience
	JSON    bool // it answers programs in JSON, errors included
	http.Handler
}

// Audience says who may have a page.
type Audience int

const (
	Readers     Audience = iota // Config.Readers, and those who have the token
	TokenHolder                 // those who have the token, and send it
	Controllers                 // those who have the token, and pages of ours whose browser has the cookie
	Everybody                   // whoever reaches the port. Nothing is worked out for such a page
)

// Admin is the handler of the proxy's own pages.
type Admin struct {
	cfg      Config
	mux      *http.ServeMux
	added    []Page // beside those of the package's own
	trees    []*Tree
	isProxy  bool
	readers  hosts.Networks
	proofs   proofs
	live     *Live
	told     func(r *http.Request, byPage bool) // Config.Asked
	hostname string
	listener netip.AddrPort
	facts    trust.Facts
}

// New makes the pages. Others may be added before the first request.
func New(cfg Config) *Admin {
	a := NewBare(cfg)
	a.isProxy, a.live, a.told = true, cfg.Live, cfg.Asked
	a.facts = trust.Facts{Root: cfg.CA.root(), Name: Name, Recorder: rand.Text(), Ask: ask,
		AskTrust: askTrust, Live: cfg.Live != nil}
	for _, page := range []Page{
		{frontPattern, Everybody, false, http.HandlerFunc(a.front)},
		{"GET " + trustPath, Everybody, false, http.HandlerFunc(a.trustPage)},
		{"GET " + askPath, Everybody, true, http.HandlerFunc(a.here)},
		{"GET " + trust.PACPath, Everybody, false, http.HandlerFunc(a.pac)},
	} {
		a.mount(page)
	}
	if a.live != nil {
		a.mount(Page{"GET " + live.Path + "{name...}", Readers, false, http.HandlerFunc(live.Assets)})
	}
	for _, page := range cfg.CA.pages() {
		a.mount(page)
	}
	return a
}

// NewBare makes the pages of a program that is no proxy: none of setting up, and no front page. The
// authority of cfg is not looked at.
func NewBare(cfg Config) *Admin {
	a := &Admin{
		cfg:      cfg,
		mux:      http.NewServeMux(),
		readers:  cfg.Readers,
		proofs:   newProofs(cfg.Tokens),
		listener: cfg.Listener,
	}
	if name, err := os.Hostname(); err == nil {
		a.hostname = strings.ToLower(name)
	}
	a.mount(Page{"GET /healthz", Everybody, false, http.HandlerFunc(healthy)})
	a.mount(Page{"GET /readyz", Everybody, false, readyPage(cfg.Ready)})
	a.mount(Page{"GET /status", Readers, true, statusPage(cfg.State)})
	return a
}

// NewLocal makes none: programs of this machine, and no page of another site, get what is added.
func NewLocal(listener netip.AddrPort) *Admin {
	return &Admin{mux: http.NewServeMux(), readers: hosts.Words(DefaultReaders), proofs: newProofs(nil),
		listener: listener}
}

// Add mounts a page.
func (a *Admin) Add(page Page) {
	a.added = append(a.added, page)
	a.mount(page)
}

func (a *Admin) mount(page Page) { a.mux.Handle(page.Pattern, &page) }

// ServeHTTP answers a request in origin-form.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	given, asked := a.shown(r)
	r = asked.r
	page := a.page(&asked)
	if a.isWrong(&asked) {
		w.Header().Set("Referrer-Policy", "no-referrer")
		wrongToken.write(w, r, page.JSON)
		return
	}
	if refused := a.refuse(r, page, given); refused != nil {
		if refused == silence {
			panic(http.ErrAbortHandler) // which ends the connection, and nothing else
		}
		refused.write(w, r, page.JSON)
		return
	}
	if a.misplaced(&asked) {
		misplacedToken.write(w, r, page.JSON)
		return
	}
	if given == inURL {
		consent(w.Header(), r)
		switch {
		case isPreflight(r):
			w.WriteHeader(http.StatusNoContent)
			return
		case page.Handler != nil && followsLink(r):
			a.proofs.exchange(w, r)
			return
		}
	}
	if page.For == Controllers && a.told != nil {
		a.told(r, given == inCookie)
	}
	switch {
	case asked.tree != nil:
		page.ServeHTTP(w, r)
		return
	case page.Pattern == frontPattern && a.seesLive(r, given):
		a.livePage(w, r, given)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// shown is what a request asks for, and what it shows of the token.
func (a *Admin) shown(r *http.Request) (proof, asked) {
	asked := a.asked(r)
	if _, named := cameByName(r); named {
		return noProof, asked
	}
	return a.proofs.of(r, asked.token), asked
}

// page is the page that a request is for; without a Handler if there is none.
func (a *Admin) page(asked *asked) *Page {
	if asked.tree != nil {
		return &asked.tree.Page
	}
	handler, _ := a.mux.Handler(asked.r)
	if page, ok := handler.(*Page); ok {
		return page
	}
	return &Page{}
}

// protect says of an answer what holds of all: it is in no frame and no cache, no page of another
// site reads or embeds it, and where it leads learns nothing of its URL.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuse says why a request does not get a page; nil if it does.
func (a *Admin) refuse(r *http.Request, page *Page, given proof) *refusal {
	from := senderOf(r)
	if _, named := cameByName(r); named {
		return a.refuseByName(r, page, from)
	}
	if !a.ownName(r.Host) && !(isProbe(r) && from == program) {
		return a.misdirected(r.Host)
	}
	switch {
	case given == inHeader, given == inURL:
		return nil
	case page.For == Everybody:
		if from != otherPage || followsLink(r) {
			return nil
		}
		return otherPages
	case page.For == TokenHolder:
		return needsToken
	case page.For == Controllers && given == noProof:
		return a.needsProof(r, from)
	case from == otherPage:
		return otherPages
	case from == untold:
		return &refusal{http.StatusForbidden, "Your browser does not say which page sent you, and " +
			"pages of other sites get nothing here. Follow the link on the front page, http://" + r.Host +
			"/, or add ?token= and the token to the address."}
	case given == inCookie:
		return cookieMay(r, page)
	}
	return a.mayRead(r)
}

// otherPages is what pages of other sites are told; they cannot even read it.
var otherPages = &refusal{http.StatusForbidden, "A page of another site asked for this, and such " +
	"pages get nothing here. To see it, type the address into a tab."}

const byToken = "This needs the token: that of the file recorder.token beside recorder.json in " +
	"the collection, or the one that warcorder was started with (api-token). Send it as " +
	"Authorization: Bearer TOKEN, or, where no header can be sent, as ?token=TOKEN in the address, or " +
	"before its path: /token=TOKEN/…"

var needsToken = &refusal{http.StatusUnauthorized, byToken}

// misdirected is what a request gets that has another name than ours in Host.
func (a *Admin) misdirected(host string) *refusal {
	why := "This is warcorder, and " + host + " is none of its names. "
	if a.isProxy {
		why += "To record, set this address as the proxy; for its own pages use"
	} else {
		why += "For its pages use"
	}
	return &refusal{http.StatusMisdirectedRequest, why + " an IP address or localhost."}
}

// mayRead is refuse for who has no token.
func (a *Admin) mayRead(r *http.Request) *refusal {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case err != nil || !a.readers.HasPeer(from.Addr()):
		return &refusal{http.StatusUnauthorized, "Your address is not one of readers. " + byToken}
	case from.Addr().Unmap().IsLoopback() && !onLoopbackName(r.Host):
		return &refusal{http.StatusForbidden, "On this machine, ask for this page at 127.0.0.1, " +
			"[::1] or localhost: only there browsers say which page makes them ask."}
	}
	return nil
}

// IsOwnName reports a Host that no foreign page can make a browser send to us.
func (a *Admin) IsOwnName(host string) bool { return a.ownName(host) }

// ownName reports a Host that no foreign page can make a browser send to us: an address, localhost,
// this machine's name.
func (a *Admin) ownName(host string) bool {
	name := hostOf(host)
	_, err := netip.ParseAddr(name)
	return err == nil || name == "localhost" || a.hostname != "" && name == a.hostname
}

// onLoopbackName reports a Host at which browsers take us for trustworthy, and so send what
// senderOf needs. At others, such as 0.0.0.0 or the machine's name, they may reach us and do not.
func onLoopbackName(host string) bool {
	name := hostOf(host)
	address, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && address.Unmap().IsLoopback()
}

// hostOf is the name of a Host field, without port and brackets, in lower case.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}
