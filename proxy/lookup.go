package proxy

import (
	"context"
	"net/netip"

	"warcorder/proxy/dns"
)

// namesBy makes what looks names up, as a Config says.
func (p *Proxy) namesBy(cfg *Config) *dns.Names {
	names := &dns.Names{Servers: cfg.Resolver}
	if cfg.RecordDNS && p.rec != nil {
		names.Record, names.Broke = p.recordAnswer, p.namesBroke
	}
	return names
}

// permitted returns the addresses of o that may be dialled. Whoever dials must dial these and look
// nothing up again: a name server may answer otherwise the next time.
func (u *upstreams) permitted(ctx context.Context, o origin) ([]netip.Addr, error) {
	if denial := u.judge.Name(o.host, o.siteName()); denial != nil {
		return nil, denial
	}
	addresses, err := u.lookUp(ctx, o.host, isDiscreet(ctx))
	if err != nil {
		return nil, err
	}
	addresses, denial := u.judge.Addresses(o.host, o.siteName(), addresses)
	if denial != nil {
		return nil, denial
	}
	return addresses, nil
}

// lookUp returns the addresses of a host. What is asked for discreetly is not recorded.
func (u *upstreams) lookUp(ctx context.Context, host string, discreetly bool) (
	[]netip.Addr, error) {
	return u.names.LookUp(ctx, host, discreetly)
}
