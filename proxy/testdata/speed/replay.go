package main

import (
	"fmt"
	"sync"
)

// replayed is a warcorder that shows what it has recorded before the measuring.
const replayed = "warcorder, replaying"

// recordedPages are recorded of each scheme, to be replayed in turn.
const recordedPages = 40 * sites

// startReplay records pages and starts a warcorder that replays them.
func (r *run) startReplay(address, certificate string) (*proxy, error) {
	p, err := startOurs(replayed, r.warcorder, address, r.dir, certificate)
	if err != nil {
		return nil, err
	}
	r.recorded = r.number.Add(2*recordedPages) - 2*recordedPages
	for _, s := range scenarios {
		if s.replay && err == nil {
			err = r.record(p, s)
		}
	}
	p.stop()
	if err != nil {
		return nil, fmt.Errorf("record what is to be replayed: %w", err)
	}
	return start(replayed, address, r.dir, nil, r.warcorder, "replay", "--listen", address,
		"--dir", p.home, "--ca-dir", p.home, "--log", "json")
}

// record asks for all pages of a scenario that are to be replayed, each site's on one connection.
func (b *bench) record(p *proxy, s scenario) error {
	var group sync.WaitGroup
	failed := make([]error, sites)
	next := make(chan uint64)
	for range atOnce {
		group.Go(func() {
			for n := range next {
				failed[n] = b.recordSite(p, s, n)
			}
		})
	}
	for n := range uint64(sites) {
		next <- n
	}
	close(next)
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) recordSite(p *proxy, s scenario, n uint64) error {
	c, err := open(p.address, b.site(s, n))
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range uint64(recordedPages / sites) {
		if _, err := c.get(s.path, b.recordedNumber(s, n, i)); err != nil {
			return err
		}
	}
	return nil
}

// recordedNumber is that of the i-th page of the n-th site, of as many as there are.
func (b *bench) recordedNumber(s scenario, n, i uint64) uint64 {
	number := b.recorded + n%sites + sites*(i%(recordedPages/sites))
	if s.secure {
		number += recordedPages
	}
	return number
}

// numberFor is what the i-th request on the n-th connection asks a proxy for: a page that it has, or
// one that nobody has asked for.
func (b *bench) numberFor(p *proxy, s scenario, n, i uint64) uint64 {
	if p.name == replayed {
		return b.recordedNumber(s, n, n/sites*perConn+i)
	}
	return b.number.Add(1)
}
