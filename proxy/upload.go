package proxy

import (
	"os"
	"sync/atomic"
	"time"

	"warcorder/proxy/http1"
)

// send writes the request: in one piece if all of it is here, else the head, and the body as it
// comes. What is here as a whole, as small posts are, needs no upload.
func (e *exchange) send() error {
	s, b := e.client, e.bounded(http1.RequestBody(&e.req.Message))
	out, head := s.fwd, len(s.fwd)
	if e.req.Framing != http1.NoBody {
		whole := b
		n, err := whole.Take(s.in.bytes())
		if err == nil && whole.Done() {
			s.fwd = append(s.fwd, s.in.bytes()[:n]...)
			s.in.consume(n)
			out, b = s.fwd, whole
		}
	}
	e.boundWrite(&e.up.wire)
	if err := e.write(out, head); err != nil {
		return err
	}
	if err := e.keep(&e.x.Request, out); err != nil {
		return err
	}
	if !b.Done() {
		e.upload = e.startUpload(b)
	}
	return nil
}

// upload sends a request's body to the origin while the response may already be on its way back. It
// runs in a goroutine of its own, beside the session's, which reads the answer:
//
//	client ──► upload ──► origin       the upload reads the client and writes the origin
//	client ◄── session ◄── origin      the session reads the origin and writes the client
//
// Each reads only its own side, so that neither needs a lock; they meet where one ends. What ends
// the upload shows in its own err and side, and settle tells the session by the deadline of its
// read, for a blocked read can be woken in no other way. An answer may be complete before the body
// is: settleUpload then ends the upload.
type upload struct {
	e       *exchange
	body    http1.Body
	done    chan struct{}
	stopped atomic.Bool
	begun   atomic.Bool // the client has sent a byte of the body
	invited bool        // the origin has said 100 Continue
	err     error       // once done is closed: nil if the whole body was sent
	side    side
	broke   *carried // its panic, for the session
}

// side says which connection an upload failed on.
type side uint8

const (
	clientSide side = iota
	originSide
)

// longAgo is a deadline that wakes a blocked read or write.
var longAgo = time.Unix(1, 0)

// startUpload sends body b. From here on the origin may take its time to answer: only when it has
// the whole request does timeout-first-byte begin.
func (e *exchange) startUpload(b http1.Body) *upload {
	u := &upload{e: e, body: b, done: make(chan struct{})}
	e.up.conn.SetReadDeadline(time.Time{})
	go func() {
		defer close(u.done)
		u.move()
		u.settle()
	}()
	return u
}

// move is run, with an end for its panics: settleUpload rethrows them.
func (u *upload) move() {
	defer carry(&u.broke)
	u.err = errPanic
	u.err = u.run()
}

// run moves the body, piece by piece as it comes.
func (u *upload) run() error {
	s := u.e.client
	for {
		n, framingErr := u.body.Take(s.in.bytes())
		if n > 0 {
			u.begun.Store(true)
			if err := os.ErrDeadlineExceeded; u.e.overtime(err) {
				return err // else the write would seem to be late
			}
			if err := u.pass(s.in.bytes()[:n]); err != nil {
				u.side = originSide
				return err
			}
			s.in.consume(n)
		}
		if framingErr != nil || u.body.Done() {
			return framingErr
		}
		if err := u.fill(); err != nil {
			return err
		}
	}
}

// pass sends a piece to the origin, and keeps it.
func (u *upload) pass(b []byte) error {
	up := u.e.up
	up.conn.SetWriteDeadline(u.e.by(u.e.cfg.Timeout.Idle))
	if u.stopped.Load() {
		return errStopped
	}
	if _, err := up.conn.Write(b); err != nil {
		if u.stopped.Load() { // the write was woken, and is not late
			return errStopped
		}
		return err
	}
	return u.e.keep(&u.e.x.Request, b)
}

// fill waits for the next piece.
func (u *upload) fill() error {
	s := u.e.client
	s.conn.SetReadDeadline(u.e.by(u.e.cfg.Timeout.Idle))
	if u.stopped.Load() {
		return errStopped
	}
	err := s.in.fill(largeBuffer)
	switch {
	case err == nil:
		return nil
	case u.stopped.Load():
		return errStopped
	case !isTimeout(err):
		s.gone.Store(true)
	}
	return err
}

// settle tells the reading side how the upload ended: with the whole body sent, the origin has
// timeout-first-byte to answer; with the origin not listening any more, it may still have answered;
// otherwise there is nothing to wait for.
func (u *upload) settle() {
	up := u.e.up
	switch {
	case u.stopped.Load():
	case u.err == nil:
		up.conn.SetReadDeadline(longAgo) // fill goes on from there, watching the client
	case u.side == originSide && !isTimeout(u.err) && !isUnkept(u.err):
		up.conn.SetReadDeadline(u.e.by(glance))
	default:
		up.raw.Close()
	}
}

func (u *upload) ended() bool {
	select {
	case <-u.done:
		return true
	default:
		return false
	}
}

// stop ends the upload where it is.
func (u *upload) stop() {
	u.stopped.Store(true)
	u.e.client.conn.SetReadDeadline(longAgo)
	u.e.up.conn.SetWriteDeadline(longAgo)
	<-u.done
	u.e.client.conn.SetReadDeadline(time.Time{})
}

// settleUpload ends the upload and reports whether the origin has the whole request. With wait it
// may go on to its end, but for a client that waits for a 100 Continue which will not come: it will
// not send the body (RFC 9110 section 10.1.1).
func (e *exchange) settleUpload(wait bool) bool {
	u := e.upload
	if u == nil {
		return true
	}
	defer func() {
		e.client.in.forgetDeadlines()
		e.up.forgetDeadlines()
	}()
	if wait && (!e.req.Expect || u.invited || u.begun.Load()) {
		<-u.done
	} else {
		u.stop()
	}
	rethrow(&u.broke)
	return u.err == nil
}
