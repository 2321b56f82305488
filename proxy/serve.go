package proxy

import (
	"errors"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

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
