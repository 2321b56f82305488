package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// share is how much of the bytes of a filling the bodies of a scenario are.
type share struct {
	scenario
	percent int64
}

// shares are what comes when each of the three is asked for equally long: two of three captures are
// small, and a capture takes some 30 KB in a WARC file.
var shares = []share{
	{scenario{name: "http-100k", path: "/mix/102400"}, 48},
	{scenario{name: "https-100k", path: "/mix/102400", secure: true}, 36},
	{scenario{name: "http-10k", path: "/mix/10240"}, 16},
}

// navigation makes each capture a page.
const navigation = "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\n" +
	"Sec-Fetch-Site: same-origin\r\n"

// eachTitled is how many captures have one page with a title among them. Of the other HTML all must
// be read to find that it has none, which is a bad case for packing.
const eachTitled = 100

// filling has a proxy record bytes of bodies, with requests on several connections.
type filling struct {
	bench
	proxy       string
	connections int
	requests    atomic.Int64
	bytes       atomic.Int64
}

// fill is the command fill: a proxy that was started by hand records an archive of the mixture.
func fill(args []string) error {
	f := &filling{}
	flags := flag.NewFlagSet("fill", flag.ExitOnError)
	flags.StringVar(&f.proxy, "proxy", "", "address of the proxy, which must not verify certificates")
	flags.IntVar(&f.connections, "conc", atOnce, "connections at once, 1 to 256")
	flags.IntVar(&f.port, "port", 18500, "first of the two ports of the origin")
	bytes := flags.Int64("bytes", 1e9, "record about so many bytes of bodies")
	flags.Parse(args)
	if f.proxy == "" || f.connections < 1 || f.connections > 256 || *bytes < 1 || flags.NArg() > 0 {
		return errors.New("fill: no -proxy, a flag out of its range, or more than flags (-h tells them)")
	}
	f.number.Store(firstNumber())
	dir, err := os.MkdirTemp("", "speed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := serveOrigin(dir, f.port); err != nil {
		return err
	}
	started := time.Now()
	for _, one := range shares {
		if err := f.record(one.scenario, *bytes/100*one.percent); err != nil {
			return fmt.Errorf("fill: %s: %w", one.name, err)
		}
	}
	seconds := time.Since(started).Seconds()
	megabytes := float64(f.bytes.Load()) / 1e6
	log.Printf("%d bodies, %.0f MB, in %.0f s", f.requests.Load(), megabytes, seconds)
	return nil
}

// record asks for pages of a scenario until so many bytes have come, or a request fails.
func (f *filling) record(s scenario, bytes int64) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	var opened atomic.Uint64
	var left atomic.Int64
	left.Store(bytes)
	for range f.connections {
		group.Go(func() {
			for left.Load() > 0 {
				if err := f.series(s, opened.Add(1), &left); err != nil {
					left.Store(0)
					once.Do(func() { first = err })
				}
			}
		})
	}
	group.Wait()
	return first
}

// series asks on the n-th connection for pages while bytes are left.
func (f *filling) series(s scenario, n uint64, left *atomic.Int64) error {
	c, err := open(f.proxy, f.site(s, n))
	if err != nil {
		return err
	}
	defer c.Close()
	c.fields += navigation
	for i := 0; i < perConn && left.Load() > 0; i++ {
		number, path := f.number.Add(1), s.path
		if number%eachTitled == 0 {
			path = strings.Replace(path, "/mix/", "/titled/", 1)
		}
		a, err := c.get(path, number)
		if err == errEnded {
			return nil
		}
		if err != nil {
			return err
		}
		left.Add(-a.bytes)
		f.bytes.Add(a.bytes)
		f.requests.Add(1)
		if a.last {
			return nil
		}
	}
	return nil
}
