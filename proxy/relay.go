package proxy

import (
	"bytes"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

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

// errNotProxied ends a session whose next request is not in absolute form: a CONNECT, or one to the
// proxy itself.
var errNotProxied = errors.New("not a proxy request")

// serve relays requests until one side ends the connection. On errNotProxied the bytes of the next
// request are still buffered.
func (s *session) serve() error {
	s.in.conn, s.in.heads = s.conn, s.p.heads
	defer s.unbind()
	defer s.forget()
	for first := true; ; first = false {
		if err := s.readHead(first); err != nil {
			return err
		}
		s.asked()
		if !s.one() || s.p.clients.closing.Load() {
			return nil
		}
	}
}

// asked notes that a request has come, by which a client in a tunnel shows that it takes the
// certificate.
func (s *session) asked() {
	if !s.asks && s.raw.certified {
		s.p.trust.shown(s.raw.kind)
	}
	s.asks = true
}

// place names the connection: where its tunnel leads, or else whose it is.
func (s *session) place() string {
	if s.tunnel != nil {
		return net.JoinHostPort(s.tunnel.host, s.tunnel.port)
	}
	return s.raw.RemoteAddr().String()
}

func (s *session) unbind() {
	if s.bound != nil {
		s.bound.close()
		s.bound = nil
	}
}

// readHead waits for the next request and copies its head to s.head, consumed. A client that goes
// away between two requests is no fault.
func (s *session) readHead(first bool) error {
	if err := s.awaitRequest(first); err != nil {
		return err
	}
	var deadline time.Time
	fill := func() error {
		if deadline.IsZero() {
			deadline = time.Now().Add(s.p.cfg.Timeout.Header)
		}
		s.in.readUntil(deadline, 0)
		return s.in.fill(smallBuffer)
	}
	err := s.takesNext(fill)
	var head []byte
	if err == nil {
		head, err = s.in.head(int(s.p.cfg.MaxHeaderSize), fill)
	}
	switch {
	case errors.Is(err, errHeadTooLarge):
		s.refuse(431, "the request's head is larger than max-header-size")
	case errors.Is(err, errCrowdedHeads):
		s.refuse(503, err.Error())
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.refuse(408, "the request's head did not come within timeout-header")
	case err != nil && !errors.Is(err, errNotProxied) && s.in.buffered() > 0:
		s.gap(recorder.GapCut, s.place(), "the connection ended in the middle of a request's head")
	}
	if err != nil {
		return err
	}
	return s.takeHead(head)
}

// takeHead copies the head to s.head, and consumes it.
func (s *session) takeHead(head []byte) error {
	if n := 2 * int64(len(head)); n > 2*largeBuffer { // this copy, and the one that goes to the origin
		if !s.p.heads.take(n) {
			s.refuse(503, errCrowdedHeads.Error())
			return errCrowdedHeads
		}
		s.share = n
	}
	s.head = append(s.head[:0], head...)
	s.in.consume(len(head))
	s.in.rest()
	return nil
}

// forget gives back what the last request's head took.
func (s *session) forget() {
	s.p.heads.give(s.share)
	s.head, s.fwd, s.share = nil, nil, 0
}

// takesNext waits until enough of a plain request is there to know whose it is; errNotProxied if it
// is not the relay's.
func (s *session) takesNext(fill func() error) error {
	for s.tunnel == nil {
		s.in.skipEmptyLines()
		absolute, known := http1.TargetForm(s.in.bytes())
		switch {
		case known && absolute:
			return nil
		case known:
			return errNotProxied
		case s.in.buffered() > int(s.p.cfg.MaxHeaderSize):
			return errHeadTooLarge
		}
		if err := fill(); err != nil {
			return err
		}
	}
	return nil
}

// awaitRequest waits for the first byte of a request. Meanwhile the session may be ended to make
// room for another client.
func (s *session) awaitRequest(first bool) error {
	if s.share > 0 {
		s.forget()
	}
	if s.in.buffered() > 0 {
		return nil
	}
	s.in.rest()
	patience := s.p.cfg.Timeout.Idle
	if first {
		patience = s.p.cfg.Timeout.Header
	}
	if !s.p.clients.wait(s) {
		return net.ErrClosed
	}
	err := s.firstByte(time.Now().Add(patience))
	if !s.p.clients.resume(s) {
		return net.ErrClosed
	}
	return err
}

// firstByte waits with a buffer at hand, for most clients come again soon; of those that don't
// there may be thousands, so they hold nothing.
func (s *session) firstByte(until time.Time) error {
	if doze := time.Now().Add(dozeAfter); doze.Add(dozeAfter / 2).Before(until) {
		s.in.readUntil(doze, dozeAfter/2)
		if err := s.in.fill(smallBuffer); !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
	}
	s.in.drop()
	s.forget()
	s.in.readUntil(until, 0)
	return s.in.doze()
}

// one relays the request in s.head. It reports whether the connection goes on.
func (s *session) one() bool {
	req, err := http1.ParseRequest(s.head)
	if err != nil {
		return s.reject(s.place(), err)
	}
	to, target, err := s.destination(&req)
	if err != nil {
		return s.reject(s.target(&req), err)
	}
	s.fwd = s.forward(s.fwd[:0], &req, target)
	e := exchange{s: s, req: &req, to: to, unrecorded: s.p.cfg.NoRecord.Has(to.siteName())}
	if target[0] == '*' { // OPTIONS *: of the whole server, which only its root can stand for
		target = []byte{'/'}
	}
	var room [256]byte // for most of them
	url := string(append(to.appendURL(room[:0]), target...))
	if f := e.refusal(); f.status > 0 {
		if !e.unrecorded {
			s.p.rec.Gap(recorder.GapRefused, url, f.why)
		}
		return s.answerFault(&req, f, req.Framing == http1.NoBody && req.KeepAlive)
	}
	return e.run(url)
}

// refusal says why a request that is understood is not passed on. The zero fault: it is.
func (e *exchange) refusal() fault {
	if err := e.s.p.rec.Ready(); err != nil && !e.unrecorded {
		return fault{
			503,
			"warcorder is not recording at the moment: " + err.Error() + ". Nothing passes unrecorded; " +
				"try again when the operator has seen to it.",
		}
	}
	if most := e.s.p.cfg.MaxBodySize; most > 0 && e.req.Framing == http1.Sized && e.req.Length > most {
		return fault{413, tooLongRequest}
	}
	return fault{}
}

// reject answers a request that cannot be understood in one way only, and ends the connection: what
// follows cannot be trusted to be a request. place is what was asked for, or who did.
func (s *session) reject(place string, err error) bool {
	s.gap(recorder.GapRefused, place, err.Error())
	s.page(400, err.Error())
	s.p.logHead("request refused", "", err)
	s.linger()
	return false
}

// target is what a request names that leads nowhere.
func (s *session) target(req *http1.Request) string {
	if bytes.Contains(req.Target, []byte("://")) {
		return http1.WithoutUserinfo(string(req.Target))
	}
	return s.place()
}

// secure reports whether the client speaks TLS to us.
func (s *session) secure() bool { return s.tunnel != nil && s.tunnel.secure }

// answerFault tells the client why there is no answer, and reports whether the connection goes on.
func (s *session) answerFault(req *http1.Request, f fault, goesOn bool) bool {
	s.in.writeUntil(time.Now().Add(faultPatience), 0)
	if _, err := s.conn.Write(f.page(req.AcceptsHTML, req.HeadRequested, goesOn)); err != nil {
		return false
	}
	if !goesOn {
		s.linger()
	}
	return goesOn
}

// keep puts a connection back for the next request: of anybody, or of this client if it is
// authenticated.
func (s *session) keep(up *upstream, bound bool) {
	up.bound = up.bound || bound
	if !up.bound {
		s.p.upstreams.put(up)
		return
	}
	up.rest()
	up.used++
	s.bound = up
}

// takeBound returns this client's own connection to o if it has one that lives.
func (s *session) takeBound(o origin) *upstream {
	up := s.bound
	if up == nil {
		return nil
	}
	s.bound = nil
	if up.origin == o && up.alive() {
		return up
	}
	up.close()
	return nil
}

// refuse answers a head that is not there as a whole.
func (s *session) refuse(status int, why string) {
	s.page(status, why)
	s.p.log.Warn().Str("client", s.raw.RemoteAddr().String()).Int("status", status).
		Msg("request refused: " + why)
	s.gap(recorder.GapRefused, s.place(), why)
	s.linger()
}

func (s *session) page(status int, why string) {
	s.in.writeUntil(time.Now().Add(faultPatience), 0)
	s.conn.Write(fault{status, "The request was refused: " + why + "."}.page(false, false, false))
}

// destination returns where the request goes, and its target in origin-form.
func (s *session) destination(req *http1.Request) (origin, []byte, error) {
	if bytes.Equal(req.Method, []byte("CONNECT")) {
		return origin{}, nil, http1.Refuse("a CONNECT inside a tunnel")
	}
	scheme, rest, absolute := bytes.Cut(req.Target, []byte("://"))
	if s.tunnel != nil && (!absolute || req.Target[0] == '/' || req.Target[0] == '*') {
		if req.Target[0] != '/' && string(req.Target) != "*" {
			return origin{}, nil, http1.Refuse("the target is neither a path nor a URL")
		}
		return *s.tunnel, req.Target, nil
	}
	if !absolute {
		return origin{}, nil, http1.Refuse("a proxy request needs a target of the form http://host/path")
	}
	named, target, err := http1.ParseAbsolute(string(scheme), rest)
	if err != nil {
		return origin{}, nil, err
	}
	to := origin{secure: named.Secure, host: named.Host, port: named.Port}
	if to.secure {
		to.name = to.host
	}
	target = http1.OriginForm(target, string(req.Method) == "OPTIONS")
	if s.tunnel == nil {
		return to, target, nil
	}
	if to.secure != s.tunnel.secure || to.port != s.tunnel.port ||
		to.host != s.tunnel.host && to.host != s.tunnel.name {
		return origin{}, nil, http1.Refuse("the target names another place than the tunnel leads to")
	}
	return *s.tunnel, target, nil
}

// forward appends the head as the origin gets it: with target in origin-form on plain requests, and
// in a tunnel with the target that the client sent.
func (s *session) forward(dst []byte, req *http1.Request, target []byte) []byte {
	if s.tunnel != nil {
		target = nil
	}
	return req.Forward(dst, s.head, target)
}

// linger ends the connection so that what was written reaches a client that is still sending:
// closing with unread bytes would reset it (RFC 9112 section 9.6).
func (s *session) linger() {
	s.in.unwatch()
	if c, ok := s.conn.(interface{ CloseWrite() error }); ok {
		c.CloseWrite()
	}
	if s.gone.Load() || s.in.err != nil {
		return
	}
	s.in.readUntil(time.Now().Add(lingerPatience), 0)
	discard(s.raw)
}

// discard reads what a client still sends, within bounds.
func discard(conn net.Conn) {
	b := largeBuffers.Get().(*[]byte)
	defer largeBuffers.Put(b)
	for left := lingerBytes; left > 0; {
		n, err := conn.Read(*b)
		if err != nil {
			return
		}
		left -= n
	}
}

const (
	dozeAfter      = time.Second
	faultPatience  = 5 * time.Second
	lingerPatience = time.Second
	lingerBytes    = 16 << 20
)
