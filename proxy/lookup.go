package proxy

import (
	"cmp"
	"context"
	"net"
	"net/netip"
)

// lookUp returns the addresses of a host, in the order in which they are to be tried. One that is
// written as an address is its own. What is asked for discreetly is not recorded.
func (u *upstreams) lookUp(ctx context.Context, host string, discreet bool) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal.Unmap()}, nil
	}
	resolver := u.resolver
	if discreet {
		resolver = u.discreet
	}
	found, err := cmp.Or(resolver, net.DefaultResolver).LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	addresses := make([]netip.Addr, 0, len(found))
	for _, one := range found {
		if address, ok := netip.AddrFromSlice(one.IP); ok {
			addresses = append(addresses, address.Unmap().WithZone(one.Zone))
		}
	}
	return addresses, nil
}
