// Package proxy stands between clients and origins: it accepts connections, intercepts TLS, relays
// HTTP/1.1 in both directions and hands each exchange to package recorder.
//
// The front door is net/http with goproxy: CONNECT requests, and what is meant for the proxy
// itself. The data path is the relay, which reads of a message only what finds its end (package
// http1), because net/http loses header order and case, chunk framing and 1xx responses. One
// exchange's way, by file:
//
//	                Serve (proxy.go), take (accept.go)
//	                  │ no place: crowd.go; may not use the proxy: strangers.go
//	    absolute form │ CONNECT, own pages
//	  ┌───────────────┴──────────┐
//	  │                  net/http, goproxy ──► proxy/admin
//	  │                          │ CONNECT: hijack, tap.go
//	  │                  intercept, TLS handshake (connect.go), or untouched.go: bytes only
//	  ▼                          ▼
//	session: serve.go ◄──────────┘         distrust.go: the client left without asking; pinned.go
//	  │
//	  ├─ head.go          wait for a request, read its head; what is none: foreign.go
//	  ├─ destination.go   where it goes
//	  ├─ own.go           nowhere: our own pages, by our own name
//	  ├─ replay.go        a Source answers in the origin's place: posted.go, pass.go, attend.go;
//	  │                   it has no answer: again.go, and on
//	  ├─ change.go        what of it the origin does not get
//	  └─ run.go           one exchange, kept piece by piece (record.go)
//	       ├─ fetch.go      a connection to the origin (origins.go, pool.go, dial.go, lookup.go)
//	       ├─ upload.go     the request, its body beside the answer
//	       ├─ answer.go     the heads of the response
//	       ├─ response.go   its body          or tunnel.go, behind a 101
//	       ├─ whole.go      is the archive to have all of what this answers, or is a part of?
//	       └─ end.go        the record, both connections
//	            └─ verdict.go, judge.go: what an error means; refusal.go: the client's page
//
// What a client has taken a part of is asked for whole, in a session without a client: entity.go
// and nature.go tell what it is, completions.go whether, and schedule.go when.
//
// Beneath lie the connections: wire.go reads both kinds, upstream.go is one to an origin, to which
// way.go leads through other proxies, clients.go counts those of clients. Above lie the settings,
// which are others from one moment to the next while it serves: settings.go, reconfigure.go.
//
// Invariant: what the origin sent reaches the client and the record byte for byte, and what the
// client sent reaches the origin and the record byte for byte, but for the request target's form
// and some fields (http1.Change): Proxy-* and what crawlers tell recorders are left out, and, as
// Config.Codings and Config.Anticache say, codings that archives cannot be read in and conditions
// that would leave a hole. A message that two readers could end in different places does not pass.
// Nothing passes that is not recorded, but for what follows a 101, for the hosts that
// Config.NoRecord names, for tunnels to those that Config.Tunnel names, and while the operator
// pauses recording; each leaves a gap in the archive that is counted. Where a Source answers, nothing
// is recorded, is a gap, or leads to an origin, but for what the Source leaves to it.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy/hosts"
	"warcorder/recorder"
)

// Proxy is a recording forward proxy on one listener: the relay, and the front door to it.
type Proxy struct {
	relay
	ln            net.Listener
	beside, aside []net.Addr    // other listeners, see Config
	conns         chan net.Conn // for net/http
	noFront       chan struct{} // closed when nobody takes them any more

	changing sync.Mutex // held while settings change; guards what follows
	front    *front
	serving  bool                // it takes connections
	ended    bool                // nothing changes any more
	retired  map[*front]struct{} // that have been replaced, and serve what they have taken

	crowd     *crowd                // clients for whom there is no place
	strangers *strangers            // who may not use the proxy
	refused   summary               // connections that could not be accepted
	broken    atomic.Pointer[error] // too many panics
	cancel    context.CancelFunc    // of relay.stop
}

