package proxy

import (
	"cmp"
	"errors"
	"net"
	"os"
	"time"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// readHead waits for the next request and copies its head to s.head, consumed. A client that goes
// away between two requests is no fault.
func (s *session) readHead(first bool) error {
	if err := s.awaitRequest(first); err != nil {
		return err
	}
	var deadline time.Time
	fill := func() error {
		if deadline.IsZero() {
			deadline = time.Now().Add(s.cfg.Timeout.Header)
		}
		s.in.readUntil(deadline, 0)
		return s.in.fill(smallBuffer)
	}
	err := s.takesNext(fill)
	if err == errNotProxied && s.nobodys() { // net/http is to wait for none of it
		_, err = s.in.head(int(min(s.cfg.MaxHeaderSize, maxFrontHead)), fill)
		err = cmp.Or(err, errNotProxied)
	}
	var head []byte
	if err == nil {
		head, err = s.in.head(int(s.cfg.MaxHeaderSize), fill)
	}
	if err == nil {
		err = s.takeHead(head)
	}
	if err != nil {
		s.noHead(err)
	}
	return err
}

// noHead settles a head that did not come as a whole: it is refused, or the client has gone in its
// middle.
func (s *session) noHead(err error) {
	if errors.Is(err, errNotProxied) {
		return
	}
	var other *foreignError
	if errors.As(err, &other) {
		s.turnForeign(other.foreign)
		return
	}
	if v := heads.on(err, origin{}); v.status > 0 {
		s.refuse(v)
	} else if s.in.buffered() > 0 {
		s.gap(recorder.GapCut, s.place(), "the connection ended in the middle of a request's head")
	}
}

// takeHead copies the head to s.head, and consumes it.
func (s *session) takeHead(head []byte) error {
	if n := 2 * int64(len(head)); n > 2*largeBuffer { // this copy, and that for the origin
		if !s.memory.take(n) {
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
	s.memory.give(s.share)
	s.head, s.fwd, s.share = nil, nil, 0
}

// takesNext waits until enough of a plain request is there to know whose it is; errNotProxied if it
// is not the relay's.
func (s *session) takesNext(fill func() error) error {
	for s.tunnel == nil {
		s.in.skipEmptyLines()
		other, unsure := foreignTo(s.in.bytes())
		absolute, known := http1.TargetForm(s.in.bytes())
		switch {
		case other != nil:
			return &foreignError{other}
		case unsure:
		case known && absolute:
			return nil
		case known:
			return errNotProxied
		case s.in.buffered() > int(s.cfg.MaxHeaderSize):
			return errHeadTooLarge
		}
		if err := fill(); err != nil {
			return err
		}
	}
	return nil
}

// awaitRequest waits for the first byte of a request. Meanwhile the session may be ended to make
// room for another client. The first request has timeout-header to begin, as its client has come to
// ask; the next ones have timeout-idle.
func (s *session) awaitRequest(first bool) error {
	if s.share > 0 {
		s.forget()
	}
	if s.in.buffered() > 0 {
		return s.goesOn()
	}
	s.in.rest()
	patience := s.cfg.Timeout.Idle
	if first {
		patience = s.cfg.Timeout.Header
	}
	if !s.clients.wait(&s.seat) {
		return net.ErrClosed
	}
	err := s.firstByte(time.Now().Add(patience))
	s.renew()
	if s.nobodys() {
		return err // and it waits on, until it has shown whose it is (asksLogin)
	}
	if !s.clients.resume(&s.seat) {
		return net.ErrClosed
	}
	return err
}

// goesOn is awaitRequest for a request that has begun to come behind the one before. A client that is
// nobody's by other settings waits from now on, like any other.
func (s *session) goesOn() error {
	s.renew()
	if s.nobodys() && !s.clients.wait(&s.seat) {
		return net.ErrClosed
	}
	return nil
}

// dozeAfter is how long a session waits for its client's next request before it gives its buffers
// back.
const dozeAfter = time.Second

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

// refuse answers a head that is not there as a whole.
func (s *session) refuse(v verdict) {
	s.page(refused(v))
	if !s.hushed() {
		s.log.Warn().Str("client", s.raw.RemoteAddr().String()).Int("status", v.status).
			Msg("request refused: " + v.told)
	}
	s.gap(v.gap, s.place(), v.told)
	s.linger()
}

// refused is what a client is told whose request is refused for its head.
func refused(v verdict) refusal {
	return refusal{v.status, "The request was refused: " + v.told + "."}
}

// page tells a client something that ends its connection.
func (s *session) page(r refusal) {
	s.in.writeUntil(time.Now().Add(refusalPatience), 0)
	s.conn.Write(r.page(false, false, false))
}
