package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// question is a kind of what is asked, over and over with other values.
type question struct {
	name  string
	query func(n uint64) url.Values
	lines func(n int) bool // whether so many lines are an answer
}

func some(n int) bool { return n > 0 }

func exactly(want int) func(int) bool { return func(n int) bool { return n == want } }

// questions are what is asked about an archive.
func (a archive) questions() []question {
	// a page of an ordinary site, which has few captures
	page := func(n uint64) string {
		at := int(scatter(n) % uint64(a.captures))
		for a.isSame(at) || at%bigShare == 0 || at%perFront == 0 {
			at = (at + 1) % a.captures
		}
		return a.url(at)
	}
	moment := func(n uint64) string {
		at := began.Add(time.Duration(scatter(n)%uint64(a.captures)) * each)
		return at.Format("20060102150405")
	}
	return []question{
		{"exact", func(n uint64) url.Values {
			return url.Values{"url": {page(n)}}
		}, some},
		{"prefix", func(n uint64) url.Values {
			text := page(n)
			return url.Values{"url": {text[:strings.LastIndex(text, "/")+1] + "*"}, "limit": {"10"}}
		}, some},
		{"closest", func(n uint64) url.Values {
			return url.Values{"url": {page(n)}, "closest": {moment(n)}, "sort": {"closest"},
				"limit": {"1"}}
		}, exactly(1)},
	}
}

// ofOne are questions about the URL that has many captures, and whole parts of the index.
func (a archive) ofOne() []question {
	moment := func(n uint64) string {
		at := began.Add(time.Duration(uint64(a.captures)/4+scatter(n)%uint64(a.captures/2)) * each)
		return at.Format("20060102150405")
	}
	return []question{
		{"closest of the one URL", func(n uint64) url.Values {
			return url.Values{"url": {oneURL}, "closest": {moment(n)}, "sort": {"closest"}, "limit": {"1"}}
		}, exactly(1)},
		{"100 closest of the one URL", func(n uint64) url.Values {
			return url.Values{"url": {oneURL}, "closest": {moment(n)}, "sort": {"closest"}, "limit": {"100"}}
		}, exactly(100)},
		{"1000 of the one URL, from a time on", func(n uint64) url.Values {
			return url.Values{"url": {oneURL}, "from": {moment(n)}, "limit": {"1000"}}
		}, exactly(1000)},
	}
}

// asker asks a server.
type asker struct {
	server string
	client http.Client
}

func newAsker(server string) *asker {
	return &asker{server: server, client: http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		Timeout:   10 * time.Minute,
	}}
}

// lines counts the lines of an answer.
func (a *asker) lines(values url.Values) (n int, err error) {
	res, err := a.client.Get(a.server + "?" + values.Encode())
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return 0, fmt.Errorf("%s: %s", res.Status, text)
	}
	piece := make([]byte, 64<<10)
	for {
		k, err := res.Body.Read(piece)
		n += bytes.Count(piece[:k], []byte("\n"))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// many asks a question for some time, from several clients at once, and returns how long each took.
func (a *asker) many(q question, clients int, lasting time.Duration) (took []time.Duration, err error) {
	var group sync.WaitGroup
	var mu sync.Mutex
	var next atomic.Uint64
	until := time.Now().Add(lasting)
	for range clients {
		group.Go(func() {
			for time.Now().Before(until) {
				n := next.Add(1)
				started := time.Now()
				lines, failed := a.lines(q.query(n))
				if failed == nil && !q.lines(lines) {
					failed = fmt.Errorf("%d lines", lines)
				}
				if failed != nil {
					failed = fmt.Errorf("%s, %s: %w", q.name, q.query(n).Encode(), failed)
				}
				mu.Lock()
				took = append(took, time.Since(started))
				err = errors.Join(err, failed)
				mu.Unlock()
				if failed != nil {
					return
				}
			}
		})
	}
	group.Wait()
	return took, err
}