// New makes a proxy that serves on ln. Requests that are meant for the proxy itself go to pages. rec
// may be nil if there is a Config.Source: then nothing is recorded, and no origin is asked.
func New(cfg Config, ln net.Listener, authority *certs.Authority, rec *recorder.Recorder,
	pages http.Handler, log zerolog.Logger) (*Proxy, error) {
	if rec == nil && cfg.Source == nil {
		return nil, errors.New("a proxy without a recorder needs a Source")
	}
	p := &Proxy{
		ln: ln, beside: cfg.Beside, aside: cfg.Aside,
		conns: make(chan net.Conn), noFront: make(chan struct{}), retired: map[*front]struct{}{},
	}
	p.source, p.rec, p.log, p.pages = cfg.Source, rec, log, pages
	if p.panics = recorder.NewPanics(log); rec != nil {
		p.panics = rec.Panics()
	}
	plain, others := cfg.headShares()
	p.memory, p.login.memory = newBudget(others), newBudget(plain)
	first, err := p.makeSettings(p.own(cfg), authority, nil)
	if err != nil {
		return nil, err
	}
	p.now.Store(first)
	p.advise(first)
	p.clients = clientsWithin(cfg.MaxConnections, &p.log)
	p.trust = newTrust()
	p.untouched, p.pinned = newSeldom(), newPinned()
	p.seenForeign = p.foreignSummaries()
	p.doubts = doubts{waiting: map[*doubt]*time.Timer{}}
	p.completions = newCompletions(&p.relay)
	p.stop, p.cancel = context.WithCancel(context.Background())
	p.crowd, p.strangers = newCrowd(&p.relay), newStrangers(&p.relay)
	p.login.init(&p.relay)
	p.refused.tell, p.codings.tell = p.tellNotAccepted, p.tellCodings
	if p.ends(rec) {
		p.panics.OnBroken(p.stopBroken)
	}
	p.front = p.newFront(first.cfg)
	return p, nil
}

// own is what counts for this proxy of a Config that was made for all of a process.
func (p *Proxy) own(cfg Config) *Config {
	if p.source != nil {
		cfg.Tunnel = hosts.List{} // no client is led past the Source
	}
	return &cfg
}

// advise tells of certificates that are no error, and may not be what is meant.
func (p *Proxy) advise(s *settings) {
	for _, one := range s.upstreams.certificates.advice {
		p.log.Warn().Str("advice", one).Msg("a certificate of client-certs may not be what is meant")
	}
}

// Serve accepts clients until Shutdown. It returns nil after a Shutdown, else what kept it from
// accepting, or that too much has broken.
func (p *Proxy) Serve() error {
	p.begin()
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
		// each gives a descriptor back, as does a client that waits
		if p.current().upstreams.forgetIdle() == 0 {
			p.clients.endOne()
		}
		select {
		case <-time.After(delay):
		case <-p.stop.Done():
			return nil
		}
	}
}

// tellNotAccepted reports connections that could not be accepted.
func (p *Proxy) tellNotAccepted(why string, n int64) {
	p.log.Warn().Str("error", why).Int64("times", n).Msg("cannot accept")
	p.gaps(n, p.ln.Addr().String(), why)
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
// finish until ctx is done; wholes that are to be asked for are asked for at once, and have the
// same time. Then it cuts them. When it returns every exchange has been handed to the recorder.
func (p *Proxy) Shutdown(ctx context.Context) {
	fronts, upstreams := p.settle()
	p.clients.close()
	p.ln.Close()
	p.completions.hurry()
	finished := make(chan struct{})
	go func() {
		for _, front := range fronts {
			front.server.Shutdown(ctx) // which closes the front
		}
		p.clients.running.Wait()
		p.completions.wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
		p.cut(fronts)
		if p.rec != nil && p.ends(p.rec) {
			p.rec.LastTry()
		}
		<-finished
	}
	p.cancel()
	upstreams.close()
	p.crowd.seen.close()
	p.strangers.seen.close()
	p.login.close()
	p.refused.close()
	p.codings.close()
	for _, seen := range p.seenForeign {
		seen.close()
	}
	p.doubts.close()
}

// ends reports whether what ends this proxy ends the process. One with a Source and a recorder
// stands beside the proxy that records, and the recorder goes on without it.
func (p *Proxy) ends(rec *recorder.Recorder) bool { return rec == nil || p.source == nil }

// cut ends everything in flight.
func (p *Proxy) cut(fronts []*front) {
	p.cancel()
	for _, front := range fronts {
		front.server.Close()
	}
	p.clients.cut()
	p.completions.stop()
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
