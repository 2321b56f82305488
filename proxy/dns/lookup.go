package dns

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// patience is how long one of several servers is waited for. The last one has all the time that is
// left.
const patience = 5 * time.Second

// LookUp returns the addresses of a host, in the order in which they are to be tried. One that is
// written as an address is its own. What is looked up discreetly is not handed on.
//
// Servers are asked in turn: the next one where one says nothing, or that it cannot tell. An answer
// is also that there is no such name.
func (n *Names) LookUp(ctx context.Context, host string, discreetly bool) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal.Unmap()}, nil
	}
	n.once.Do(n.makeResolvers)
	resolvers := n.tapped
	if discreetly {
		resolvers = n.discreet
	}
	var first error
	for i, resolver := range resolvers {
		found, err := ask(ctx, resolver, host, i+1 == len(resolvers))
		if err == nil {
			return addressesOf(found), nil
		}
		err = n.bySetServer(err, i)
		first = cmp.Or(first, err)
		var answer *net.DNSError
		if errors.As(err, &answer) && answer.IsNotFound || ctx.Err() != nil {
			return nil, err
		}
	}
	return nil, first
}

// bySetServer names the server in an error that was asked: the resolver, which knows nothing of it,
// names one of the system's.
func (n *Names) bySetServer(err error, i int) error {
	var answer *net.DNSError
	if len(n.Servers) == 0 || !errors.As(err, &answer) || answer.Server == "" {
		return err
	}
	named := *answer // of which other look-ups have the original
	named.Server = n.Servers[i].String()
	return &named
}

func ask(ctx context.Context, resolver *net.Resolver, host string, isLast bool) (
	[]net.IPAddr, error) {
	if !isLast {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return resolver.LookupIPAddr(ctx, host)
}

// maxAddresses is how many addresses a host may have. More are passed over: each is judged, and
// dialled if those before it give no connection, and an answer has room for four thousand.
const maxAddresses = 64

func addressesOf(found []net.IPAddr) []netip.Addr {
	found = found[:min(len(found), maxAddresses)]
	addresses := make([]netip.Addr, 0, len(found))
	for _, one := range found {
		if address, ok := netip.AddrFromSlice(one.IP); ok {
			addresses = append(addresses, address.Unmap().WithZone(one.Zone))
		}
	}
	return addresses
}

// makeResolvers makes one for each server, or one for all of the system's. Where nothing is asked
// of it but addresses, that is the system's own, which may know other ways than name servers.
func (n *Names) makeResolvers() {
	servers := []string{""}
	if len(n.Servers) > 0 {
		servers = servers[:0]
		for _, server := range n.Servers {
			servers = append(servers, server.String())
		}
	}
	for _, server := range servers {
		plain := net.DefaultResolver
		if server != "" || n.Record != nil {
			plain = n.resolver(server, false)
		}
		tapped := plain
		if n.Record != nil {
			tapped = n.resolver(server, true)
		}
		n.discreet, n.tapped = append(n.discreet, plain), append(n.tapped, tapped)
	}
}

// resolver returns one that asks a server, or those of the system, and hands on what it answers if
// it is tapped.
func (n *Names) resolver(server string, tapped bool) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			var dialer net.Dialer
			conn, err := dialer.DialContext(ctx, network, cmp.Or(server, address))
			if err != nil || !tapped {
				return conn, err
			}
			from, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
			tap := tap{names: n, server: from.Addr().Unmap()}
			if udp, ok := conn.(*net.UDPConn); ok { // the resolver takes what is no PacketConn for a stream
				return &packetTap{UDPConn: udp, tap: tap}, nil
			}
			return &streamTap{Conn: conn, tap: tap}, nil
		},
	}
}
