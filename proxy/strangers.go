package proxy

import (
	"io"
	"net"
	"sync/atomic"
	"time"

	"warcorder/proxy/http1"
)

// strangers are clients whose addresses are in none of Config.Clients (settings.mayUse). The proxy does
// nothing for them: no name is looked up, no connection opened, no handshake begun, no password
// compared. Its own pages they may ask for, which judge for themselves.
//
// The invariant is that they take nothing from clients: they have places of their own, few and for
// a short time, and heads that are small; and however many they are, log and gap list have a line a
// second.
type strangers struct {
	relay *relay
	most  int64 // places
	open  atomic.Int64
	seen  summary // by address
}

const (
	strangerPlaces   = 100
	strangerHead     = 16 << 10        // bytes of the largest head
	strangerPatience = 5 * time.Second // for it to come
)

// newStrangers makes places for strangers. Each takes a descriptor from those for clients, of whom
// a machine that has few must keep most.
func newStrangers(r *relay) *strangers {
	s := &strangers{relay: r}
	s.most = int64(min(strangerPlaces, max(1, r.clients.spare/8)))
	s.seen.tell = s.tell
	return s
}

// mayUse reports whether an address is one of those that may use the proxy.
func (p *Proxy) mayUse(address net.Addr) bool {
	from, ok := address.(*net.TCPAddr)
	return ok && p.current().mayUse.HasPeer(from.AddrPort().Addr())
}

// receive serves a stranger, if there is a place.
func (p *Proxy) receive(conn net.Conn) {
	s := p.strangers
	if !s.enter() {
		s.seen.add(conn.RemoteAddr().String())
		conn.Close()
		return
	}
	p.clients.lend(1)
	c := &tapConn{Conn: conn, stranger: true}
	c.atClose(func() { p.clients.lend(-1); s.open.Add(-1) })
	p.clients.start(c, p.guarded(c, func() { p.hear(c) }))
}

// enter takes a place, if there is one.
func (s *strangers) enter() bool {
	if s.open.Add(1) > s.most {
		s.open.Add(-1)
		return false
	}
	return true
}

// countAsStranger takes a place of strangers for a client, too, until its connection is closed.
func (p *Proxy) countAsStranger(c *tapConn) bool {
	if !p.strangers.enter() {
		return false
	}
	c.atClose(func() { p.strangers.open.Add(-1) })
	return true
}

// hear reads a stranger's request. One for a page of our own is net/http's.
func (p *Proxy) hear(c *tapConn) {
	seat := &seat{client: c, passing: true} // a stop ends it at once
	if !p.clients.enter(seat) {
		c.Close()
		return
	}
	in := wire{conn: c}
	head, err := in.strangerHead()
	p.clients.leave(seat)
	defer in.drop()
	if err == nil && asksForOwnPage(head) {
		c.SetDeadline(time.Time{})
		c.unread(in.bytes())
		p.give(c)
		return
	}
	if err != io.EOF || in.buffered() > 0 { // else it has looked whether somebody is here
		p.strangers.turnAway(c, head)
		return
	}
	c.Close()
}

// strangerHead reads a small head within a short time.
func (w *wire) strangerHead() ([]byte, error) {
	w.conn.SetDeadline(time.Now().Add(strangerPatience))
	return w.head(strangerHead, func() error { return w.fill(smallBuffer) })
}

// asksForOwnPage reports whether a head is neither a CONNECT nor a request to relay.
func asksForOwnPage(head []byte) bool {
	absolute, known := http1.TargetForm(head)
	return known && !absolute && !http1.IsConnect(head)
}

// turnAway tells a stranger that it is one.
func (s *strangers) turnAway(c *tapConn, head []byte) {
	s.seen.add(c.RemoteAddr().String())
	req, _ := http1.ParseRequest(head)
	isStranger(c).end(c, req)
}

// isStranger is what a stranger is told.
func isStranger(c *tapConn) refusal {
	return refusal{403, "Your address, " + c.from().Unmap().String() + ", is not one of those that may " +
		"use this proxy. Its operator can add it (clients)."}
}

// tell reports n connections of strangers; who is one of them.
func (s *strangers) tell(who string, n int64) {
	s.relay.log.Warn().Str("client", who).Int64("connections", n).
		Msg("the client's address is not one of those that may use the proxy (clients)")
	s.relay.gaps(n, who, "the client's address is not one of those that may use the proxy (clients)")
}
