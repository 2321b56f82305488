package cmd

import (
	"net"
	"net/http"
	"net/netip"
	"slices"

	"golang.org/x/net/netutil"
)

// aside is a listener of this process that is no proxy, and to which the proxy connects nobody; nil is
// none.
type aside struct {
	ln     net.Listener
	server *http.Server // nil until it answers
}

// address is where it listens; "" if there is none.
func (a *aside) address() string {
	if a == nil {
		return ""
	}
	return a.ln.Addr().String()
}

// at is that address; the zero value if there is none.
func (a *aside) at() netip.AddrPort {
	at, _ := netip.ParseAddrPort(a.address())
	return at
}

// addresses are where nothing of the proxy's is to connect.
func (a *aside) addresses() []net.Addr {
	if a == nil {
		return nil
	}
	return []net.Addr{a.ln.Addr()}
}

// asides are the listeners of the recorder to which the proxy connects nobody.
func (s *serving) asides() []net.Addr {
	return slices.Concat(s.preview.addresses(), s.debug.addresses())
}

// start lets the server answer, on so many connections at a time.
func (a *aside) start(server *http.Server, most int) {
	a.server = server
	go server.Serve(netutil.LimitListener(a.ln, most))
}

// close ends it, and what it answers.
func (a *aside) close() error {
	switch {
	case a == nil:
		return nil
	case a.server == nil:
		return a.ln.Close()
	}
	return a.server.Close()
}
