package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	probers   = 4
	probeEach = 200 * time.Millisecond // for each prober: 20 probes a second in all
	poll      = 4 * time.Millisecond
)

// visible measures how long after a client's last byte the capture is in an export, with the load
// of s beside it.
func (b *bench) visible(p *proxy, s scenario, r *result) {
	var group sync.WaitGroup
	var lock sync.Mutex
	var seen []time.Duration
	var failed error
	until := time.Now().Add(b.duration)
	for range probers {
		group.Go(func() {
			for time.Now().Before(until) {
				next := time.Now().Add(probeEach)
				took, err := b.probe(p, s)
				lock.Lock()
				if err != nil {
					failed = err
				} else {
					seen = append(seen, took)
				}
				lock.Unlock()
				time.Sleep(time.Until(next))
			}
		})
	}
	b.load(p, s, r)
	group.Wait()
	r.Probes = len(seen)
	r.FirstP50, r.FirstP99 = quantiles(seen)
	if failed != nil {
		r.Errors++
		r.Error = failed.Error()
	}
}

// probe fetches a page of its own and asks for its line until it is there.
func (b *bench) probe(p *proxy, s scenario) (time.Duration, error) {
	number := b.number.Add(1)
	to := b.site(s, number)
	c, err := open(p.address, to)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if _, err := c.get(s.path, number); err != nil {
		return 0, err
	}
	ended := time.Now()
	page := fmt.Sprintf("https://%s%s?u=%x", to, s.path, number)
	for time.Since(ended) < 10*time.Second {
		n, err := lines(p, page)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			return time.Since(ended), nil
		}
		time.Sleep(poll)
	}
	return 0, fmt.Errorf("%s is not in the index after 10 s", page)
}

// lines returns how many bytes of lines an export of a page has.
func lines(p *proxy, page string) (int64, error) {
	res, err := http.Get("http://" + p.address + "/export?url=" + url.QueryEscape(page))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if res.StatusCode != 200 {
		return 0, fmt.Errorf("%s for an export", res.Status)
	}
	return n, err
}
