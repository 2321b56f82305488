package proxy

import (
	"math"
	"net"
	"sync"
	"time"

	"warcorder/recorder"
)

const (
	// ownFiles are descriptors that are no client's and no kept connection's: WARC files, the index,
	// bodies on disk, clients that are turned away.
	ownFiles = 256

	// turnedAwayAtOnce is how many clients may at a time still have a moment to read why they are not
	// served.
	turnedAwayAtOnce = 64

	summaryEvery = time.Second
)

// spareDescriptors is how many of so many (0: unknown) clients and exchanges may take.
func spareDescriptors(all uint64) int {
	if all == 0 {
		return math.MaxInt32
	}
	return int(min(all-min(ownFiles, all/4), math.MaxInt32)) - idleLimit(all)
}

// idleLimit is how many connections to origins may be kept.
func idleLimit(descriptors uint64) int {
	if descriptors == 0 {
		return maxIdle
	}
	return int(min(maxIdle, descriptors/8))
}

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

// summary passes on the first of many like things at once, and then once a second how many there
// were.
type summary struct {
	tell func(last string, n int64)

	mu    sync.Mutex
	last  string
	n     int64
	timer *time.Timer // nil while it has been quiet
}

func (s *summary) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil {
		s.timer = time.AfterFunc(summaryEvery, s.flush)
		s.tell(what, 1)
		return
	}
	s.last = what
	s.n++
}

func (s *summary) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil {
		return
	}
	if s.n == 0 {
		s.timer = nil
		return
	}
	s.tell(s.last, s.n)
	s.n = 0
	s.timer.Reset(summaryEvery)
}

// close tells what is left to tell.
func (s *summary) close() {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}
