//go:build unix

package replay

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"warcorder/recorder"
	"warcorder/store"
)

// BenchmarkBeside measures the processor time of all, for each exchange that is recorded, while every
// 32nd time something is asked that was recorded before: nothing, with a transaction of the index for
// each question, and with one only for those who ask for what is not in the index.
func BenchmarkBeside(b *testing.B) {
	const before, host = 60_000, "http://host-%d.example/%d"
	r := archivedBy(b, Config{}, func(c *recorder.Config) { c.IndexInterval = lagging })
	old := exchange{url: "http://asked.example/", text: "asked"}
	n := 0
	add := func() {
		n++
		r.add(exchange{url: fmt.Sprintf(host, n*7919%5000, n), text: fmt.Sprint("text ", n)})
	}
	for n < before {
		add()
	}
	r.add(old)
	for _, c := range []struct {
		name string
		asks bool
		of   func(store.Question) store.Question
	}{
		{name: "nobody asks"},
		{"everything is awaited", true, func(store.Question) store.Question { return store.Everything }},
		{"what is asked is awaited", true, func(q store.Question) store.Question { return q }},
	} {
		b.Run(c.name, func(b *testing.B) {
			r.Archive.cfg.Await = func(ctx context.Context, q store.Question) { r.recorder.SettleFor(ctx, c.of(q)) }
			r.settle()
			began := processorTime(b)
			for i := 0; b.Loop(); i++ {
				if add(); !c.asks || i%32 > 0 {
					continue
				}
				if _, text := r.ask(old); text != old.text {
					b.Fatal(text)
				}
			}
			b.ReportMetric(float64((processorTime(b)-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what this process has taken of the processors.
func processorTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
