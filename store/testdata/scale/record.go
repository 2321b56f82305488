package main

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/collection"
)

// writers is how many commit exchanges at once, as so many clients would.
const writers = 64

// record records the captures of an archive into a collection that is not there yet: what a recorder
// does, but for the network.
func record(flags *flag.FlagSet, args []string) error {
	a := archiveFlags(flags)
	dir := flags.String("dir", "", "directory of the collection, which is made")
	body := flags.Int("body", 1000, "bytes of each body, of which half can be compressed")
	flags.Parse(args)
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	r, err := recorder.Open(cfg, collection.Dir(*dir), zerolog.Nop())
	if err != nil {
		return err
	}
	started := time.Now()
	a.recordTo(r, *body)
	if err := r.Close(); err != nil {
		return err
	}
	took, cpu := time.Since(started), processCPU()
	fmt.Printf("%d exchanges in %v: %.0f a second, %.3f CPU s/1000\n", a.captures, took.Round(time.Second),
		float64(a.captures)/took.Seconds(), cpu.Seconds()/float64(a.captures)*1000)
	return nil
}

// recordTo has the writers record every capture.
func (a archive) recordTo(r *recorder.Recorder, size int) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for n := int(next.Add(1)) - 1; n < a.captures; n = int(next.Add(1)) - 1 {
				a.exchange(r, n, size)
				if (n+1)%1_000_000 == 0 {
					log.Printf("%d exchanges", n+1)
				}
			}
		})
	}
	all.Wait()
}

// exchange records the n-th capture.
func (a archive) exchange(r *recorder.Recorder, n, size int) {
	x := r.Begin()
	x.Started, x.URL, x.Method = time.Now(), a.url(n), "GET"
	scheme, rest, _ := strings.Cut(x.URL, "://")
	host, path, _ := strings.Cut(rest, "/")
	fmt.Fprintf(&x.Request, "GET /%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: scale\r\nAccept: */*\r\n"+
		"Referer: %s://%s/\r\n\r\n", path, host, scheme, host)
	fmt.Fprintf(&x.Response, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nServer: scale\r\nContent-Length: %d\r\n\r\n",
		kinds[n%len(kinds)], size)
	x.Response.Write(content(n, size))
	x.Ended = time.Now()
	x.Commit()
}

// content is a body of size bytes that no other capture has: half of what it says is noise.
func content(n, size int) []byte {
	noise := make([]byte, 0, size/2+8)
	for i := uint64(0); len(noise) < size/2; i++ {
		noise = binary.BigEndian.AppendUint64(noise, scatter(uint64(n)<<20+i))
	}
	return []byte(hex.EncodeToString(noise))[:size]
}

// processCPU is what this process has used of the processors.
func processCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(errors.Join(errors.New("processor time"), err))
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
