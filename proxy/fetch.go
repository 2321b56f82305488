package proxy

import (
	"context"

	"warcorder/proxy/http1"
)

// fetch asks the origin for an answer: it sends the request and waits for the head of the final
// response, which it leaves in the upstream's buffer. A kept connection may have died unnoticed:
// what can be asked again without harm is asked once more on a new one.
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
		e.client.in.unwatch()
		e.drop()
		e.x.Request.Reset()
		reused, err = e.connect(false)
	}
}

// mayRetry reports whether a request may be sent again: it changes nothing if it is done twice, no
// byte of its body is spent, no byte of an answer has come, somebody waits for one, and neither
// time nor the archive has run out.
func (e *exchange) mayRetry(err error) bool {
	harmless := e.req.Idempotent && e.req.Framing == http1.NoBody
	unanswered := !e.sent && e.up.buffered() == 0
	return harmless && unanswered && e.stop.Err() == nil && !isTimeout(err) &&
		!e.abandoned() && !isUnkept(err)
}

// connect takes a kept connection if there is one and it is allowed, else dials.
func (e *exchange) connect(kept bool) (reused bool, err error) {
	if kept {
		e.up = e.origins.kept(e.to)
	}
	reused = e.up != nil
	if !reused {
		if e.up, err = e.dial(); err != nil {
			return false, err
		}
	}
	e.client.upstream.Store(e.up)
	if e.stop.Err() != nil || e.abandoned() {
		// Since just now: whoever saw that may not have seen this connection.
		e.up.raw.Close()
	}
	e.x.Conn = e.up.raw
	e.x.RemoteIP, e.x.TLS, e.x.Cipher = e.up.ip, e.up.tls, e.up.cipher
	e.x.Chain, e.x.Unverified = e.up.chain, e.up.unverified
	e.x.Via = e.to.way.Kind()
	return reused, nil
}

// dial opens a connection, unless the client goes away meanwhile.
func (e *exchange) dial() (*upstream, error) {
	ctx, cancel := context.WithCancel(e.stop)
	defer cancel()
	if e.unrecorded {
		ctx = context.WithValue(ctx, discreet{}, true)
	}
	if !e.until.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, e.until)
		defer cancel()
	}
	e.client.in.watch(func(error) {
		e.client.gone.Store(true)
		if !e.goesOn() {
			cancel()
		}
	})
	defer e.client.in.unwatch()
	return e.origins.dial(ctx, e.to)
}

// drop ends the upstream connection.
func (e *exchange) drop() {
	e.client.upstream.Store(nil)
	if e.up != nil {
		e.up.close()
		e.up = nil
	}
}
