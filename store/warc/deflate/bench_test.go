package deflate

import (
	"bytes"
	gobuild "go/build"
	"os"
	"path/filepath"
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
		{"html-10k", ofGo(b, "doc/go_spec.html", 10<<10), Body},
		{"html-100k", ofGo(b, "doc/go_spec.html", 100<<10), Body},
		{"script-10k", ofGo(b, script, 10<<10), Body},
		{"script-100k", ofGo(b, script, 100<<10), Body},
	} {
		if test.text == nil {
			continue
		}
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

// script is one that Go brings along.
const script = "src/internal/trace/traceviewer/static/webcomponents.min.js"

// ofGo returns the beginning of a file of the Go distribution, as it is found in the wild; nil if
// there is none.
func ofGo(b *testing.B, name string, size int) []byte {
	text, err := os.ReadFile(filepath.Join(gobuild.Default.GOROOT, name))
	if err != nil || len(text) < size {
		b.Logf("without %s: %v", name, err)
		return nil
	}
	return text[:size]
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
