package admin

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// proxyAt is host:port as the client of a request reaches us, to be set as the proxy. It is one of
// our own addresses or names, in one spelling: what a client wrote in Host is nowhere in it.
func (a *Admin) proxyAt(r *http.Request) string {
	if _, named := cameByName(r); !named {
		if at := a.ownAt(r.Host); at != "" {
			return at
		}
	}
	return localAddress(r).String()
}

// ownAt spells a Host field that has one of our own names; "" if it has none that leads here.
func (a *Admin) ownAt(host string) string {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		port = "80"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return ""
	}
	name := hostOf(host)
	if address, err := netip.ParseAddr(name); err == nil {
		if address = address.Unmap().WithZone(""); address.IsUnspecified() {
			return ""
		}
		return netip.AddrPortFrom(address, uint16(number)).String()
	}
	if name != "localhost" && name != a.hostname || strings.ContainsFunc(name, notInName) {
		return ""
	}
	return net.JoinHostPort(name, strconv.Itoa(int(number)))
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != '_'
}

// localAddress is our end of the connection that a request came by.
func localAddress(r *http.Request) netip.AddrPort {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	at := local.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

// forPhones is where other devices reach us; "" if none does. Only who is on this machine learns
// from us an address that it has not used itself.
func (a *Admin) forPhones(r *http.Request) string {
	bound := a.listener.Addr()
	if !bound.IsValid() || bound.IsLoopback() {
		return ""
	}
	if at, err := netip.ParseAddrPort(a.proxyAt(r)); err == nil && !at.Addr().IsLoopback() {
		return at.String()
	}
	if at := localAddress(r); !at.Addr().IsLoopback() && at.IsValid() {
		return at.String()
	}
	if !bound.IsUnspecified() {
		return a.listener.String()
	}
	if address := outward(); address.IsValid() {
		return netip.AddrPortFrom(address, a.listener.Port()).String()
	}
	return ""
}

// outward is the address by which this machine leaves for others. Nothing is sent: connecting a
// datagram socket only chooses the address. It leads where nobody is (RFC 5737).
func outward() netip.Addr {
	conn, err := net.Dial("udp4", "192.0.2.1:9")
	if err != nil {
		return netip.Addr{}
	}
	defer conn.Close()
	own, _ := conn.LocalAddr().(*net.UDPAddr)
	return own.AddrPort().Addr().Unmap()
}

// IsLocal reports a request from this machine.
func IsLocal(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && (from.Addr().Unmap().IsLoopback() || from.Addr() == localAddress(r).Addr())
}
