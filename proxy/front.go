package proxy

import (
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// front is net/http's part of the front door: it serves the connections that are its own. What
// net/http is told of times and sizes it is told once, so that other settings need another front,
// which takes the connections that come from then on. The old one serves to their end those that it
// has: it must not be shut down before, since net/http then answers nothing that it has not begun
// with.
type front struct {
	server *http.Server
	conns  <-chan net.Conn
	addr   net.Addr
	closed chan struct{}
	once   sync.Once

	open atomic.Int64 // connections that it has, and who waits for one
	gone func(*front) // called when it is closed, and has none
}

// frontLimits are the settings that net/http has.
type frontLimits struct {
	header, idle time.Duration
	head         int
}

func (c *Config) frontLimits() frontLimits {
	return frontLimits{c.Timeout.Header, c.Timeout.Idle, int(min(c.MaxHeaderSize, maxFrontHead))}
}

func (p *Proxy) newFront(cfg *Config) *front {
	limits := cfg.frontLimits()
	server := &http.Server{
		Handler: p.dispatch(),
		// the body too, which net/http waits for when a handler has not read it
		ReadTimeout:    limits.header,
		IdleTimeout:    limits.idle,
		MaxHeaderBytes: limits.head,
		ErrorLog:       stdlog.New(p.log.With().Str("part", "front").Logger(), "", 0),
	}
	// One request a connection: what follows it may be for the relay, and a connection that net/http
	// has is its own for good. It answers some requests (OPTIONS *) before any handler could close
	// them.
	server.SetKeepAlivesEnabled(false)
	f := &front{
		server: server, conns: p.conns, addr: p.ln.Addr(), closed: make(chan struct{}), gone: p.forget,
	}
	server.ConnState = func(_ net.Conn, now http.ConnState) {
		if now == http.StateClosed || now == http.StateHijacked {
			f.less()
		}
	}
	return f
}

// serve takes connections from now on.
func (f *front) serve() { go f.server.Serve(f) }

// give passes a connection to the front that there is, or closes it if there is none any more.
func (p *Proxy) give(c net.Conn) {
	select {
	case p.conns <- c:
	case <-p.noFront:
		c.Close()
	}
}

// Accept returns the next connection.
func (f *front) Accept() (net.Conn, error) {
	f.open.Add(1)
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.closed:
		f.less()
		return nil, net.ErrClosed
	}
}

// less notes that a connection has ended, or is not waited for any more.
func (f *front) less() {
	if f.open.Add(-1) > 0 {
		return
	}
	select {
	case <-f.closed:
		f.gone(f)
	default:
	}
}

// Close ends Accept. What was taken is served to its end.
func (f *front) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// Addr is the address that clients connect to.
func (f *front) Addr() net.Addr { return f.addr }
