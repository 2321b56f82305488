package proxy

import (
	"bytes"
	"io"
	"net"
	"time"
)

// tunnelGrace is how long one direction of a tunnel goes on when the other has ended.
const tunnelGrace = 10 * time.Second

// switchProtocols records the handshake of a 101 response and then only passes bytes, both ways, until both ends have
// closed. What passes then is no HTTP and is not recorded.
func (e *exchange) switchProtocols(head int) bool {
	s, up := e.s, e.up
	e.settleUpload(true)
	s.in.unwatch()
	if _, err := e.x.Response.Write(up.bytes()[:head]); err != nil {
		return e.breakOff(&response{}, &recordError{err})
	}
	if err := e.toClient(up.bytes()[:head]); err != nil {
		return e.breakOff(&response{}, err)
	}
	s.p.log.Info().Str("url", e.x.URL).Msg("upgraded: the handshake is recorded, what follows passes unrecorded")
	up.consume(head)
	e.x.Commit()
	s.idle.Store(true) // a tunnel does not hold up a shutdown
	defer s.idle.Store(false)
	if !s.p.closing.Load() {
		splice(s.conn, s.in.bytes(), up.conn, up.bytes())
	}
	s.in.drop()
	e.drop()
	return false
}

// splice passes bytes both ways, first what is already here of each side.
func splice(client net.Conn, fromClient []byte, origin net.Conn, fromOrigin []byte) {
	client.SetDeadline(time.Time{})
	origin.SetDeadline(time.Time{})
	pass := func(dst, src net.Conn, early []byte) {
		io.Copy(dst, io.MultiReader(bytes.NewReader(early), src))
		if half, ok := dst.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		grace := time.Now().Add(tunnelGrace)
		client.SetDeadline(grace)
		origin.SetDeadline(grace)
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		pass(client, origin, fromOrigin)
	}()
	pass(origin, client, fromClient)
	<-back
}
