package proxy

import (
	"net"
	"time"
)

// crowd turns clients away for whom there is no place, and tells of them once a second.
type crowd struct {
	relay   *relay
	leaving chan struct{} // a place for each client that is being turned away
	seen    summary       // by address
}

// turnedAwayAtOnce is how many clients may at a time still have a moment to read why they are not
// served.
const turnedAwayAtOnce = 64

func newCrowd(r *relay) *crowd {
	c := &crowd{relay: r, leaving: make(chan struct{}, turnedAwayAtOnce)}
	c.seen.tell = c.tell
	return c
}

// turnAway tells a client that there are too many. The page fits into the socket's empty buffer, so
// the write waits for nobody; a client that has sent its request already would lose the page by a
// plain close.
func (c *crowd) turnAway(conn net.Conn) {
	c.seen.add(conn.RemoteAddr().String())
	conn.SetDeadline(time.Now().Add(lingerPatience))
	conn.Write(noPlace.page(false, false, false))
	select {
	case c.leaving <- struct{}{}:
	default:
		conn.Close()
		return
	}
	c.relay.clients.start(conn, c.relay.guarded(conn, func() {
		defer func() { conn.Close(); <-c.leaving }()
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		discard(conn)
	}))
}

var noPlace = refusal{503,
	"There are too many connections to warcorder (max-connections). Try again when some have ended."}

// tell reports n clients that were turned away; who is one of them.
func (c *crowd) tell(who string, n int64) {
	c.relay.log.Warn().Str("client", who).Int64("clients", n).Int("limit", c.relay.clients.most()).
		Msg("too many connections: clients are turned away")
	c.relay.gaps(n, who, "there are too many connections (max-connections)")
}
