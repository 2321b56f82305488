package recovery_test

import (
	"fmt"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
)

// BenchmarkRebuildFrom makes an index from a bucket of many small files: the time and the memory of each
// are those of one among fewer.
func BenchmarkRebuildFrom(b *testing.B) {
	for _, n := range []int{200, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			gateway.Use(b, "")
			w := &awayWorld{t: b, dir: collection.Dir(b.TempDir())}
			w.record(0, 1, func(r *recorder.Recorder) { w.names = finished(b, r) })
			var keys []string
			for i := range n {
				keys = append(keys, fmt.Sprintf("p/%d/file-%d.warc.gz", i%10, i))
			}
			serveKeys(b, w.content(w.names[0]), keys)
			place, err := objects.Parse("s3://warcs/p")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				found, err := recovery.RebuildFrom(recovery.Config{}, collection.Dir(b.TempDir()), place, zerolog.Nop())
				if err != nil || found.Files != n {
					b.Fatal(found.Files, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/file")
		})
	}
}
