package proxy

import (
	"bytes"
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
