package deflate

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/flate"
)

// BenchmarkDeflate has the fastest level of klauspost beside ours.
func BenchmarkDeflate(b *testing.B) {
	for _, test := range []struct {
		name string
		text []byte
		kind Kind
	}{
		{"head", []byte(record), Head},
		{"1k", page(1_000), Body},
		{"10k", page(10_000), Body},
		{"100k", page(100_000), Body},
		{"random-100k", random(100_000), Body},
	} {
		b.Run(test.name+"/ours", func(b *testing.B) {
			e := new(Encoder)
			var out []byte
			run(b, test.text, func() int {
				e.Begin(out[:0])
				e.Deflate(test.text, test.kind, true)
				out = e.End()
				return len(out)
			})
		})
		b.Run(test.name+"/klauspost", func(b *testing.B) {
			var out bytes.Buffer
			w, _ := flate.NewWriter(&out, flate.BestSpeed)
			run(b, test.text, func() int {
				out.Reset()
				w.Reset(&out)
				_, _ = w.Write(test.text)
				_ = w.Close()
				return out.Len()
			})
		})
	}
}

func run(b *testing.B, text []byte, deflate func() int) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = deflate()
	}
	b.ReportMetric(float64(n)/float64(len(text)), "ratio")
}
