package proxy

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"warcorder/proxy/hosts"
)

// IsListener reports whether a host and a port, as they are written, are where a proxy listens. Of
// names only localhost is known: others show when they are dialled.
func IsListener(listener net.Addr, host, port string) bool {
	return leadsTo(host, port, func(target netip.AddrPort) bool { return isSelf(listener, target) })
}

// leadsTo is IsListener for whoever knows the proxy itself.
func leadsTo(host, port string, self func(netip.AddrPort) bool) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}
	at := func(address netip.Addr) bool { return self(netip.AddrPortFrom(address, uint16(number))) }
	if host == "localhost" {
		return at(netip.IPv6Loopback()) || at(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	address, err := netip.ParseAddr(host)
	return err == nil && at(address)
}

// isSelf reports an address that the proxy itself answers on, which listens at listener. An
// exchange with it would begin another exchange with it, without end.
func isSelf(listener net.Addr, target netip.AddrPort) bool {
	own, ok := listener.(*net.TCPAddr)
	if !ok || int(target.Port()) != own.Port {
		return false
	}
	address := target.Addr().Unmap().WithZone("")
	if own.IP.IsUnspecified() {
		return isLocal(address)
	}
	return own.AddrPort().Addr().Unmap() == address || address.IsUnspecified()
}

// listeners are all by which clients come to a proxy.
type listeners []net.Addr

func (all listeners) have(target netip.AddrPort) bool {
	return slices.ContainsFunc(all, func(one net.Addr) bool { return isSelf(one, target) })
}

// areLoopback reports whether only this machine reaches them.
func (all listeners) areLoopback() bool {
	return !slices.ContainsFunc(all, func(one net.Addr) bool { return !isLoopback(one) })
}

// isLoopback reports a listener that only this machine reaches.
func isLoopback(listener net.Addr) bool {
	own, ok := listener.(*net.TCPAddr)
	return ok && own.IP.IsLoopback()
}

// isLocal reports an address of this machine.
func isLocal(address netip.Addr) bool {
	if address.IsLoopback() || address.IsUnspecified() {
		return true
	}
	return slices.Contains(interfaceAddresses(), address)
}

// interfaceAddresses are the addresses that this machine has now.
func interfaceAddresses() (own []netip.Addr) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, one := range addresses {
		if prefix, err := netip.ParsePrefix(one.String()); err == nil {
			own = append(own, prefix.Addr())
		}
	}
	return own
}

// ownFresh is how long the addresses of the machine are taken to be the same.
const ownFresh = 5 * time.Second

// ownAddresses are the addresses of this machine, asked of the system when they are needed and old.
type ownAddresses struct {
	mu    sync.Mutex
	asked time.Time
	known hosts.Networks
}

// get returns them. Where the system does not tell (no descriptor is free), it is what it last
// told.
func (o *ownAddresses) get() hosts.Networks {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.asked) < ownFresh {
		return o.known
	}
	if own := interfaceAddresses(); len(own) > 0 {
		o.known, o.asked = hosts.NetworksOf(own), time.Now()
	}
	return o.known
}
