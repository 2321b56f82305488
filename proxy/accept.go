// Package proxy stands between clients and origins: it accepts connections, intercepts TLS, relays
// HTTP/1.1 in both directions and hands each exchange to package recorder.
//
// The front door is net/http with goproxy: CONNECT requests and what is meant for the proxy itself.
// The data path is the relay (relay.go, exchange.go, upload.go), which reads of a message only what
// finds its end (message.go, body.go: pure, no I/O), because net/http loses header order and case,
// chunk framing and 1xx responses.
//
// Invariant: what the origin sent reaches the client and the record byte for byte, and what the
// client sent reaches the origin and the record byte for byte, but for the request target's form
// and Proxy-* fields. A message that two readers could end in different places does not pass.
// Nothing passes that is not recorded, but for what follows a 101 and for the hosts that
// Config.NoRecord names; both leave a gap in the archive that is counted.
package proxy

import (
	"errors"
	"net"
	"time"
)

// take serves a new connection if there is a place for it.
func (p *Proxy) take(conn net.Conn) {
	if !p.clients.admit() {
		p.turnAway(conn)
		return
	}
	c := &tapConn{Conn: conn, clients: p.clients}
	p.clients.start(c, p.guarded(c, func() { p.accept(c) }))
}

// accept looks at a connection's first bytes: the relay takes absolute-form requests, net/http the
// rest.
func (p *Proxy) accept(c *tapConn) {
	s := &session{p: p, conn: c, raw: c}
	if !p.clients.enter(s) {
		c.Close()
		return
	}
	err := s.serveAndLeave()
	if errors.Is(err, errNotProxied) && !p.clients.closing.Load() {
		c.SetDeadline(time.Time{})
		c.unread(s.in.bytes())
		s.in.drop()
		c.startTapping()
		p.front.give(c)
		return
	}
	s.in.drop()
	c.Close()
}

// serveAndLeave serves a session that has entered.
func (s *session) serveAndLeave() error {
	defer s.p.clients.leave(s)
	return s.serve()
}
