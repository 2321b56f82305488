package proxy

import (
	"crypto/tls"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/elazarl/goproxy"
	"github.com/rs/zerolog"

	"warcorder/proxy/access"
	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// dispatch is goproxy: it decides what a CONNECT gets, and passes what is no proxy request to the
// admin pages.
func (p *Proxy) dispatch() http.Handler {
	g := goproxy.NewProxyHttpServer()
	g.Logger = stdlog.New(p.log.With().Str("part", "goproxy").Logger(), "", 0)
	g.NonproxyHandler = p.guardedPages(p.pages)
	g.OnRequest().DoFunc(func(r *http.Request, _ *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		// Requests to origins are the relay's. goproxy would fetch one that came here, unrecorded.
		return r, goproxy.NewResponse(r, goproxy.ContentTypeText, http.StatusBadRequest,
			"400 Bad Request\n\nSend a request to an origin on a connection of its own.\n")
	})
	intercept := &goproxy.ConnectAction{Action: goproxy.ConnectHijack, Hijack: p.hijack}
	g.OnRequest().
		HandleConnectFunc(func(host string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
			return intercept, host
		})
	return g
}

// hijack takes a CONNECT's connection over from net/http, with what the client has sent behind the
// CONNECT's head: the first bytes of a TLS handshake often come with it, and net/http has read them
// into a buffer of its own.
func (p *Proxy) hijack(r *http.Request, conn net.Conn, _ *goproxy.ProxyCtx) {
	c, ok := conn.(*tapConn)
	if !ok || c.stranger {
		conn.Close()
		return
	}
	if c.restore() != nil {
		conn.Close()
		return
	}
	var credential []byte
	if shown := r.Header.Values("Proxy-Authorization"); len(shown) == 1 {
		credential = []byte(shown[0])
	}
	p.clients.start(c, p.guarded(c, func() { p.connect(c, r.RequestURI, credential) }))
}

// connect opens the tunnel of a CONNECT to a client that may use it.
func (p *Proxy) connect(c *tapConn, target string, credential []byte) {
	var pass access.Pass
	if refused := p.login.check(p.current().door, c, &pass, credential); refused != nil {
		refused.end(c, http1.Request{})
		return
	}
	host, port, err := http1.SplitAuthority(target, "443")
	if err != nil {
		p.refuseConnect(c, p.logOf(pass.User), target, err)
		return
	}
	c.host = host
	p.intercept(c, &origin{host: host, port: port}, pass)
}

// refuseConnect answers a CONNECT that leads nowhere.
func (p *Proxy) refuseConnect(c *tapConn, log *zerolog.Logger, target string, err error) {
	place := http1.WithoutUserinfo(target)
	warnHead(log, "connect refused", place, err)
	if !p.paused.on() {
		p.gap(recorder.GapRefused, place, err.Error())
	}
	refusal{400, "The CONNECT was refused: " + err.Error() + "."}.end(c, http1.Request{})
}

var established = []byte("HTTP/1.1 200 Connection established\r\n\r\n")

// intercept speaks for the origin inside a tunnel: TLS if the client begins with a handshake, else
// plain HTTP. The client's first byte tells, and it is read before anything is sent to the origin;
// while the client keeps silent the session waits, and may be ended to make room.
func (p *Proxy) intercept(c *tapConn, to *origin, pass access.Pass) {
	defer c.Close()
	s := p.newSession(c, to)
	s.pass = pass
	s.become(pass.User)
	if !p.clients.enter(&s.seat) {
		return
	}
	defer p.clients.leave(&s.seat)
	if s.leadsUntouched() {
		s.passUntouched(false)
		return
	}
	c.SetDeadline(time.Now().Add(s.cfg.Timeout.Header))
	if _, err := c.Write(established); err != nil {
		return
	}
	var first [1]byte
	if !p.clients.wait(&s.seat) {
		return
	}
	_, err := c.Read(first[:])
	if !p.clients.resume(&s.seat) || err != nil {
		return
	}
	c.unread(first[:])
	switch {
	case first[0] != recordTypeHandshake:
		c.SetDeadline(time.Time{})
	case s.asksUntouched():
		s.passUntouched(true)
		return
	case !s.handshake():
		return
	}
	err = s.serve()
	if s.secure() && !s.asks && s.in.buffered() == 0 {
		s.distrusts(err)
	}
	s.in.drop()
}

// recordTypeHandshake begins a TLS ClientHello (RFC 8446 section 5.1); no HTTP request begins with
// it.
const recordTypeHandshake = 0x16

// handshake makes the session's connection a TLS one, with a leaf for the name that the client asks
// for (SNI), or else for the host of its CONNECT. That name is the origin's from then on: it goes
// into the URL, and the origin's certificate must bear it.
func (s *session) handshake() bool {
	conn := tls.Server(s.raw, s.tls)
	s.raw.handshakeBegan = time.Now()
	// A context would take a goroutine. A stop closes s.raw.
	s.raw.SetDeadline(s.raw.handshakeBegan.Add(s.cfg.Timeout.TLS))
	if err := conn.Handshake(); err != nil {
		s.handshakeFailed(err)
		return false
	}
	s.raw.SetDeadline(time.Time{})
	s.conn = conn
	s.tunnel.secure, s.tunnel.name = true, s.tunnel.host
	if name := conn.ConnectionState().ServerName; name != "" {
		s.tunnel.name = strings.ToLower(name)
	}
	return true
}
