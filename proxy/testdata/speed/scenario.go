package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// scenario is what is asked of each proxy.
type scenario struct {
	name   string
	path   string // of the origin
	secure bool
	once   bool // each request has a connection of its own
	fresh  bool // each connection goes to a site that was never asked before
	relay  bool // measured with a warcorder that records nothing too
	replay bool // what a warcorder that replays takes beside one that relays and records
	read   bool // how fast a warcorder records while it is read, and while it is not
	run    func(*bench, *proxy, scenario, *result)
	about  []string // the figures that count
}

var scenarios = slices.Concat(bySize("https", true), bySize("http", false), []scenario{
	{
		name:   "https-br-10k",
		path:   "/br/10240",
		secure: true,
		run:    (*bench).load,
		about:  []string{"CPU"},
	},
	{
		name:   "https-churn",
		path:   "/mix/10240",
		secure: true,
		once:   true,
		run:    (*bench).load,
		about:  []string{"CPU"},
	},
	{
		name:   "https-mint",
		path:   "/mix/1024",
		secure: true,
		once:   true,
		fresh:  true,
		run:    (*bench).load,
		about:  []string{"CPU"},
	},
	{
		name:   "replay-10k",
		path:   "/mix/10240",
		replay: true,
		run:    (*bench).load,
		about:  []string{"CPU"},
	},
	{
		name:   "replay-https-10k",
		path:   "/mix/10240",
		secure: true,
		replay: true,
		run:    (*bench).load,
		about:  []string{"CPU"},
	},
	{
		name:   "latency-https",
		path:   "/mix/10240",
		secure: true,
		run:    (*bench).latency,
		about:  []string{"p50", "p99"},
	},
	{
		name:   visible,
		path:   "/mix/10240",
		secure: true,
		run:    (*bench).visible,
		about:  []string{"p50", "p99"},
	},
	{
		name:   "read-https-10k",
		path:   "/mix/10240",
		secure: true,
		read:   true,
		run:    (*bench).readMeanwhile,
		about:  []string{"/s", "CPU"},
	},
	{
		name:   "big-https",
		path:   "/big/",
		secure: true,
		run:    (*bench).big,
		about:  []string{"MB/s", "CPU"},
	},
})

// bySize are what is asked of each proxy over a scheme, by the size of the body.
func bySize(scheme string, secure bool) (all []scenario) {
	for _, one := range []struct {
		name  string
		bytes int
	}{{"1k", 1 << 10}, {"10k", 10 << 10}, {"100k", 100 << 10}, {"1m", 1 << 20}} {
		all = append(all, scenario{
			name:   scheme + "-" + one.name,
			path:   fmt.Sprintf("/mix/%d", one.bytes),
			secure: secure,
			relay:  secure && one.name == "10k",
			run:    (*bench).load,
			about:  []string{"CPU"},
		})
	}
	return all
}

// has reports whether a scenario is measured with a proxy.
func (s scenario) has(p *proxy) bool {
	switch {
	case s.read || p.name == readFrom:
		return s.read && (p.name == ours || p.name == readFrom)
	case s.replay:
		return p.name == ours || p.name == replayed
	case s.name == visible:
		return p.name == ours
	case p.name == relay:
		return s.relay
	}
	return p.name != replayed
}

const (
	atOnce   = 16 // connections
	perConn  = 20 // requests on one
	sites    = 100
	mostSent = 500_000 // requests in a scenario
)

// result is what one proxy did in one round of a scenario.
type result struct {
	Scenario string  `json:"scenario"`
	Proxy    string  `json:"proxy"`
	Round    int     `json:"round"`
	Requests int64   `json:"requests"`
	Errors   int64   `json:"errors"`
	Error    string  `json:"first_error,omitempty"`
	Seconds  float64 `json:"seconds"`
	PerSec   float64 `json:"requests_per_s"`
	MBPerSec float64 `json:"mb_per_s"` // of bodies, 10^6 bytes
	CPU      float64 `json:"cpu_s_per_1000"`
	PeakMB   float64 `json:"peak_rss_mb"` // 10^6 bytes
	// until the first byte; in latency, what is more than without the proxy
	FirstP50 float64 `json:"first_p50_ms"`
	FirstP99 float64 `json:"first_p99_ms"`
	Probes   int     `json:"probes,omitempty"` // of visible, whose times are theirs; queries of readers
	QueryP50 float64 `json:"query_p50_ms,omitempty"`
	QueryP99 float64 `json:"query_p99_ms,omitempty"`
	Lines    int64   `json:"exported_lines,omitempty"`

	bytes int64 // of bodies
}

// bench is what all scenarios share.
type bench struct {
	port     int // of the origin, the next one is its TLS port
	duration time.Duration
	pairs    int
	bigBytes int64
	number   atomic.Uint64 // of requests: none comes twice, but for those that are replayed
	recorded uint64        // the first of those
	fresh    atomic.Uint64 // sites taken
	pages    []string      // that readers ask for
}

func (b *bench) site(s scenario, n uint64) site {
	to := site{host: known(n % sites), port: b.port, secure: s.secure}
	if s.fresh {
		to.host = unknown(b.fresh.Add(1))
	}
	if s.secure {
		to.port++
	}
	return to
}

