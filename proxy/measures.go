package proxy

import "sync/atomic"

// Measures are counts of the proxy for who follows them over time: since the start where nothing else
// stands, and none by client, host or URL.
type Measures struct {
	Clients      int   // connections that are open now
	ClientsLimit int   // how many may be
	Came         int64 // connections that were taken
	MadeRoom     int64 // connections that waited for a request, and were ended to make room for others
	TurnedAway   int64 // connections for which there was no place
	Strangers    int64 // connections of who may not use the proxy
	NotAccepted  int64 // connections that the system could not give us

	WrongPasswords     int64 // requests that showed a name and password which are nobody's
	UncheckedPasswords int64 // requests whose password there was no time to check

	Origins    int64 // connections to origins, or to proxies on the way, that are open now
	Idle       int   // those of them that wait for a request
	Dialled    int64 // connections that were opened
	DialFailed int64 // and that could not be

	Paused   int64 // exchanges that passed unrecorded, since recording was paused
	NoRecord int64 // and since their hosts are not recorded
	Unsent   int64 // exchanges that ended before anything was sent

	Completions      Completions
	CompletionsLimit int // how many may wait
}

// Measures tells how the proxy fares. Nothing is waited for that takes its time.
func (p *Proxy) Measures() Measures {
	upstreams := p.current().upstreams
	m := Measures{
		TurnedAway: p.crowd.seen.number(), Strangers: p.strangers.seen.number(),
		NotAccepted:    p.refused.number(),
		WrongPasswords: p.login.wrong.number(), UncheckedPasswords: p.login.unchecked.number(),
		Dialled: upstreams.dials.opened.Load(), DialFailed: upstreams.dials.failed.Load(),
		Origins: upstreams.dials.open.Load(), Idle: upstreams.idling(),
		Paused: p.passed.paused.Load(), NoRecord: p.passed.noRecord.Load(),
		Unsent:      p.passed.unsent.Load(),
		Completions: p.Completions(), CompletionsLimit: p.completions.most().Waiting,
	}
	p.clients.measure(&m)
	return m
}

// measure puts in what the clients count.
func (c *clients) measure(m *Measures) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.Clients, m.ClientsLimit, m.Came, m.MadeRoom = c.open, c.limit, c.came, c.ended
}

// passed counts exchanges of which there is no record.
type passed struct{ paused, noRecord, unsent atomic.Int64 }

// count counts one that has passed by the operator's wish.
func (p *passed) count(inPause bool) {
	if inPause {
		p.paused.Add(1)
	} else {
		p.noRecord.Add(1)
	}
}

// dials counts connections to origins: those that were opened and could not be, and those that are
// open. Each ends by upstream.close, whoever has cut it before.
type dials struct{ opened, failed, open atomic.Int64 }

func (d *dials) count(up *upstream, err error) {
	if err != nil {
		d.failed.Add(1)
		return
	}
	d.opened.Add(1)
	d.open.Add(1)
	up.counted = d
}

// close notes the end of a connection; a nil dials has none.
func (d *dials) close() {
	if d != nil {
		d.open.Add(-1)
	}
}

// idling is how many connections are kept.
func (u *upstreams) idling() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count
}
