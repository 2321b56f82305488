package proxy

import (
	"maps"
	"slices"

	"warcorder/certs"
)

// Change is settings that a proxy can take while it serves.
type Change struct {
	proxy     *Proxy
	now, next *settings
}

// Prepare looks whether a proxy could serve by other settings, and changes nothing yet. It reads the
// files that they name. Source, Beside and Aside stay as New was given them. One change is prepared
// and taken at a time.
func (p *Proxy) Prepare(cfg Config, authority *certs.Authority) (*Change, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	now := p.current()
	next, err := p.makeSettings(p.own(cfg), authority, now)
	return &Change{p, now, next}, err
}

// Files reports whether the files of upstream-ca and client-certs say something else.
func (c *Change) Files() bool {
	return !c.next.upstreams.certificates.equal(&c.now.upstreams.certificates)
}

// Take lets the settings count, for each request that begins to come from now on. Then
//
//	an exchange that goes on                  goes on as it has begun
//	a kept connection to an origin            is closed, if it would lead elsewhere now
//	a client that waits for nothing           makes room, if there are too many
//	one that may not use the proxy any more   is told so at its next request
//	a tunnel of such a one                    ends
//	any other tunnel                          goes on
//	a whole that is to be asked for           is asked for by the new way
//
// After a Shutdown nothing changes.
func (c *Change) Take() {
	p := c.proxy
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.ended {
		return
	}
	cfg := c.next.cfg
	plain, others := cfg.headShares()
	p.memory.resize(others)
	p.login.memory.resize(plain)
	p.now.Store(c.next)
	if c.next.upstreams.pool != c.now.upstreams.pool {
		c.now.upstreams.close()
	}
	if c.next.tls != c.now.tls { // who has taken one certificate need not take another
		p.trust.forget()
		p.pinned.forget()
	}
	if p.clients.setLimit(cfg.MaxConnections); cfg.MaxConnections > c.now.cfg.MaxConnections {
		adviseOf(cfg.MaxConnections, &p.log)
	}
	p.clients.endBarred(c.next)
	p.renewFront(c.now.cfg, cfg)
	if p.rec != nil {
		p.completions.adopt()
	}
	if c.Files() {
		p.advise(c.next)
	}
}

// renewFront puts another front in the place of the one that there is, if net/http is to be told
// something else.
func (p *Proxy) renewFront(was, cfg *Config) {
	if was.frontLimits() == cfg.frontLimits() {
		return
	}
	old := p.front
	p.front = p.newFront(cfg)
	if !p.serving {
		return
	}
	p.front.serve()
	p.retired[old] = struct{}{}
	old.Close() // which has it forgotten, when it has no connection any more
}

// forget forgets a front that was replaced.
func (p *Proxy) forget(old *front) {
	p.changing.Lock()
	defer p.changing.Unlock()
	delete(p.retired, old)
}

// begin lets the front serve.
func (p *Proxy) begin() {
	p.changing.Lock()
	defer p.changing.Unlock()
	p.serving = true
	p.front.serve()
}

// settle ends all change, and returns what is to be closed.
func (p *Proxy) settle() (fronts []*front, _ *upstreams) {
	p.changing.Lock()
	defer p.changing.Unlock()
	if !p.ended {
		p.ended = true
		close(p.noFront)
	}
	return append(slices.Collect(maps.Keys(p.retired)), p.front), p.current().upstreams
}
