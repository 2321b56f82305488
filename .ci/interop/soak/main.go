// Command soak puts a recorder under the load of many clients for minutes and watches that it keeps
// its size: memory, descriptors and goroutines must not grow with the number of exchanges. Most
// exchanges are good, of many sizes and framings, in tunnels and outside of them; one of ten is
// not: clients and origins that reset, break off, fall silent or talk nonsense.
//
// It is origin and client at once: each body is generated from the number in its URL, so both sides
// and whoever reads the archive know what must be in it. The ledger has a line for each exchange
// and what the archive must hold of it; check.py compares.
//
// It prints `ok - …`, `not ok - …` and a line of figures, `# soak: …`.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type options struct {
	proxy, ca, cert, key, ledger string
	pid, clients                 int
	duration                     time.Duration
	rate, bytes                  float64
}

func main() {
	var o options
	flag.StringVar(&o.proxy, "proxy", "", "address of the recorder")
	flag.IntVar(&o.pid, "pid", 0, "its process")
	flag.StringVar(&o.ca, "ca", "", "its root certificate, PEM")
	flag.StringVar(&o.cert, "cert", "",
		"certificate of the origins, for 127.0.0.1, which the recorder trusts")
	flag.StringVar(&o.key, "key", "", "its key")
	flag.StringVar(&o.ledger, "ledger", "", "file to write: what the archive must hold")
	flag.DurationVar(&o.duration, "duration", 10*time.Minute, "how long the load lasts")
	flag.IntVar(&o.clients, "clients", 32, "clients at a time")
	flag.Float64Var(&o.rate, "rate", 140, "exchanges per second, at most")
	flag.Float64Var(&o.bytes, "bytes", 3.2e6,
		"bytes of bodies per second, at most: in ten minutes 2 GB")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(o options, out io.Writer) error {
	s, err := newSoak(o)
	if err != nil {
		return err
	}
	watch := newSampler(o.proxy, o.pid, s.problems)
	start := watch.take()
	stop, done := make(chan struct{}), make(chan []sample)
	go func() { done <- watch.every(min(5*time.Second, o.duration/60), stop) }()
	s.load(o)
	took := time.Since(watch.started)
	close(stop)
	samples := <-done
	end, rested := watch.settle(start, 45*time.Second)
	if err := s.ledger.close(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	s.report(out, took, o.duration, samples)
	s.reportRest(out, start, end, rested, time.Since(watch.started)-took)
	return nil
}

// soak is one run.
type soak struct {
	first    client // what all clients share
	ledger   *ledger
	problems *problems
}

func newSoak(o options) (*soak, error) {
	cert, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New(o.ca + " holds no certificate")
	}
	origins, err := startOrigins(cert)
	if err != nil {
		return nil, err
	}
	ledger, err := newLedger(o.ledger)
	if err != nil {
		return nil, err
	}
	s := &soak{ledger: ledger, problems: newProblems()}
	s.first = client{
		proxy:    o.proxy,
		roots:    roots,
		origins:  origins,
		numbers:  &atomic.Int64{},
		ledger:   ledger,
		problems: s.problems,
		budget:   &budget{perSecond: o.bytes, started: time.Now()},
	}
	return s, nil
}

// load runs the clients until the time is over and all of them have ended.
func (s *soak) load(o options) {
	tickets := make(chan struct{})
	var clients sync.WaitGroup
	for i := range o.clients {
		c := s.first
		c.random = rand.New(rand.NewPCG(uint64(i), 2)) // the mix is the same each time
		c.kept = map[string]*conn{}
		clients.Go(func() {
			defer c.closeKept()
			for range tickets {
				c.next()
			}
		})
	}
	tick := time.NewTicker(time.Duration(float64(time.Second) / o.rate))
	defer tick.Stop()
	for end := time.Now().Add(o.duration); time.Now().Before(end); <-tick.C {
		tickets <- struct{}{}
	}
	close(tickets)
	clients.Wait()
}

// next does one thing of the mix. The numbers are shares of 1000.
func (c *client) next() {
	small := one[int64](c.random, 200, 200, 1000, 1000, 1000, 10<<10, 10<<10, 100<<10)
	for n := c.random.IntN(1000); ; {
		for _, act := range []struct {
			share int
			do    func()
		}{
			{430, func() { c.get(withLength, small) }},
			{230, func() { c.get(chunked, small) }},
			{80, func() { c.get(untilClose, small) }},
			{20, func() { c.get(stale, small) }},
			{30, func() { c.get(empty, 0) }},
			{3, func() { c.get(one(c.random, withLength, chunked, untilClose), (1+c.random.Int64N(8))<<20) }},
			{70, func() { c.send("POST", false, c.uploadSize()) }},
			{20, func() { c.send("POST", true, c.uploadSize()) }},
			{15, func() { c.send("PUT", false, c.uploadSize()) }},
			{7, c.switchProtocols},

			{8, c.resetInHead},
			{8, c.leaveUpload},
			{12, c.leaveResponse},
			{8, c.leaveAtOnce},
			{9, func() { c.cutByOrigin(reset) }},
			{9, func() { c.cutByOrigin(short) }},
			{5, func() { c.cutByOrigin(broken) }},
			{2, func() { c.cutByOrigin(stall) }},
			{2, func() { c.unanswered(silent, 504) }},
			{8, func() { c.unanswered(drop, 502) }},
			{6, func() { c.unanswered(garbage, 502) }},
			{8, func() { c.unanswered(nobody, 502) }},
			{4, c.twoLengths},
			{3, c.tunnelForNothing},
			{3, c.idle},
		} {
			if n -= act.share; n < 0 {
				act.do()
				return
			}
		}
	}
}

// one chooses.
func one[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// uploadSize is between 1 KB and 4 MB, seldom large.
func (c *client) uploadSize() int64 {
	return int64(1000 * math.Pow(4000, math.Pow(c.random.Float64(), 3)))
}

// budget keeps the disk from being filled: over it, large bodies are made small.
type budget struct {
	perSecond float64
	started   time.Time

	mu    sync.Mutex
	spent float64
}

func (b *budget) take(size int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size > 10<<10 && b.spent > b.perSecond*time.Since(b.started).Seconds() {
		size = 10 << 10
	}
	b.spent += float64(size)
	return size
}

func (s *soak) report(out io.Writer, took, load time.Duration, samples []sample) {
	s.problems.print(out)
	total, shares := 0, []string{}
	for _, kept := range slices.Sorted(maps.Keys(s.ledger.counts)) {
		total += s.ledger.counts[kept]
		shares = append(shares, fmt.Sprintf("%d %s", s.ledger.counts[kept], kept))
	}
	passed := s.ledger.counts[whole]
	if s.problems.count["good exchanges pass"] == 0 && passed > 0 {
		fmt.Fprintf(out, "ok - %d good exchanges pass, each byte as it should be\n", passed)
	}
	var figuresText strings.Builder
	for _, f := range figures() {
		fmt.Fprintln(out, f.verdict(samples, load))
		fmt.Fprintln(out, "#", f.course(samples, load))
		from, to := f.growth(samples, load)
		fmt.Fprintf(&figuresText, ", %s %.0f → %.0f", f.name, from/f.unit, to/f.unit)
	}
	rss := figure{of: func(s sample) float64 { return s.rss }}
	from, to := rss.growth(samples, load)
	fmt.Fprintf(out, "# soak: %d exchanges in %.0f s (%s), %.0f MB of bodies, RSS %.0f → %.0f MB%s\n",
		total, took.Seconds(), strings.Join(shares, ", "), s.first.budget.spent/1e6, from/1e6, to/1e6,
		figuresText.String())
}

// reportRest is about the time after the load.
func (s *soak) reportRest(out io.Writer, start, end sample, rested bool, after time.Duration) {
	outcome := "ok"
	if !rested {
		outcome = "not ok"
	}
	fmt.Fprintf(out,
		"%s - %.0f s after the load it is at rest: %.0f goroutines, %.0f descriptors, %.0f and %.0f "+
			"before the load; RSS %.0f MB, %.0f before\n",
		outcome, after.Seconds(), end.goroutines, end.files, start.goroutines, start.files, end.rss/1e6,
		start.rss/1e6)
}
