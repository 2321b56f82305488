package proxy

import (
	"net"
	"net/netip"
)

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
