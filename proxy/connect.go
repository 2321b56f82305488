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
	"crypto/tls"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/elazarl/goproxy"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// dispatch is goproxy: it decides what a CONNECT gets, and passes what is no proxy request to the
// admin pages.
func (p *Proxy) dispatch(admin http.Handler) http.Handler {
	g := goproxy.NewProxyHttpServer()
	g.Logger = stdlog.New(p.log.With().Str("part", "goproxy").Logger(), "", 0)
	g.NonproxyHandler = p.guardedPages(admin)
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

// hijack takes a CONNECT's connection over from net/http.
func (p *Proxy) hijack(r *http.Request, conn net.Conn, _ *goproxy.ProxyCtx) {
	c, ok := conn.(*tapConn)
	if !ok {
		conn.Close()
		return
	}
	host, port, err := http1.SplitAuthority(r.RequestURI, "443")
	if err == nil {
		err = c.restore()
	}
	if err != nil {
		p.logHead("connect refused", http1.WithoutUserinfo(r.RequestURI), err)
		p.rec.Gap(recorder.GapRefused, http1.WithoutUserinfo(r.RequestURI), err.Error())
		c.SetWriteDeadline(time.Now().Add(faultPatience))
		c.Write(fault{400, "The CONNECT was refused: " + err.Error() + "."}.page(false, false, false))
		c.Close()
		return
	}
	c.host = host
	p.clients.start(c, p.guarded(c, func() { p.intercept(c, host, port) }))
}

// intercept speaks for the origin inside a tunnel: TLS if the client begins with a handshake, else
// plain HTTP.
func (p *Proxy) intercept(c *tapConn, host, port string) {
	defer c.Close()
	s := &session{p: p, conn: c, raw: c, tunnel: &origin{host: host, port: port}}
	if !p.clients.enter(s) {
		return
	}
	defer p.clients.leave(s)
	c.SetDeadline(time.Now().Add(p.cfg.Timeout.Header))
	if _, err := c.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	var first [1]byte
	if !p.clients.wait(s) {
		return
	}
	_, err := c.Read(first[:])
	if !p.clients.resume(s) || err != nil {
		return
	}
	c.unread(first[:])
	if first[0] != recordTypeHandshake {
		c.SetDeadline(time.Time{})
	} else if !s.handshake() {
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

// handshake makes the session's connection a TLS one.
func (s *session) handshake() bool {
	conn := tls.Server(s.raw, s.p.tls)
	s.raw.handshakeBegan = time.Now()
	// a context would take a goroutine; a stop closes s.raw
	s.raw.SetDeadline(s.raw.handshakeBegan.Add(s.p.cfg.Timeout.TLS))
	if err := conn.Handshake(); err != nil {
		if s.distrusts(err) {
			return false
		}
		s.p.log.Warn().Str("host", s.tunnel.host).Err(err).Msg("client's TLS handshake failed")
		s.gap(recorder.GapRefused, s.place(), "the client's TLS handshake failed: "+err.Error())
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
