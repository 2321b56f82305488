package proxy

import (
	"net"
	"sync/atomic"

	"github.com/rs/zerolog"

	"warcorder/proxy/access"
	"warcorder/proxy/http1"
)

// session relays one client connection: a tunnel to one origin, or plain proxy requests that each
// name their own.
type session struct {
	*relay
	*settings          // that count for its request
	seat               // its place among the clients
	conn      net.Conn // what the client is answered on; a *tls.Conn inside an intercepted tunnel
	raw       *tapConn // the connection below it
	in        wire     // what the client sends
	tunnel    *origin  // nil for plain proxy requests
	origins   origins  // where its answers come from, unless a Source answers

	user   string          // who asks; "" if nobody is asked for a password, or has shown none yet
	pass   access.Pass     // what the connection's plain requests have shown, or the tunnel's CONNECT
	judged *settings       // by which it was last looked whether the client may use the proxy
	log    *zerolog.Logger // with the user in it, if there is one

	memory *budget // for large heads: the relay's, or that of those who show a password in each
	head   []byte  // scratch: the head as it came
	fwd    []byte  // scratch: the head as it goes to the origin
	share  int64   // how much head and fwd take of the budget for large heads

	asks bool        // a request has come
	gone atomic.Bool // the client has gone away
}

// newSession makes a session on a client's connection. tunnel is where its CONNECT leads to, or
// nil.
func (r *relay) newSession(c *tapConn, tunnel *origin) *session {
	now := r.current()
	return &session{
		relay:    r,
		settings: now,
		seat:     seat{client: c},
		conn:     c,
		raw:      c,
		tunnel:   tunnel,
		origins:  origins{pool: now.upstreams},
		log:      &r.log,
		memory:   r.budgetOf(now, tunnel),
	}
}

// end ends the client's connection without ceremony; with a reset, if a plain end would look like
// that of a body.
func (s *session) end(reset bool) {
	if s.raw == nil { // nobody's
		return
	}
	if reset {
		s.raw.reset()
	}
	s.raw.Close()
}

// beginsAnswer notes that an answer begins whose end is that of the connection. Under TLS a plain end
// without its close_notify is none, but Chromium, and curl with some libraries, do not look for it.
func (s *session) beginsAnswer(res *http1.Response) {
	if res.Framing == http1.UntilClose {
		s.openEnded.Store(true)
	}
}

// cutShort ends the client's connection in the middle of an answer, so that the client sees that.
func (s *session) cutShort(res *http1.Response) {
	s.end(res.Framing == http1.UntilClose)
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

// gap notes what came of a connection that is no exchange. One that leads to a no-record host is
// not listed, nor is any while recording is paused: the list would name the host. One that leads to
// the proxy itself is nothing that could be recorded.
func (s *session) gap(reason, place, detail string) {
	if !s.paused.on() {
		s.gapNow(reason, place, detail)
	}
}

// gapNow is gap, of what was no time at which recording is paused.
func (s *session) gapNow(reason, place, detail string) {
	if s.nobodys() || s.leadsHere() {
		return
	}
	if s.tunnel == nil || !s.cfg.NoRecord.Has(s.tunnel.siteName()) {
		s.relay.gap(reason, place, detail)
	}
}
