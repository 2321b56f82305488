package proxy

import (
	"net/netip"
	"reflect"

	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/reach"
)

// upstreams lead to origins, as one set of settings says: they dial (dial.go), and keep what can be
// used again in a pool.
type upstreams struct {
	*pool
	cfg          *Config
	self         func(netip.AddrPort) bool
	heads        *budget
	judge        *reach.Judge
	names        *dns.Names
	dialer       dial.Dialer
	certificates certificates
	dials        *dials // shared with those before, and behind
}

// newUpstreams makes the first ones of a proxy.
func (p *Proxy) newUpstreams(cfg *Config, certificates certificates) *upstreams {
	own := append(listeners{p.ln.Addr()}, p.beside...)
	isBeyond := !own.areLoopback()
	own = append(own, p.aside...)
	u := &upstreams{
		pool:         newPool(),
		cfg:          cfg,
		self:         own.have,
		judge:        reach.New(cfg.rules(), reach.Inside(), isBeyond, new(ownAddresses).get),
		heads:        p.memory,
		names:        p.namesBy(cfg),
		certificates: certificates,
		dials:        new(dials),
	}
	u.setDialer()
	return u
}

// nextUpstreams makes those that come behind before. Where names have led is remembered on: a page
// whose name has led outside is not let inside by it.
func (p *Proxy) nextUpstreams(before *upstreams, cfg *Config, certificates certificates) *upstreams {
	next, was := *before, before.cfg
	next.cfg, next.certificates = cfg, certificates
	if cfg.RecordDNS != was.RecordDNS || !reflect.DeepEqual(cfg.Resolver, was.Resolver) {
		next.names = p.namesBy(cfg)
	}
	if next.leadsElsewhere(before) {
		next.pool = newPool()
		next.judge = before.judge.For(cfg.rules())
	}
	next.setDialer()
	return &next
}

// leadsElsewhere reports whether a connection of before may lead elsewhere, by another way, or be
// judged or made otherwise, than one by these settings.
func (u *upstreams) leadsElsewhere(before *upstreams) bool {
	now, was := u.cfg, before.cfg
	for _, pair := range [][2]any{
		{now.Deny, was.Deny}, {now.Allow, was.Allow}, {now.InsecureUpstream, was.InsecureUpstream},
		{now.Resolver, was.Resolver}, {now.SourceAddress, was.SourceAddress},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			return true
		}
	}
	return !now.Upstream.Equal(&was.Upstream) || !u.certificates.equal(&before.certificates)
}

func (c *Config) rules() reach.Rules { return reach.Rules{Deny: c.Deny, Allow: c.Allow} }

func (u *upstreams) setDialer() {
	u.dialer = dial.Dialer{
		From: u.cfg.SourceAddress, Refuse: u.refuseSelf, Spare: u.pool.forgetIdle,
	}
}

// refuseSelf is why the proxy does not dial itself.
func (u *upstreams) refuseSelf(place netip.AddrPort) error {
	if u.self(place) {
		return errSelf
	}
	return nil
}
