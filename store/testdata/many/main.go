// Command many simulates many recorders with one load between them: what each finds by its own index,
// and what all find by one shared deduplication, with the time that this takes to know of an original
// and the time after which it forgets it. No recorder runs.
//
//	go run ./store/testdata/many [-exchanges N] [-unique P] [-zipf S] [-bodies K] [-seed N]
//
// The load: an exchange brings a body of its own, never seen again (with -unique as probability), or
// one of -bodies whose frequency is Zipf's. 1000 exchanges a second come to each recorder, in turn or
// by the site of the body, of which a site has 100. Originals of others are known -delay after they
// came. Invariant: one seed gives the same table everywhere.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
)

// load is what comes to all recorders together.
type load struct {
	exchanges, bodies int
	unique, zipf      float64
	seed              uint64
}

// perRecorder is how many exchanges a second come to each recorder.
const perRecorder = 1000

// site is how many bodies belong to one site.
const site = 100

func main() {
	var l load
	flag.IntVar(&l.exchanges, "exchanges", 3_000_000, "of all recorders together")
	flag.IntVar(&l.bodies, "bodies", 1_000_000, "that come again")
	flag.Float64Var(&l.unique, "unique", 0.3, "part of the exchanges whose body comes once")
	flag.Float64Var(&l.zipf, "zipf", 1.1, "exponent")
	flag.Uint64Var(&l.seed, "seed", 20, "of the load")
	flag.Parse()
	if err := l.table(); err != nil {
		fmt.Fprintln(os.Stderr, "many:", err)
		os.Exit(1)
	}
}

// table prints the tables, and fails where what must hold does not.
func (l load) table() error {
	one := l.found(way{recorders: 1})
	fmt.Printf("%d exchanges; one recorder finds %.1f %% by its own index\n\n", l.exchanges, 100*one.found)
	fmt.Println("| recorders | alone, in turn | alone, by site | shared, at once | after 1 s | after 10 s |")
	fmt.Println("|---|---|---|---|---|---|")
	last := one.found
	for _, n := range []int{1, 3, 10, 30, 100} {
		alone := l.found(way{recorders: n})
		bySite := l.found(way{recorders: n, bySite: true})
		shared := l.found(way{recorders: n, shared: true})
		slow := l.found(way{recorders: n, shared: true, delay: 1})
		slower := l.found(way{recorders: n, shared: true, delay: 10})
		fmt.Printf("| %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", n, 100*alone.found,
			100*bySite.found, 100*shared.found, 100*slow.found, 100*slower.found)
		switch {
		case shared.found != one.found:
			return fmt.Errorf("%d recorders that share at once find other than one does", n)
		case alone.found > last || slow.found > shared.found || slower.found > slow.found:
			return fmt.Errorf("%d recorders find more with less to go by", n)
		}
		last = alone.found
	}
	return l.forgetting()
}

// forgetting prints what becomes of it by the time after which it forgets, in parts of the whole run.
func (l load) forgetting() error {
	fmt.Println("\n| forgotten after, of the run | found, 10 recorders | keys at the end, of the exchanges |")
	fmt.Println("|---|---|---|")
	last := 2.0
	for _, part := range []float64{0, 0.5, 0.2, 0.1, 0.05} {
		w := way{recorders: 10, shared: true, forgetful: true}
		w.ttl = part * float64(l.exchanges) / perRecorder / float64(w.recorders)
		is := l.found(w)
		name := fmt.Sprintf("%.0f %%", 100*part)
		if part == 0 {
			name = "never"
		}
		fmt.Printf("| %s | %.1f %% | %.1f %% |\n", name, 100*is.found, 100*is.keys)
		if is.found > last {
			return fmt.Errorf("more is found when it is forgotten after %s", name)
		}
		last = is.found
	}
	return nil
}

// way is who gets which exchange, and what is known of originals.
type way struct {
	recorders  int
	bySite     bool    // a site's exchanges come to one recorder; else each to the next one
	shared     bool    // beside the own index
	delay, ttl float64 // seconds until others know of an original, and until they do no more; 0 is never
	forgetful  bool    // the own index is forgotten too, to see what the shared one finds by itself
}

// result is what part of all exchanges was found, and how many keys there are in the shared one.
type result struct{ found, keys float64 }

// own is a body in the index of a recorder.
type own struct {
	recorder int32
	body     int64
}

// found plays the load.
func (l load) found(w way) (r result) {
	random := rand.New(rand.NewPCG(l.seed, 0))
	zipf := rand.NewZipf(random, l.zipf, 10, uint64(l.bodies-1))
	mine, all := map[own]bool{}, map[int64]float64{} // when an original was published
	hits, step := 0, 1/(perRecorder*float64(w.recorders))
	for i := range l.exchanges {
		body, now := int64(-1-i), float64(i)*step
		if random.Float64() >= l.unique {
			body = int64(zipf.Uint64())
		}
		at := own{int32(i % w.recorders), body}
		if w.bySite {
			at.recorder = int32(mix(body/site) % uint64(w.recorders))
		}
		published, is := all[body]
		live := is && (w.ttl == 0 || now-published < w.ttl)
		if !w.forgetful && mine[at] || w.shared && live && now-published >= w.delay {
			hits++
			continue
		}
		mine[at] = true
		if !live {
			all[body] = now
		}
	}
	end := float64(l.exchanges) * step
	for _, published := range all {
		if w.ttl == 0 || end-published < w.ttl {
			r.keys++
		}
	}
	return result{float64(hits) / float64(l.exchanges), r.keys / float64(l.exchanges)}
}

// mix spreads the numbers of sites: SplitMix64.
func mix(n int64) uint64 {
	z := uint64(n) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
