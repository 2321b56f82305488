// Package proxy stands between clients and origins: it accepts connections, intercepts TLS, relays
// HTTP/1.1 in both directions and hands each exchange to package recorder.
//
// The front door is net/http with goproxy: CONNECT requests and what is meant for the proxy itself.
// The data path is the relay (relay.go, exchange.go, upload.go), which reads of a message only what
// finds its end (message.go, body.go: pure, no I/O), because net/http loses header order and case,
// chunk framing and 1xx responses.
//
// Invariant: what the origin sent reaches the client and the record byte for byte, and what the
// client sent reaches the origin and the record byte for byte, but for the request target's form
// and Proxy-* fields. A message that two readers could end in different places does not pass.
// Nothing passes that is not recorded, but for what follows a 101 and for the hosts that
// Config.NoRecord names; both leave a gap in the archive that is counted.
package proxy

import (
	"net"
	"net/netip"
)

// isSelf reports an address that the proxy itself answers on.
func (p *Proxy) isSelf(target netip.AddrPort) bool {
	own, ok := p.ln.Addr().(*net.TCPAddr)
	if !ok || int(target.Port()) != own.Port {
		return false
	}
	address := target.Addr().Unmap().WithZone("")
	if own.IP.IsUnspecified() {
		return isLocal(address)
	}
	return own.AddrPort().Addr().Unmap() == address || address.IsUnspecified()
}

// isLocal reports an address of this machine.
func isLocal(address netip.Addr) bool {
	if address.IsLoopback() || address.IsUnspecified() {
		return true
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, one := range addresses {
		if prefix, err := netip.ParsePrefix(one.String()); err == nil && prefix.Addr() == address {
			return true
		}
	}
	return false
}
