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
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/elazarl/goproxy"
	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy/dns"
	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// Proxy is a recording forward proxy on one listener.
type Proxy struct {
	cfg       *Config
	rec       *recorder.Recorder
	tls       *tls.Config
	log       zerolog.Logger
	upstreams *upstreams
	names     dns.Names
	trust     trust
	doubts    doubts
	server    *http.Server
	front     *frontListener
	ln        net.Listener

	clients *clients
	heads   *budget               // memory for large heads
	crowded summary               // clients that were turned away
	refused summary               // connections that could not be accepted
	leaving chan struct{}         // a place for each client that is being turned away
	broken  atomic.Pointer[error] // too many panics

	ctx    context.Context // done when in-flight exchanges are to be ended
	cancel context.CancelFunc
}

// New makes a proxy that serves on ln. Requests that are meant for the proxy itself go to admin.
func New(cfg Config, ln net.Listener, authority *certs.Authority, rec *recorder.Recorder,
	admin http.Handler, log zerolog.Logger) *Proxy {
	p := &Proxy{
		cfg:     &cfg,
		rec:     rec,
		log:     log,
		ln:      ln,
		heads:   newBudget(cfg.MaxHeaderMemory),
		trust:   newTrust(),
		leaving: make(chan struct{}, turnedAwayAtOnce),
	}
	p.clients = p.newClients()
	p.doubts = doubts{trust: p.trust, waiting: map[*doubt]*time.Timer{}}
	p.crowded.tell, p.refused.tell = p.tellCrowded, p.tellNotAccepted
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.tls = authority.ServerConfig(connectHost)
	p.upstreams = newUpstreams(p.cfg, p.heads, p.isSelf)
	if cfg.RecordDNS {
		p.names.Record, p.names.Broke = p.recordAnswer, p.namesBroke
		p.upstreams.resolver, p.upstreams.discreet = p.names.Resolver(true), p.names.Resolver(false)
	}
	p.front = newFrontListener(ln.Addr())
	rec.OnBroken(p.stopBroken)
	p.server = &http.Server{
		Handler: p.dispatch(admin),
		// the body too, which net/http waits for when a handler has not read it
		ReadTimeout:    cfg.Timeout.Header,
		IdleTimeout:    cfg.Timeout.Idle,
		MaxHeaderBytes: int(min(cfg.MaxHeaderSize, maxFrontHead)),
		ErrorLog:       stdlog.New(log.With().Str("part", "front").Logger(), "", 0),
	}
	// One request a connection: what follows it may be for the relay, and a connection that net/http
	// has is its own for good. It answers some requests (OPTIONS *) before any handler could close
	// them.
	p.server.SetKeepAlivesEnabled(false)
	return p
}

// maxFrontHead is the largest head of a CONNECT or a request to the proxy itself. It has room for
// credentials; that of a request to be relayed may be larger, and what those take together is
// bounded.
const maxFrontHead = 64 << 10

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

// Serve accepts clients until Shutdown. It returns nil after a Shutdown, else what kept it from
// accepting, or that too much has broken.
func (p *Proxy) Serve() error {
	go p.server.Serve(p.front)
	for delay := time.Duration(0); ; {
		conn, err := p.ln.Accept()
		if err == nil {
			delay = 0
			p.take(conn)
			continue
		}
		if broken := p.isBroken(); broken != nil {
			return broken
		}
		if p.clients.closing.Load() {
			return nil
		}
		if isUseless(err) {
			return fmt.Errorf("accept: %w", err)
		}
		delay = min(max(2*delay, 5*time.Millisecond), time.Second)
		p.refused.add(err.Error())
		if p.upstreams.forgetIdle() == 0 { // each gives a descriptor back, as does a client that waits
			p.clients.endOne()
		}
		select {
		case <-time.After(delay):
		case <-p.ctx.Done():
			return nil
		}
	}
}

// isUseless reports an error of a listener that will accept nothing more. Any other is one of the
// connection that was to be accepted (accept(2) passes on what the network says of it), or of a
// machine that is short of something, and may pass.
func isUseless(err error) bool {
	for _, end := range []error{net.ErrClosed, syscall.EBADF, syscall.EINVAL, syscall.ENOTSOCK} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

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

// Shutdown stops accepting, ends connections that wait for a request, and lets exchanges in flight
// finish until ctx is done. Then it cuts them. When it returns every exchange has been handed to
// the recorder.
func (p *Proxy) Shutdown(ctx context.Context) {
	p.clients.close()
	p.ln.Close()
	p.front.Close()
	finished := make(chan struct{})
	go func() {
		p.server.Shutdown(ctx)
		p.clients.running.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
		p.cut()
		p.rec.LastTry()
		<-finished
	}
	p.cancel()
	p.upstreams.close()
	p.crowded.close()
	p.refused.close()
	p.doubts.close()
}

// cut ends everything in flight.
func (p *Proxy) cut() {
	p.cancel()
	p.server.Close()
	p.clients.cut()
}

// cut ends a session on both sides.
func (s *session) cut() {
	s.raw.Close()
	if up := s.current.Load(); up != nil {
		up.raw.Close()
	}
}

// isSelf reports an address that the proxy itself answers on.
func (p *Proxy) isSelf(target netip.AddrPort) bool {
	own, ok := p.ln.Addr().(*net.TCPAddr)
	if !ok || int(target.Port()) != own.Port {
		return false
	}
	address := target.Addr().Unmap().WithZone("")
	if own.IP.IsUnspecified() {
		return isLocal(address)
	}
	return own.AddrPort().Addr().Unmap() == address || address.IsUnspecified()
}

// isLocal reports an address of this machine.
func isLocal(address netip.Addr) bool {
	if address.IsLoopback() || address.IsUnspecified() {
		return true
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, one := range addresses {
		if prefix, err := netip.ParsePrefix(one.String()); err == nil && prefix.Addr() == address {
			return true
		}
	}
	return false
}

// maxLineLogged is how much of a framing line the log shows: who sends it may send one of
// max-header-size with each message.
const maxLineLogged = 200

// logHead logs a refused message, with the framing lines that contradict each other and no other
// line.
func (p *Proxy) logHead(message, url string, err error) {
	event := p.log.Warn().Err(err)
	if url != "" {
		event = event.Str("url", recorder.Logged(url))
	}
	var head *http1.Error
	if errors.As(err, &head) {
		lines := make([]string, len(head.Lines))
		for i, line := range head.Lines {
			lines[i] = fmt.Sprintf("%+q", line[:min(len(line), maxLineLogged)])
		}
		event = event.Strs("lines", lines)
	}
	event.Msg(message)
}

func (p *Proxy) logFault(message, url string, err error) {
	p.log.Warn().Str("url", recorder.Logged(url)).Err(err).Msg(message)
}
