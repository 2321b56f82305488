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
	"net"
	"sync/atomic"
)

// cut ends a session on both sides.
func (s *session) cut() {
	s.raw.Close()
	if up := s.current.Load(); up != nil {
		up.raw.Close()
	}
}

// session relays one client connection: a tunnel to one origin, or plain proxy requests that each
// name their own.
type session struct {
	p       *Proxy
	conn    net.Conn // what the client is answered on; a *tls.Conn inside an intercepted tunnel
	raw     *tapConn // the connection below it
	in      wire
	tunnel  *origin                  // nil for plain proxy requests
	head    []byte                   // scratch: the head as it came
	fwd     []byte                   // scratch: the head as it goes to the origin
	bound   *upstream                // authenticated for this client alone (NTLM, Negotiate)
	current atomic.Pointer[upstream] // in use, so that a stop can end it
	gone    atomic.Bool              // the client has gone away
	share   int64                    // how much head and fwd take of the budget for large heads
	asks    bool                     // a request has come

	waits         bool // for a request; this and what follows is guarded by clients.mu
	passes        bool // bytes only, in a tunnel
	busy          bool // with an exchange
	before, after *session
}

// place names the connection: where its tunnel leads, or else whose it is.
func (s *session) place() string {
	if s.tunnel != nil {
		return net.JoinHostPort(s.tunnel.host, s.tunnel.port)
	}
	return s.raw.RemoteAddr().String()
}

// secure reports whether the client speaks TLS to us.
func (s *session) secure() bool { return s.tunnel != nil && s.tunnel.secure }
