// Command speed repeats the table of doc/performance.md: it starts an origin, warcorder and the
// baseline, all on loopback, and asks each the same in turn.
//
//	go build -o DIR/warcorder . && go build -o DIR/baseline ./proxy/testdata/baseline
//	go run ./proxy/testdata/speed -warcorder DIR/warcorder -baseline DIR/baseline
//	go run ./proxy/testdata/speed sizes ARCHIVE
//	go run ./proxy/testdata/speed fill -proxy ADDRESS -bytes NUMBER
//
// fill has a proxy that was started by hand record so many bytes of bodies, for what is measured of
// an archive: each capture is a page, and three of ten are HTML. The proxy must not verify the
// origin's certificates (warcorder record --insecure-upstream).
//
// The figure to trust is the processor time of a proxy for 1000 requests, with what it still does
// after the last one, and of that the ratio within a round. Other proxies, started by hand, come in
// with -also NAME=ADDRESS,PID; they must not verify the origin's certificates.
//
// Invariant: no two bodies are the same, but for those that are replayed, and every body is checked
// to be the one that was asked for.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	ours     = "warcorder"
	relay    = "warcorder, relay only"
	guarded  = "warcorder, guarded"
	baseline = "goproxy"
	visible  = "visible"
)

// run is what the flags say.
type run struct {
	bench
	warcorder, baseline, scenarios, json, dir string
	withRelay, withGuarded                    bool
	rounds                                    int
	loss                                      float64
	also                                      []*proxy
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("speed: ")
	var err error
	switch args := os.Args[1:]; {
	case len(args) > 0 && args[0] == "sizes":
		err = compare(args[1:])
	case len(args) > 0 && args[0] == "fill":
		err = fill(args[1:])
	default:
		err = measureAll(args)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// compare is the command sizes.
func compare(args []string) error {
	flags := flag.NewFlagSet("sizes", flag.ExitOnError)
	match := flags.String("match", "", "count only records whose WARC-Target-URI holds this")
	limit := flags.Int64("limit", 1<<30, "stop after so many bytes of records")
	flags.Parse(args)
	s, err := sizesOf(flags.Arg(0), *match, *limit)
	if err == nil {
		report{Proxies: []string{ours}, Sizes: []sizes{s}}.write(os.Stdout)
	}
	return err
}

func parse(args []string) (*run, error) {
	r := &run{}
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	flags := flag.NewFlagSet("speed", flag.ExitOnError)
	flags.StringVar(&r.warcorder, "warcorder", "", "program to measure")
	flags.StringVar(&r.baseline, "baseline", "", "program to compare it with")
	flags.BoolVar(&r.withRelay, "relay", true, "measure warcorder with --no-record='*' too")
	flags.BoolVar(&r.withGuarded, "guarded", false,
		"measure warcorder with clients, deny and a user of its own too")
	flags.StringVar(&r.scenarios, "scenarios", strings.Join(names, ","), "what to measure")
	flags.StringVar(&r.json, "json", "", "write all results to this file")
	flags.StringVar(&r.dir, "dir", "",
		"keep archives and logs here; default: a temporary directory, deleted at the end")
	flags.IntVar(&r.rounds, "rounds", 3, "how often to measure each, 1 to 20")
	flags.DurationVar(&r.duration, "duration", 5*time.Second, "of a scenario with load, at most 1m")
	flags.IntVar(&r.pairs, "pairs", 1000, "requests in a scenario of latency, at most 20000")
	flags.Int64Var(&r.bigBytes, "big", 1<<30, "bytes of the big body, at most 16 GiB")
	flags.Float64Var(&r.loss, "loss", 100,
		"fail if warcorder records less by more than so many percent while it is read")
	flags.IntVar(&r.port, "port", 18500, "first of the ports that are taken")
	flags.Func(
		"also",
		"another proxy: NAME=ADDRESS,PID (may be given more than once)",
		func(s string) error {
			name, rest, _ := strings.Cut(s, "=")
			address, pid, _ := strings.Cut(rest, ",")
			n, err := strconv.Atoi(pid)
			r.also = append(r.also,
				&proxy{name: name, address: address, process: process(n), stop: func() {}})
			return err
		},
	)
	flags.Parse(args)
	if r.rounds < 1 || r.rounds > 20 || r.duration > time.Minute || r.pairs > 20_000 ||
		r.bigBytes > 16<<30 || flags.NArg() > 0 {
		return nil, fmt.Errorf("a flag is out of its range, or there is more than flags (-h tells them)")
	}
	// another run on the same archive has other bodies
	r.number.Store(firstNumber())
	return r, nil
}

func firstNumber() uint64 { return scatter(uint64(time.Now().UnixNano())) >> 24 << 24 }

func measureAll(args []string) (err error) {
	r, err := parse(args)
	if err != nil {
		return err
	}
	picked, err := pick(r.scenarios)
	if err != nil {
		return err
	}
	if r.dir == "" {
		if r.dir, err = os.MkdirTemp("", "speed-"); err != nil {
			return err
		}
		defer os.RemoveAll(r.dir)
	}
	certificate, err := serveOrigin(filepath.Join(r.dir, "origin"), r.port)
	if err != nil {
		return err
	}
	proxies, err := r.start(certificate, picked)
	for _, p := range proxies {
		defer p.stop()
	}
	if err != nil {
		return err
	}
	if proxies, err = r.addRead(picked, proxies); err != nil {
		return err
	}
	done := r.measure(picked, proxies)
	if done.Sizes, err = sizesOfAll(proxies, picked); err != nil {
		return err
	}
	done.write(os.Stdout)
	if r.json != "" {
		text, err := json.MarshalIndent(done, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.json, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return cmp.Or(done.err(), done.lossErr(r.loss))
}

// addRead adds warcorder once more, as it is while it is read.
func (r *run) addRead(picked []scenario, proxies []*proxy) ([]*proxy, error) {
	at := slices.IndexFunc(proxies, func(p *proxy) bool { return p.name == ours })
	isRead := slices.IndexFunc(picked, func(s scenario) bool { return s.read })
	if at < 0 || isRead < 0 {
		return proxies, nil
	}
	again := *proxies[at]
	again.name = readFrom
	return append(proxies, &again), r.fillIndex(&again, picked[isRead])
}

// start starts the proxies, which the caller stops, those of an error too.
func (r *run) start(certificate string, picked []scenario) (proxies []*proxy, err error) {
	address := func() string { return fmt.Sprintf("127.0.0.1:%d", r.port+2+len(proxies)) }
	add := func(p *proxy, failed error) {
		if failed == nil {
			proxies = append(proxies, p)
		} else if err == nil {
			err = failed
		}
	}
	if r.warcorder != "" {
		add(startOurs(ours, r.warcorder, address(), r.dir, certificate))
	}
	if r.warcorder != "" && r.withRelay {
		add(startOurs(relay, r.warcorder, address(), r.dir, certificate, "--no-record=*"))
	}
	isReplay := func(s scenario) bool { return s.replay }
	if r.warcorder != "" && slices.ContainsFunc(picked, isReplay) {
		add(r.startReplay(address(), certificate))
	}
	if r.warcorder != "" && r.withGuarded {
		add(startGuarded(r.warcorder, address(), r.dir, certificate))
	}
	if r.baseline != "" {
		at := address()
		add(
			start(baseline, at, r.dir, nil, r.baseline, "-listen", at, "-ca",
				filepath.Join(r.dir, baseline)),
		)
	}
	proxies = append(proxies, r.also...)
	if len(proxies) == 0 && err == nil {
		err = fmt.Errorf("there is nothing to measure: -warcorder, -baseline or -also")
	}
	return proxies, err
}

// measure has the proxies in turn, each time another one first.
func (r *run) measure(picked []scenario, proxies []*proxy) report {
	var done report
	for _, p := range proxies {
		done.Proxies = append(done.Proxies, p.name)
	}
	for round := range r.rounds {
		for _, s := range picked {
			for i := range proxies {
				p := proxies[(i+round)%len(proxies)]
				if !s.has(p) {
					continue
				}
				one := r.bench.measure(s, p, round+1)
				done.Results = append(done.Results, one)
				log.Printf("%d/%d %-14s %-22s %7.3f CPU s/1000 %8.0f/s %8.1f MB/s %8.3f %8.3f ms %5.0f MB",
					round+1, r.rounds, s.name, p.name, one.CPU, one.PerSec, one.MBPerSec, one.FirstP50,
					one.FirstP99, one.PeakMB)
			}
		}
	}
	return done
}

// sizesOfAll looks at what warcorder has kept of the mixed bodies.
func sizesOfAll(proxies []*proxy, picked []scenario) (all []sizes, err error) {
	seen := map[string]bool{}
	for _, p := range proxies {
		for _, s := range picked {
			match := s.path + "?"
			if p.name != ours || seen[match] || s.fresh || !strings.HasPrefix(match, "/mix/") {
				continue
			}
			seen[match] = true
			one, err := sizesOf(p.archive, match, 128<<20)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}
