package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// readFrom is the same warcorder as ours, with readers beside the load.
const readFrom = "warcorder, read from"

const (
	queryEach   = 20 * time.Millisecond // 50 queries a second
	mostQueries = 64                    // that go on at once
	knownPages  = 8                     // of each site, which are asked for
)

// readers ask a recorder for what it has: one export after another, and queries beside them.
type readers struct {
	proxy  *proxy
	client http.Client
	pages  []string // their URLs, which the recorder has
	stop   chan struct{}
	group  sync.WaitGroup

	lines atomic.Int64 // of whole exports
	next  atomic.Uint64

	mu     sync.Mutex
	took   []time.Duration // by queries
	missed int             // queries for which there was no room
	failed error           // the first
}

// readMeanwhile measures the load of s, with readers beside it if the proxy is the one that has them.
func (b *bench) readMeanwhile(p *proxy, s scenario, r *result) {
	if p.name != readFrom {
		b.load(p, s, r)
		return
	}
	at := &readers{proxy: p, pages: b.pages, stop: make(chan struct{})}
	at.client.Transport = &http.Transport{MaxIdleConnsPerHost: mostQueries}
	at.group.Go(at.export)
	at.group.Go(at.queries)
	b.load(p, s, r)
	close(at.stop)
	at.client.CloseIdleConnections()
	at.group.Wait()
	r.Probes = len(at.took)
	r.QueryP50, r.QueryP99 = quantiles(at.took)
	r.Lines = at.lines.Load()
	if at.failed != nil || at.missed > 0 {
		r.Errors++
		r.Error = fmt.Sprintf("queries: %d without room, %v", at.missed, at.failed)
	}
}

// fillIndex lets a recorder have pages that are known, and an index that takes some time to read.
func (b *bench) fillIndex(p *proxy, s scenario) error {
	for n := range uint64(sites) {
		to := b.site(s, n)
		c, err := open(p.address, to)
		if err != nil {
			return err
		}
		for range knownPages {
			number := b.number.Add(1)
			if _, err = c.get(s.path, number); err != nil {
				break
			}
			b.pages = append(b.pages, fmt.Sprintf("https://%s%s?u=%x", to, s.path, number))
		}
		if c.Close(); err != nil {
			return err
		}
	}
	var r result
	b.load(p, s, &r)
	log.Printf("%d pages are in the index that is read", r.Requests)
	return nil
}

// export asks for all lines, again and again.
func (r *readers) export() {
	for {
		select {
		case <-r.stop:
			return
		default:
		}
		if err := r.ask("/export", r.count); err != nil {
			r.fail(err)
			return
		}
	}
}

// count counts lines, until they end or nobody wants more.
func (r *readers) count(body io.Reader) error {
	piece := make([]byte, 256<<10)
	for {
		n, err := body.Read(piece)
		for _, c := range piece[:n] {
			if c == '\n' {
				r.lines.Add(1)
			}
		}
		select {
		case <-r.stop:
			return nil
		default:
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// queries asks at a steady pace, whether or not the answers come.
func (r *readers) queries() {
	ticker := time.NewTicker(queryEach)
	defer ticker.Stop()
	room := make(chan struct{}, mostQueries)
	for {
		select {
		case <-r.stop:
			return
		case <-ticker.C:
		}
		select {
		case room <- struct{}{}:
			r.group.Go(func() {
				r.query()
				<-room
			})
		default:
			r.mu.Lock()
			r.missed++
			r.mu.Unlock()
		}
	}
}

// query asks the CDX server for one page in turn by its URL, by what several begin with, and by a time.
func (r *readers) query() {
	n := r.next.Add(1)
	one := r.pages[scatter(n)%uint64(len(r.pages))]
	values := url.Values{"url": {one}}
	switch n % 3 {
	case 1:
		values.Set("url", one[:len(one)-1]+"*") // one hexadecimal digit is open
		values.Set("limit", "100")
	case 2:
		values = url.Values{
			"url": {one}, "closest": {"20260101000000"}, "sort": {"closest"}, "limit": {"1"},
		}
	}
	started := time.Now()
	var got int64
	err := r.ask("/cdx?"+values.Encode(), func(body io.Reader) (err error) {
		got, err = io.Copy(io.Discard, body)
		return err
	})
	if err == nil && got == 0 {
		err = fmt.Errorf("%s is not in the index", one)
	}
	if err != nil {
		r.fail(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, time.Since(started))
}

func (r *readers) ask(path string, read func(io.Reader) error) error {
	res, err := r.client.Get("http://" + r.proxy.address + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("%s for %s", res.Status, path)
	}
	return read(res.Body)
}

func (r *readers) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}
