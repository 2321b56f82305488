package proxy

import (
	"cmp"
	"errors"
	"io"
	"net"
	"time"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// tunnelGrace is how long one direction of a tunnel goes on when the other has ended.
const tunnelGrace = 10 * time.Second

// switchProtocols records the handshake of a 101 response and then only passes bytes, both ways,
// until both ends have closed. What passes then is no HTTP and is not recorded.
func (e *exchange) switchProtocols(head int) bool {
	s, up := e.client, e.up
	e.settleUpload(true)
	s.in.unwatch()
	if err := e.keep(&e.x.Response, up.bytes()[:head]); err != nil {
		return e.breakOff(&http1.Response{}, err)
	}
	e.x.Ending()
	if err := e.toClient(up.bytes()[:head]); err != nil {
		return e.breakOff(&http1.Response{}, err)
	}
	if !e.unrecorded {
		e.log.Info().Str("url", recorder.Logged(e.url)).
			Msg("upgraded: the handshake is recorded, what follows passes unrecorded")
	}
	e.gap(recorder.GapTunnelled, "upgraded: the handshake is recorded, what follows passed unrecorded")
	up.consume(head)
	e.commit()
	if s.passes() {
		splice(s.conn, s.in.bytes(), up.conn, up.bytes(), e.cfg.Timeout.Idle)
	}
	s.in.drop()
	e.drop()
	return false
}

// splice passes bytes both ways, first what is already here of each side. Both sides may be silent
// for as long as their connections live (TCP's keep-alive ends those of dead peers), but one that
// takes nothing for the time of patience ends the tunnel.
func splice(client net.Conn, fromClient []byte, origin net.Conn, fromOrigin []byte,
	patience time.Duration) {
	client.SetDeadline(time.Time{})
	origin.SetDeadline(time.Time{})
	pass := func(dst, src net.Conn, early []byte) (broke *carried) {
		end := longAgo
		defer func() { client.SetDeadline(end); origin.SetDeadline(end) }()
		defer carry(&broke)
		if relayBytes(dst, src, early, patience) {
			end = time.Now().Add(tunnelGrace)
		}
		if half, ok := dst.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		return nil
	}
	back := make(chan *carried, 1)
	go func() { back <- pass(client, origin, fromOrigin) }()
	broke := cmp.Or(pass(origin, client, fromClient), <-back)
	rethrow(&broke)
}

// relayBytes passes bytes from src to dst until either ends. It reports whether src had nothing
// more to send, so that the other direction may go on.
func relayBytes(dst, src net.Conn, piece []byte, patience time.Duration) bool {
	b := largeBuffers.Get().(*[]byte)
	defer largeBuffers.Put(b)
	for {
		if len(piece) > 0 {
			dst.SetWriteDeadline(time.Now().Add(patience))
			if _, err := dst.Write(piece); err != nil {
				return false
			}
		}
		n, err := src.Read(*b)
		if n == 0 && err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
		piece = (*b)[:n]
	}
}
