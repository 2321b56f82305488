package proxy

import (
	"cmp"
	"io"

	"warcorder/proxy/http1"
)

// relayResponse passes the response on, whose head is buffered, and keeps it. Each piece is kept
// before the client gets it: what cannot be kept does not pass. Before the last piece all of it is
// flushed, so that a client never has a whole answer that a crash could take from the archive.
func (e *exchange) relayResponse(res *http1.Response, head int) error {
	b := e.bounded(http1.ResponseBody(&res.Message))
	e.client.beginsAnswer(res)
	n, framingErr := b.Take(e.up.bytes()[head:])
	if e.whole.completion != nil || res.Status == 206 || res.Status == 200 && !b.Done() {
		framingErr = cmp.Or(e.weigh(res, e.up.bytes()[:head], &b), framingErr)
	}
	for piece := e.up.bytes()[:head+n]; ; piece = e.up.bytes()[:n] {
		if err := e.keep(&e.x.Response, piece); err != nil {
			return err
		}
		if b.Done() {
			if err := e.flush(); err != nil {
				return err
			}
		}
		err := e.toClient(piece)
		e.up.consume(len(piece))
		switch {
		case err != nil:
			e.keepBuffered(&b)
			return err
		case framingErr != nil || b.Done():
			res.KeepAlive = res.KeepAlive && !b.Lax
			return e.tooLong(&b, framingErr)
		}
		if e.client.gone.Load() {
			e.boundAlone(&b)
		}
		if err := e.fill(e.by(e.cfg.Timeout.Idle)); err != nil {
			return e.ended(&b, err)
		}
		n, framingErr = b.Take(e.up.bytes())
	}
}

// keepBuffered records what is already here of a response whose client has gone.
func (e *exchange) keepBuffered(b *http1.Body) {
	n, _ := b.Take(e.up.bytes())
	e.keep(&e.x.Response, e.up.bytes()[:n])
	e.up.consume(n)
}

// ended judges the error that ended the reading of a body: for one that ends with the connection it
// is the end. Many TLS servers close without close_notify, so its absence does not count as a fault
// there.
func (e *exchange) ended(b *http1.Body, err error) error {
	if b.Framing == http1.UntilClose && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		return e.flush()
	}
	return err
}
