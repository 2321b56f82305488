//go:build unix

package recorder

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
)

var benchmarks = []string{
	"text-1K", "text-10K", "text-100K", "encoded-1K", "encoded-10K", "encoded-100K",
}

// BenchmarkRecords makes and compresses the records of one exchange.
func BenchmarkRecords(b *testing.B) {
	all := bodies(b)
	for _, name := range benchmarks {
		b.Run(name, func(b *testing.B) {
			m := newMaker(&makers{keyer: &store.Keyer{}, style: &record.Style{},
				rules: new(atomic.Pointer[record.DedupConfig])})
			x := example()
			x.URL = "https://www.example.com/static/app.js?v=12345"
			out := &output{}
			requestBytes, responseBytes := []byte(browserRequest), []byte(all[name])
			var members []byte
			b.SetBytes(int64(len(requestBytes) + len(responseBytes)))
			b.ReportAllocs()
			for b.Loop() {
				request, response := record.RequestOf(requestBytes,
					record.Digester{}), record.MessageOf(responseBytes, record.Digester{})
				r := m.make(x, &request, &response, out)
				members = m.append(members[:0], r.Response, &response)
				members = m.append(members, r.Request, &request)
			}
		})
	}
}

// BenchmarkCommit records exchanges from many goroutines, through WARC file and index, both synced.
// No two bodies are the same.
func BenchmarkCommit(b *testing.B) { benchmarkCommit(b, record.DedupConfig{}, true) }

// BenchmarkCommitAll is BenchmarkCommit without deduplication.
func BenchmarkCommitAll(b *testing.B) {
	benchmarkCommit(b, record.DedupConfig{Dedup: record.DedupOff}, true)
}

// BenchmarkCommitSame is BenchmarkCommit with one body: all but the first are revisits.
func BenchmarkCommitSame(b *testing.B) { benchmarkCommit(b, record.DedupConfig{}, false) }

func benchmarkCommit(b *testing.B, dedup record.DedupConfig, different bool) {
	all := bodies(b)
	for _, name := range benchmarks {
		b.Run(name, func(b *testing.B) {
			r, err := Open(Config{Dedup: dedup}, collection.Dir(b.TempDir()), zerolog.Nop())
			if err != nil {
				b.Fatal(err)
			}
			request, response := []byte(browserRequest), []byte(all[name])
			body := bytes.Index(response, []byte("\r\n\r\n")) + 4
			var serial atomic.Int64
			b.SetBytes(int64(len(request) + len(response)))
			b.ReportAllocs()
			b.SetParallelism(32)
			b.ResetTimer()
			before := cpuTime(b)
			b.RunParallel(func(pb *testing.PB) {
				response := bytes.Clone(response)
				for pb.Next() {
					x := r.Begin()
					x.Started = time.Now()
					n := serial.Add(1)
					x.URL = fmt.Sprintf("https://www.example.com/static/app.js?v=%d", n)
					x.Method = "GET"
					if different {
						binary.LittleEndian.PutUint64(response[body:], uint64(n))
					}
					x.Request.Write(request)
					for rest := response; len(rest) > 0; {
						n, _ := x.Response.Write(rest[:min(len(rest), 32<<10)])
						rest = rest[n:]
					}
					x.Commit()
				}
			})
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// cpuTime is what the process has used of the processors: the figure that repeats where the wall
// clock does not.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
