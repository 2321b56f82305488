package proxy

import (
	"net"
	"time"

	"warcorder/recorder"
)

// newClients makes the clients with the configured limit, and says if the system does not even
// allow as many that wait. That fewer can be busy at once is the rule, and no reason to alarm
// whoever starts a recorder on a laptop.
func (p *Proxy) newClients() *clients {
	all := descriptors()
	spare := spareDescriptors(all)
	if limit := p.cfg.MaxConnections; spare < limit {
		p.log.Warn().Uint64("descriptors", all).Int("max_connections", limit).
			Int("waiting", min(spare, limit)).Int("busy", spare/(1+exchangeFiles)).
			Msg("the limit on open files allows fewer connections at a time than max-connections: raise " +
				"it (ulimit -n, LimitNOFILE)")
	}
	return newClients(p.cfg.MaxConnections, spare)
}

// turnAway tells a client that there are too many. The page fits into the socket's empty buffer, so
// the write waits for nobody; a client that has sent its request already would lose the page by a
// plain close.
func (p *Proxy) turnAway(conn net.Conn) {
	p.crowded.add(conn.RemoteAddr().String())
	conn.SetDeadline(time.Now().Add(lingerPatience))
	conn.Write(
		fault{
			503,
			"There are too many connections to warcorder (max-connections). Try again when some have ended.",
		}.page(false, false, false),
	)
	select {
	case p.leaving <- struct{}{}:
	default:
		conn.Close()
		return
	}
	p.clients.start(conn, p.guarded(conn, func() {
		defer func() { conn.Close(); <-p.leaving }()
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		discard(conn)
	}))
}

// tellCrowded reports clients that were turned away; who is one of them.
func (p *Proxy) tellCrowded(who string, n int64) {
	p.log.Warn().Str("client", who).Int64("clients", n).Int("limit", p.clients.limit).
		Msg("too many connections: clients are turned away")
	p.gaps(n, who, "there are too many connections (max-connections)")
}

// tellNotAccepted reports connections that could not be accepted.
func (p *Proxy) tellNotAccepted(why string, n int64) {
	p.log.Warn().Str("error", why).Int64("times", n).Msg("cannot accept")
	p.gaps(n, p.ln.Addr().String(), why)
}

// gaps notes n connections that were refused for the same reason.
func (p *Proxy) gaps(n int64, who, why string) {
	p.rec.Gap(recorder.GapRefused, who, why)
	if n > 1 {
		p.rec.GapsMore(recorder.GapRefused, n-1)
	}
}
