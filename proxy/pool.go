package proxy

import (
	"crypto/tls"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/reach"
)

// upstreams dials origins (dial.go) and keeps idle connections for any client, last used first.
//
// An idle connection is in two lists at once. By origin it is found for the next request; the last
// used one is taken, which is the least likely to have been closed meanwhile. By age, of all
// origins, the oldest is found to make room or to end when its time has come:
//
//	idle[a]  [ a1 a2 a3 ]          get takes a3
//	idle[b]  [ b1 ]
//	oldest   a1 ─ b1 ─ a2 ─ a3     newest; a full pool closes a1
//
// The oldest of all is the oldest of its own origin, so that both lists lose it at their front.
type upstreams struct {
	cfg      *Config
	self     func(netip.AddrPort) bool
	heads    *budget
	sessions tls.ClientSessionCache
	judge    *reach.Judge
	names    dns.Names
	dialer   dial.Dialer

	certificates certificates

	mu sync.Mutex
	// last used last; an empty list stays until the next sweep, for the same again
	idle   map[origin][]*upstream
	oldest *upstream // of all, and from there on by upstream.newer
	newest *upstream
	count  int
	most   int // connections that are kept
	sweep  *time.Timer
	closed bool
}

const (
	maxIdlePerOrigin = 64
	idleUpstream     = 30 * time.Second // shorter than most servers' own patience
	sweepEvery       = 5 * time.Second  // idle connections are looked through
)

// newUpstreams makes the pool of a proxy that listens at listener.
func newUpstreams(cfg *Config, heads *budget, listener net.Addr) *upstreams {
	rules := reach.Rules{Deny: cfg.Deny, Allow: cfg.Allow}
	own := append(listeners{listener}, cfg.Beside...)
	isBeyond := !own.areLoopback()
	own = append(own, cfg.Aside...)
	u := &upstreams{
		cfg:      cfg,
		self:     own.have,
		judge:    reach.New(rules, reach.Inside(), isBeyond, new(ownAddresses).get),
		heads:    heads,
		idle:     map[origin][]*upstream{},
		most:     idleLimit(descriptors()),
		sessions: tls.NewLRUClientSessionCache(4096),
	}
	u.dialer = dial.Dialer{From: cfg.SourceAddress, Refuse: u.refuseSelf, Spare: u.forgetIdle}
	return u
}

// refuseSelf is why the proxy does not dial itself.
func (u *upstreams) refuseSelf(place netip.AddrPort) error {
	if u.self(place) {
		return errSelf
	}
	return nil
}

// get returns an idle connection to o that can be used, or nil. It was judged when it was dialled,
// and what was permitted then is so for as long as the proxy runs.
func (u *upstreams) get(o origin) *upstream {
	for {
		up := u.pop(o)
		if up == nil || up.alive() {
			return up
		}
		up.close()
	}
}

// pop takes the connection to o that was used last, or nil.
func (u *upstreams) pop(o origin) *upstream {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.idle[o]
	if len(list) == 0 {
		return nil
	}
	up := list[len(list)-1]
	list[len(list)-1] = nil
	u.idle[o] = list[:len(list)-1]
	u.unlink(up)
	return up
}

// link makes a connection the newest.
func (u *upstreams) link(up *upstream) {
	up.older = u.newest
	if u.newest == nil {
		u.oldest = up
	} else {
		u.newest.newer = up
	}
	u.newest = up
	u.count++
}

// unlink takes a connection out of the list by age.
func (u *upstreams) unlink(up *upstream) {
	if up.older == nil {
		u.oldest = up.newer
	} else {
		up.older.newer = up.newer
	}
	if up.newer == nil {
		u.newest = up.older
	} else {
		up.newer.older = up.older
	}
	up.older, up.newer = nil, nil
	u.count--
}

// closeOldest closes the connection that has idled longest, which is the first of its origin's.
func (u *upstreams) closeOldest() {
	up := u.oldest
	u.idle[up.origin] = slices.Delete(u.idle[up.origin], 0, 1)
	u.unlink(up)
	up.close()
}

// put keeps a connection for the next request, in the place of the one that has idled longest if
// there are too many: after a crawl of a thousand hosts its last connections would else keep out
// those that are in use.
func (u *upstreams) put(up *upstream) {
	up.drop()
	up.used++
	up.idleSince = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.idle[up.origin]
	if u.closed || len(list) >= maxIdlePerOrigin || u.most == 0 {
		up.close()
		return
	}
	u.idle[up.origin] = append(list, up)
	u.link(up)
	if u.count > u.most {
		u.closeOldest()
	}
	if u.sweep == nil {
		u.sweep = time.AfterFunc(sweepEvery, u.expire)
	}
}

// expire closes what has idled too long, and comes again while anything is left.
func (u *upstreams) expire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	limit := time.Now().Add(-idleUpstream)
	for u.oldest != nil && u.oldest.idleSince.Before(limit) {
		u.closeOldest()
	}
	maps.DeleteFunc(u.idle, func(_ origin, list []*upstream) bool { return len(list) == 0 })
	u.sweep = nil
	if u.count > 0 && !u.closed {
		u.sweep = time.AfterFunc(sweepEvery, u.expire)
	}
}

// close ends the pool: nothing is kept from then on.
func (u *upstreams) close() {
	u.mu.Lock()
	u.closed = true
	if u.sweep != nil {
		u.sweep.Stop()
	}
	u.mu.Unlock()
	u.forgetIdle()
}

// forgetIdle closes all idle connections and returns how many there were.
func (u *upstreams) forgetIdle() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.count
	for u.oldest != nil {
		u.closeOldest()
	}
	return n
}
