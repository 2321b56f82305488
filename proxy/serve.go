package proxy

import (
	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// serve relays requests until one side ends the connection. On errNotProxied the bytes of the next
// request are still buffered.
func (s *session) serve() error {
	s.in.conn, s.in.heads = s.conn, s.memory
	defer s.origins.close()
	defer s.forget()
	for first := true; ; first = false {
		if err := s.readHead(first); err != nil {
			return err
		}
		s.asked()
		if !s.one() || s.clients.closing.Load() {
			return nil
		}
	}
}

// serveAndLeave serves a session that has entered.
func (s *session) serveAndLeave() error {
	defer s.clients.leave(&s.seat)
	return s.serve()
}

// asked notes that a request has come, by which a client in a tunnel shows that it takes the
// certificate.
func (s *session) asked() {
	if !s.asks && s.secure() && !s.leadsHere() {
		s.trust.shown(s.raw.kind)
		s.pinned.worked(s.raw.at())
	}
	s.asks = true
}

// one relays the request in s.head. It reports whether the connection goes on.
func (s *session) one() bool {
	req, err := http1.ParseRequest(s.head)
	if err != nil {
		return s.reject(s.place(), err)
	}
	if barred := s.barred(); barred != nil {
		return s.tell(&req, *barred, false)
	}
	if answered, goesOn := s.asksLogin(&req); answered {
		return goesOn
	}
	to, target, err := s.destination(&req)
	if err != nil {
		return s.reject(s.target(&req), err)
	}
	if to.isOwn() {
		return s.answerOwn(&req, &to, target)
	}
	url := urlOf(&to, target)
	if s.source != nil {
		if answered, goesOn := s.replay(&req, to, url); answered {
			return goesOn
		}
		defer s.readOn()
	}
	return s.exchange(&req, to, url, target)
}

// exchange relays a request to its origin and records that, unless it is not to pass.
func (s *session) exchange(req *http1.Request, to origin, url string, target []byte) bool {
	s.route(&to)
	e := s.newExchange(req, to)
	e.url = url
	if err := e.refused(); err != nil {
		v := e.judgeRequest(err)
		e.gap(v.gap, v.told)
		return s.tell(req, v.refusal(), req.Framing == http1.NoBody && req.KeepAlive)
	}
	s.fwd = s.forward(s.fwd[:0], req, target, e.change())
	return e.run()
}

// urlOf is the URL that a record has.
func urlOf(to *origin, target []byte) string {
	if target[0] == '*' { // OPTIONS *: of the whole server, which only its root can stand for
		target = []byte{'/'}
	}
	var room [256]byte // for most of them
	return string(append(to.appendURL(room[:0]), target...))
}

// newExchange makes the exchange of a request that is to go to an origin.
func (s *session) newExchange(req *http1.Request, to origin) *exchange {
	unwanted := s.cfg.NoRecord.Has(to.siteName())
	inPause := !unwanted && s.paused.on()
	return &exchange{
		client:     s,
		limits:     limits{cfg: s.cfg},
		rec:        s.rec,
		log:        s.log,
		origins:    &s.origins,
		stop:       s.stop,
		req:        req,
		to:         to,
		inPause:    inPause,
		unrecorded: unwanted || inPause,
	}
}

// route sets the way to an origin, and whose it is if somebody on it knows us. The host that is
// dialled decides, not the name that a client gives in its handshake: it could make one up to leave
// its way.
func (s *session) route(to *origin) {
	to.way, to.user = s.cfg.Upstream.To(to.secure, to.host, to.port), ""
	if to.way.IsAuthenticated() || s.upstreams.certificates.knowsUs(*to) {
		to.user = s.user
	}
}

// refused returns why a request that is understood is not passed on, or nil.
func (e *exchange) refused() error {
	if err := e.rec.Ready(); err != nil && !e.unrecorded {
		return &notReady{err}
	}
	if string(e.req.Method) == "TRACE" && e.to.way.Forwards(e.to.secure) &&
		e.to.way.Authorization() != "" {
		return errTrace
	}
	if most := e.cfg.MaxBodySize; most > 0 && e.req.Framing == http1.Sized && e.req.Length > most {
		return http1.ErrBodyTooLong
	}
	return nil
}

// reject answers a request that cannot be understood in one way only, and ends the connection: what
// follows cannot be trusted to be a request. place is what was asked for, or who did.
func (s *session) reject(place string, err error) bool {
	v := heads.on(err, origin{})
	s.gap(recorder.GapRefused, place, v.told)
	s.page(refused(v))
	if !s.hushed() {
		warnHead(s.log, "request refused", "", err)
	}
	s.linger()
	return false
}
