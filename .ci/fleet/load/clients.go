package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// note is a line of what clients say: one try of one exchange. Whole is one whose body came to its
// last byte as it had to be.
type note struct {
	ID       string  `json:"id"` // SEED.NUMBER.TRY, as the request's field X-Fleet says it
	URL      string  `json:"url"`
	Recorder int     `json:"recorder"`
	Whole    bool    `json:"whole"`
	Size     int64   `json:"size"`
	SHA256   string  `json:"sha256,omitempty"`
	Took     float64 `json:"took"`  // seconds
	Ended    float64 `json:"ended"` // seconds of Unix time
	Error    string  `json:"error,omitempty"`
}

// clients ask for a plan. A client that got nothing asks again, at the next recorder, until its
// patience ends.
type clients struct {
	options
	doors []*http.Client
	notes chan note
}

// askAll is the command clients. A recorder is told by its address, and its place among them.
func askAll(words []string) error {
	o, err := parse(words)
	if err == nil {
		err = o.plan.find(o.folder)
	}
	if err != nil {
		return err
	}
	c := &clients{options: o, notes: make(chan note, 100)}
	if c.doors, err = newDoors(o); err != nil {
		return err
	}
	before, err := cpuOf(o.pids)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := c.work(); err != nil {
		return err
	}
	return tell(o.plan.count, time.Since(begun), before, o.pids)
}

// tell prints how fast it went, and what the recorders' processors did for each exchange.
func tell(count int, took, before time.Duration, processes string) error {
	fmt.Printf("exchanges_per_second %.0f\n", float64(count)/took.Seconds())
	if processes == "" {
		return nil
	}
	after, err := settled(processes)
	fmt.Printf("cpu_us_per_exchange %.1f\n", float64((after-before).Microseconds())/float64(count))
	return err
}

// work goes through all exchanges, and has all notes written.
func (c *clients) work() error {
	written := make(chan error)
	go func() { written <- write(c.out, c.notes) }()
	next := make(chan exchange)
	var workers sync.WaitGroup
	for range c.atOnce {
		workers.Go(func() {
			for one := range next {
				c.ask(one)
			}
		})
	}
	c.deal(next)
	workers.Wait()
	close(c.notes)
	return <-written
}

// deal gives out the exchanges in order, no faster than the rate.
func (c *clients) deal(next chan<- exchange) {
	defer close(next)
	begun := time.Now()
	for number, one := range c.plan.all() {
		if c.rate > 0 {
			due := time.Duration(float64(number) / c.rate * float64(time.Second))
			time.Sleep(time.Until(begun.Add(due)))
		}
		next <- one
	}
}

// ask tries until the exchange came whole, or patience has ended.
func (c *clients) ask(one exchange) {
	want := sha256.New()
	one.body.writeTo(want)
	begun := time.Now()
	for try := 0; ; try++ {
		n := c.try(one, try)
		n.Whole = n.Error == "" && n.SHA256 == hex.EncodeToString(want.Sum(nil))
		c.notes <- n
		if n.Whole || time.Since(begun) > c.patience {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// try asks once.
func (c *clients) try(one exchange, try int) note {
	n := note{ID: fmt.Sprintf("%d.%d.%d", c.plan.seed, one.number, try), URL: one.url}
	n.Recorder = (one.recorder + try) % len(c.doors)
	begun := time.Now()
	err := c.get(&n)
	n.Took, n.Ended = time.Since(begun).Seconds(), float64(time.Now().UnixMilli())/1000
	if err != nil {
		n.Error = err.Error()
	}
	return n
}

func (c *clients) get(n *note) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	// With a body, though an empty one, Go repeats nothing by itself: one ID would come twice.
	nothing := io.NopCloser(strings.NewReader(""))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL, nothing)
	if err != nil {
		return err
	}
	request.Header.Set("X-Fleet", n.ID)
	response, err := c.doors[n.Recorder].Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	sum := sha256.New()
	n.Size, err = io.Copy(sum, response.Body)
	n.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	return err
}

func write(name string, notes <-chan note) error {
	if name == "" {
		name = os.DevNull
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(file)
	for n := range notes {
		if err == nil {
			err = encoder.Encode(n)
		}
	}
	if err != nil {
		return err
	}
	return file.Close()
}
