// Package reach decides where connections may go: which of the addresses of a host are dialled.
//
// Three things decide, in this order. What the operator allows is permitted, and what he denies is
// not. Where other machines use the proxy, what lies inside is denied: the machine itself and its
// networks are nobody's from outside. Where only this machine does, what lies inside is permitted,
// but a name leads either inside or outside, where it has led first: a page may let its own name
// point anywhere (DNS rebinding), and would read there as if it were its own site, what is to come
// as well as what a browser has of it already.
//
// Invariant: only an address that was judged is dialled, whatever name led to it and however it is
// written. What cannot be told for sure is denied.
package reach

import (
	"net/netip"

	"warcorder/proxy/hosts"
)

// Rules are what the operator says. Allow wins: of a host that both have, all is permitted. A
// pattern of Deny is held against the host that is dialled and the one in the URL, which a client
// in a tunnel may name as it likes; so one of Allow is held against the host that is dialled only.
type Rules struct{ Deny, Allow hosts.Set }

// Judge decides by rules, and by what it has seen. It is for several goroutines.
type Judge struct {
	rules  Rules
	beyond bool                  // other machines use the proxy
	inside hosts.Networks        // what is nobody's from outside
	own    func() hosts.Networks // the addresses of this machine, inside too
	sides  *sides                // where names have led
}

// Inside is what is inside wherever the proxy runs.
func Inside() hosts.Networks {
	return hosts.Words("@loopback", "@private", "@link-local", "@metadata")
}

// New makes a judge. inside is nobody's from outside, and neither is own, the addresses of this
// machine at any time; beyond says that other machines may use the proxy.
func New(rules Rules, inside hosts.Networks, beyond bool, own func() hosts.Networks) *Judge {
	return &Judge{rules: rules, beyond: beyond, inside: inside, own: own, sides: newSides()}
}

// For is a judge by other rules, who has seen the same.
func (j *Judge) For(rules Rules) *Judge {
	other := *j
	other.rules = rules
	return &other
}

// Name judges a host by its name alone: before it is looked up, so that no name server hears of one
// that is denied. site is the host in the URL. One that Allow may still permit, by its addresses,
// passes.
func (j *Judge) Name(host, site string) *Denial {
	if _, literal := addressOf(host); literal || j.rules.Allow.HasNetworks() {
		return nil
	}
	return j.byName(host, site)
}

func (j *Judge) byName(host, site string) *Denial {
	if _, allowed := j.rules.Allow.OfName(host); allowed {
		return nil
	}
	if pattern, denied := j.deniedName(host, site); denied {
		return &Denial{host: host, rule: pattern}
	}
	return nil
}

func (j *Judge) deniedName(host, site string) (pattern string, denied bool) {
	if pattern, denied = j.rules.Deny.OfName(host); !denied {
		pattern, denied = j.rules.Deny.OfName(site)
	}
	return pattern, denied
}

// Addresses returns those addresses of a host that may be dialled, in their order. If none may, it
// says why not the first. The work is the number of addresses times that of the rules, once a
// connection.
func (j *Judge) Addresses(host, site string, addresses []netip.Addr) ([]netip.Addr, *Denial) {
	if _, allowed := j.rules.Allow.OfName(host); allowed {
		return addresses, nil
	}
	f := j.factsOn(host, site, addresses)
	var passing []netip.Addr
	var first *Denial
	for _, address := range addresses {
		denied := f.denial(address)
		if denied == nil {
			passing = append(passing, address)
		} else if first == nil {
			first = denied
		}
	}
	if len(passing) == 0 {
		return nil, first
	}
	return passing, nil
}

// isInside reports an address that is nobody's from outside.
func (j *Judge) isInside(address netip.Addr, own hosts.Networks) bool {
	return j.inside.Has(address) || own.Has(address)
}

// facts are what decides on each of a host's addresses.
type facts struct {
	*Judge
	host    string
	pattern string // of Deny, that has the host
	denied  bool   // there is one
	own     hosts.Networks
	side    side // of the host's name
}

func (j *Judge) factsOn(host, site string, addresses []netip.Addr) facts {
	f := facts{Judge: j, host: host, own: j.own()}
	f.pattern, f.denied = j.deniedName(host, site)
	if _, literal := addressOf(host); !literal && !j.beyond {
		f.side = j.sides.of(host, f.leads(addresses))
	}
	return f
}

// leads returns where addresses lead: outside, if one does. Those that the rules decide on lead
// nobody inside.
func (f *facts) leads(addresses []netip.Addr) (now side) {
	for _, address := range addresses {
		if !f.isInside(address, f.own) {
			return outside
		}
		if decided, _ := f.byRule(address); !decided {
			now = inside
		}
	}
	return now
}

// byRule reports whether the rules decide on an address, and why it may not be dialled.
func (f *facts) byRule(address netip.Addr) (decided bool, denial *Denial) {
	if _, allowed := f.rules.Allow.OfAddress(address); allowed {
		return true, nil
	}
	if f.denied {
		return true, &Denial{host: f.host, address: address, rule: f.pattern}
	}
	if network, denied := f.rules.Deny.OfAddress(address); denied {
		return true, &Denial{host: f.host, address: address, rule: network}
	}
	return false, nil
}

// denial is why an address may not be dialled, or nil.
func (f *facts) denial(address netip.Addr) *Denial {
	if decided, denial := f.byRule(address); decided {
		return denial
	}
	isClosed := f.beyond || f.side == outside || f.side == crowded
	if isInside := f.isInside(address, f.own); isInside && isClosed || !isInside && f.side == inside {
		return &Denial{host: f.host, address: address, side: f.side}
	}
	return nil
}

// addressOf returns the address that a host is written as.
func addressOf(host string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(host)
	return address.Unmap(), err == nil
}
