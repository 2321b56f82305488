//go:build unix

package recorder

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/shared/server"
	"warcorder/store/collection"
)

// pool is how many bodies of BenchmarkShared come again and again.
const pool = 4096

// BenchmarkShared records exchanges of which 60 % have a body that another recorder has, and 40 % one
// that nobody has, with dedup-shared and without: then this one has the 60 % itself, so that both write
// as many revisits. The server is another process: its time counts for nothing here. It runs as fast as
// it can, so that the queue fills, and what is then not asked for is said as unasked.
func BenchmarkShared(b *testing.B) {
	all := bodies(b)
	for _, name := range []string{"text-1K", "text-10K"} {
		for _, with := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/shared=%v", name, with), func(b *testing.B) {
				var cfg Config
				if with {
					cfg.DedupShared = server.Start(b).URL()
				}
				here, there := openBench(b, cfg), openBench(b, cfg)
				has := there
				if !with {
					has = here // so that both write as many revisits
				}
				for i := range int64(pool) {
					commitBody(has, []byte(all[name]), i)
				}
				if err := has.Settle(b.Context()); err != nil {
					b.Fatal(err)
				}
				if err := there.Close(); err != nil {
					b.Fatal(err)
				}
				benchmarkShared(b, here, []byte(all[name]))
			})
		}
	}
}

func benchmarkShared(b *testing.B, r *Recorder, response []byte) {
	var serial atomic.Int64
	already := r.Status().Revisits
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime(b)
	b.RunParallel(func(pb *testing.PB) {
		response := append([]byte(nil), response...)
		for pb.Next() {
			n := serial.Add(1)
			if n%5 < 3 {
				commitBody(r, response, n%pool)
			} else {
				commitBody(r, response, pool+n)
			}
		}
	})
	status := r.Status().DedupShared
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(r.Status().Revisits-already)/float64(b.N), "revisits/op")
	if status != nil {
		b.ReportMetric(float64(status.Passed+status.Failed)/float64(b.N), "unasked/op")
	}
}

func openBench(b *testing.B, cfg Config) *Recorder {
	b.Helper()
	r, err := Open(cfg, collection.Dir(b.TempDir()), zerolog.Nop())
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// commitBody records an exchange with the body of that number.
func commitBody(r *Recorder, response []byte, n int64) {
	x := r.Begin()
	x.Started, x.Method = time.Now(), "GET"
	x.URL = fmt.Sprintf("https://www.example.com/static/app.js?v=%d", n)
	binary.LittleEndian.PutUint64(response[len(response)-8:], uint64(n))
	x.Request.Write([]byte(browserRequest))
	x.Response.Write(response)
	x.Commit()
}
