package proxy

import (
	"crypto/tls"

	"warcorder/certs"
	"warcorder/proxy/access"
	"warcorder/proxy/hosts"
)

// settings are what the proxy does as it does, from one change of them to the next. They never
// change: a session takes those that count when the next request begins to come (session.renew), and
// keeps them until it is answered. So no exchange sees a half of each.
type settings struct {
	cfg       *Config
	upstreams *upstreams
	mayUse    hosts.Networks // whose clients are no strangers
	door      *access.Door   // nil if nobody is asked for a password
	authority *certs.Authority
	tls       *tls.Config // for clients in tunnels
}

// makeSettings makes those of cfg; before are those that count until then, nil if there are none.
// What the two have in common is kept: connections to origins, what is known of passwords, TLS
// sessions.
func (p *Proxy) makeSettings(cfg *Config, authority *certs.Authority, before *settings) (
	*settings, error) {
	if before != nil && cfg.Upstream.Equal(&before.cfg.Upstream) {
		cfg.Upstream = before.cfg.Upstream // a Way is known by its pointer
	}
	certificates, err := cfg.loadCertificates()
	if err != nil {
		return nil, err
	}
	next := &settings{cfg: cfg, mayUse: cfg.MayUse(), authority: authority}
	if before == nil {
		next.upstreams = p.newUpstreams(cfg, certificates)
		next.door = access.NewDoor(cfg.Users)
		next.tls = serverConfig(authority)
		return next, nil
	}
	next.upstreams = p.nextUpstreams(before.upstreams, cfg, certificates)
	next.door = before.door.For(cfg.Users)
	if next.tls = before.tls; authority != before.authority {
		next.tls = serverConfig(authority)
	}
	return next, nil
}

// serverConfig is how clients in tunnels are spoken to.
func serverConfig(authority *certs.Authority) *tls.Config {
	config := authority.ServerConfig(connectHost)
	noteClients(config)
	return config
}

// current are the settings that count now.
func (r *relay) current() *settings { return r.now.Load() }

// renew takes the settings that count now, for the request that begins to come. A connection to an
// origin that is the session's own was made by those before. A plain one whose user is taken out of
// them is nobody's again, until it has shown another.
func (s *session) renew() {
	now := s.current()
	if now == s.settings {
		return
	}
	if now.upstreams.pool != s.upstreams.pool {
		s.origins.close()
	}
	s.settings, s.origins.pool = now, now.upstreams
	if s.tunnel == nil && now.door != nil && !now.door.Knows(&s.pass) { // any more
		s.pass = access.Pass{}
		s.become("")
	}
}

// barred is what the client of a session is told who may not use the proxy any more; nil if it may. It
// is judged anew when the settings are others, so that who is taken out of them has no longer what is
// open.
func (s *session) barred() *refusal {
	if s.judged == s.settings {
		return nil
	}
	s.judged = s.settings
	switch {
	case s.door != nil:
		s.door.Renew(&s.pass)
	case s.tunnel == nil: // whose requests show what they have, should that be asked for again
		s.pass = access.Pass{}
	}
	if !s.mayUse.HasPeer(s.raw.from()) {
		r := isStranger(s.raw)
		return &r
	}
	if s.tunnel != nil && s.door != nil && s.pass.User == "" {
		return &outdated
	}
	return nil
}

// outdated is said in a tunnel, where browsers heed no 407. The next one is asked for a password.
var outdated = refusal{403, "The name and the password that this connection was opened with are none " +
	"of this proxy's any more (proxy-users). Try again."}

// mayGoOn reports whether bytes may pass on through a tunnel of the session, by other settings.
func (s *session) mayGoOn(now *settings) bool {
	return now.mayUse.HasPeer(s.raw.from()) && (now.door == nil || now.door.Knows(&s.pass))
}