// measure runs a scenario with a proxy, with what the proxy does afterwards.
func (b *bench) measure(s scenario, p *proxy, round int) result {
	r := result{Scenario: s.name, Proxy: p.name, Round: round}
	if !s.fresh {
		b.warm(s, p)
	}
	p.process.settle()
	p.process.forgetPeak()
	before, started := p.process.cpu(), time.Now()
	s.run(b, p, s, &r)
	r.Seconds = time.Since(started).Seconds()
	p.process.settle()
	r.CPU = (p.process.cpu() - before).Seconds() / float64(max(r.Requests, 1)) * 1000
	r.PeakMB = float64(p.process.peak()) / 1e6
	r.PerSec = float64(r.Requests) / r.Seconds
	r.MBPerSec = float64(r.bytes) / 1e6 / r.Seconds
	return r
}

// warm asks each site once: a proxy that has run for a while has certificates and connections.
func (b *bench) warm(s scenario, p *proxy) {
	var group sync.WaitGroup
	var next atomic.Uint64
	for range 8 {
		group.Go(func() {
			for n := next.Add(1); n <= sites; n = next.Add(1) {
				if c, err := open(p.address, b.site(s, n)); err == nil {
					c.get("/mix/1024", b.number.Add(1))
					c.Close()
				}
			}
		})
	}
	group.Wait()
}

// tally is what came of requests.
type tally struct {
	requests, errors, bytes int64
	err                     error // the first
	first                   []time.Duration
}

func (t *tally) fail(err error) {
	t.errors++
	if t.err == nil {
		t.err = err
	}
	time.Sleep(10 * time.Millisecond) // what always fails must not spin
}

func (t *tally) into(r *result) {
	r.Requests, r.Errors, r.bytes = t.requests, t.errors, t.bytes
	r.FirstP50, r.FirstP99 = quantiles(t.first)
	if t.err != nil {
		r.Error = t.err.Error()
	}
}

// load has as many requests as come through, over several connections.
func (b *bench) load(p *proxy, s scenario, r *result) {
	var group sync.WaitGroup
	var connections atomic.Uint64
	var lock sync.Mutex
	var all tally
	until := time.Now().Add(b.duration)
	for range atOnce {
		group.Go(func() {
			var mine tally
			for time.Now().Before(until) && mine.requests < mostSent/atOnce {
				n := connections.Add(1)
				c, err := open(p.address, b.site(s, n))
				if err != nil {
					mine.fail(err)
					continue
				}
				numbers := func(i int) uint64 { return b.numberFor(p, s, n, uint64(i)) }
				series(c, s, numbers, until, &mine)
				c.Close()
			}
			lock.Lock()
			defer lock.Unlock()
			all.requests, all.errors, all.bytes = all.requests+mine.requests, all.errors+mine.errors, all.bytes+mine.bytes
			all.first = append(all.first, mine.first...)
			if all.err == nil {
				all.err = mine.err
			}
		})
	}
	group.Wait()
	all.into(r)
}

// series asks on one connection, as often as the scenario wants, for pages with those numbers.
func series(c *conn, s scenario, numbers func(i int) uint64, until time.Time, t *tally) {
	for i := 0; i < perConn && time.Now().Before(until); i++ {
		a, err := c.get(s.path, numbers(i))
		switch {
		case err == errEnded:
			return
		case err != nil:
			t.fail(err)
			return
		}
		t.requests++
		t.bytes += a.bytes
		t.first = append(t.first, a.first)
		if a.last || s.once {
			return
		}
	}
}

// latency asks straight and by way of the proxy in turn, one at a time, on connections that are
// open already.
func (b *bench) latency(p *proxy, s scenario, r *result) {
	var t tally
	for n := uint64(0); t.requests < int64(b.pairs) && t.errors < 20 && n < uint64(b.pairs); n++ {
		if err := b.pairsAt(p, b.site(s, n), s, &t); err != nil {
			t.fail(err)
		}
	}
	t.into(r)
}

func (b *bench) pairsAt(p *proxy, to site, s scenario, t *tally) error {
	straight, err := open("", to)
	if err != nil {
		return err
	}
	defer straight.Close()
	through, err := open(p.address, to)
	if err != nil {
		return err
	}
	defer through.Close()
	for i := range 1 + perConn {
		one, err := straight.get(s.path, b.number.Add(1))
		if err != nil {
			return err
		}
		other, err := through.get(s.path, b.number.Add(1))
		if err != nil {
			return err
		}
		if i == 0 { // it may open the proxy's own connection
			continue
		}
		t.requests++
		t.bytes += other.bytes
		t.first = append(t.first, other.first-one.first)
		time.Sleep(time.Millisecond)
	}
	return nil
}

// big has one body.
func (b *bench) big(p *proxy, s scenario, r *result) {
	var t tally
	defer func() { t.into(r) }()
	c, err := open(p.address, b.site(s, 0))
	if err != nil {
		t.fail(err)
		return
	}
	defer c.Close()
	a, err := c.get(s.path+fmt.Sprint(b.bigBytes), b.number.Add(1))
	if err != nil {
		t.fail(err)
		return
	}
	t.requests, t.bytes, t.first = 1, a.bytes, []time.Duration{a.first}
}

// pick returns the scenarios of these names, separated by commas.
func pick(names string) (picked []scenario, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no scenario %q", name)
		}
		picked = append(picked, scenarios[i])
	}
	return picked, nil
}

// quantiles returns the 50th and 99th of a hundred, in milliseconds.
func quantiles(times []time.Duration) (p50, p99 float64) {
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))].Microseconds()) / 1e3
	}
	return at(.5), at(.99)
}
