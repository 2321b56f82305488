package proxy

import (
	"context"
	"errors"

	"warcorder/proxy/http1"
)

// fetch sends the request and waits for the head of the final response, which it leaves in the
// upstream's buffer. A kept connection may have died unnoticed: what can be asked again without
// harm is asked once more on a new one.
func (e *exchange) fetch() (res http1.Response, head int, err error) {
	reused, err := e.connect(true)
	for {
		if err == nil {
			err = e.send()
		}
		if err == nil {
			res, head, err = e.answer()
		}
		if err == nil || !reused || !e.mayRetry(err) {
			return res, head, err
		}
		e.s.in.unwatch()
		e.drop()
		e.x.Request.Reset()
		reused, err = e.connect(false)
	}
}

func (e *exchange) mayRetry(err error) bool {
	var record *recordError
	return e.s.p.ctx.Err() == nil && e.req.Idempotent && e.req.Framing == http1.NoBody && !e.sent &&
		e.up.buffered() == 0 &&
		!isTimeout(err) && !e.s.gone.Load() && !errors.As(err, &record)
}

// connect takes a kept connection if there is one and it is allowed, else dials.
func (e *exchange) connect(kept bool) (reused bool, err error) {
	if kept {
		e.up = e.s.takeBound(e.to)
		if e.up == nil {
			e.up = e.s.p.upstreams.get(e.to)
		}
	}
	reused = e.up != nil
	if !reused {
		if e.up, err = e.dial(); err != nil {
			return false, err
		}
	}
	e.s.current.Store(e.up)
	if e.s.p.ctx.Err() != nil { // stopped meanwhile: stop() may not have seen this connection
		e.up.raw.Close()
	}
	e.x.Conn = e.up.raw
	e.x.RemoteIP, e.x.TLS, e.x.Cipher = e.up.ip, e.up.tls, e.up.cipher
	e.x.Chain, e.x.Unverified = e.up.chain, e.up.unverified
	return reused, nil
}

// dial opens a connection, unless the client goes away meanwhile.
func (e *exchange) dial() (*upstream, error) {
	ctx, cancel := context.WithCancel(e.s.p.ctx)
	defer cancel()
	if !e.until.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, e.until)
		defer cancel()
	}
	e.s.in.watch(func(error) {
		e.s.gone.Store(true)
		if !e.finishes() {
			cancel()
		}
	})
	defer e.s.in.unwatch()
	return e.s.p.upstreams.dial(ctx, e.to)
}

// drop ends the upstream connection.
func (e *exchange) drop() {
	e.s.current.Store(nil)
	if e.up != nil {
		e.up.close()
		e.up = nil
	}
}
