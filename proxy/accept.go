package proxy

import (
	"errors"
	"net"
	"time"

	"warcorder/proxy/http1"
)

// take serves a new connection if its client may use the proxy, and there is a place for it.
func (p *Proxy) take(conn net.Conn) {
	if !p.mayUse(conn.RemoteAddr()) {
		p.receive(conn)
		return
	}
	if !p.clients.admit() {
		p.crowd.turnAway(conn)
		return
	}
	c := &tapConn{Conn: conn}
	c.atClose(p.clients.release)
	p.clients.start(c, p.guarded(c, func() { p.accept(c) }))
}

// accept looks at a connection's first bytes, before anyone else parses them. A request in absolute
// form is the relay's, and with it the whole connection: net/http would refuse some of what
// browsers and crawlers really send ("/%zz", "Host: N/A"), and loses the order and the case of
// fields. A CONNECT, or a request to the proxy itself, is net/http's. It reads the connection from
// its first byte, as if nobody had before, while the tap remembers what it has read (tap.go).
func (p *Proxy) accept(c *tapConn) {
	s := p.newSession(c, nil)
	if !p.clients.enter(&s.seat) {
		c.Close()
		return
	}
	err := s.serveAndLeave()
	if errors.Is(err, errNotProxied) && !p.clients.closing.Load() {
		if http1.IsConnect(s.in.bytes()) && !p.mayUse(c.RemoteAddr()) { // any more
			p.strangers.turnAway(c, s.in.bytes())
			s.in.drop()
			return
		}
		if s.nobodys() && !http1.IsConnect(s.in.bytes()) && !p.countAsStranger(c) {
			s.in.drop()
			noPlace.end(c, http1.Request{})
			return
		}
		c.SetDeadline(time.Time{})
		c.unread(s.in.bytes())
		s.in.drop()
		c.startTapping()
		p.give(c)
		return
	}
	s.in.drop()
	c.Close()
}
