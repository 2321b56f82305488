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
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy/dns"
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

// stopBroken makes Serve return err.
func (p *Proxy) stopBroken(err error) {
	p.broken.CompareAndSwap(nil, &err)
	p.ln.Close()
}

// isBroken is why Serve must end, if it must.
func (p *Proxy) isBroken() error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	return nil
}
