package store

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// benchCapture returns the i-th of captures in a random order of keys, with URLs as the web has them.
func benchCapture(random *rand.Rand, i int) Capture {
	site, path := random.IntN(100_000), fmt.Sprintf("/static/%x/page-%d.html?v=%d", random.Uint32(), i%100, i)
	return Capture{
		URLKey: fmt.Sprintf("com,site%d)%s", site, path),
		URL:    fmt.Sprintf("https://www.site%d.com%s", site, path),
		Time:   testTime.Add(time.Duration(i) * time.Millisecond), MIME: "text/html", Status: 200,
		Digest:   "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Location: Location{"w-20261121054512000-00000-host.warc.gz", int64(i) * 5000, 4321},
	}
}

func benchIndex(b testing.TB, n int) *Bolt {
	index := newIndex(b)
	addFile(b, index, "w-20261121054512000-00000-host.warc.gz")
	random := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < n; done += 10_000 {
		batch := make([]Capture, 10_000)
		for i := range batch {
			batch[i] = benchCapture(random, done+i)
		}
		commit(b, index, batch)
	}
	return index
}

// BenchmarkCommit puts 1000 captures in a transaction, into an index that begins empty: a million is some 1000 rounds.
func BenchmarkCommit(b *testing.B) {
	index := benchIndex(b, 0)
	file := addFile(b, index, "w-20261121054512000-00000-host.warc.gz")
	random := rand.New(rand.NewPCG(3, 4))
	batch := make([]Capture, 1000)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		for i := range batch {
			batch[i] = benchCapture(random, n*len(batch)+i)
		}
		file.Committed += 5000 * 1000
		b.StartTimer()
		commit(b, index, batch, file)
	}
	b.ReportMetric(float64(b.N*len(batch))/b.Elapsed().Seconds(), "puts/s")
}

func BenchmarkExport(b *testing.B) {
	const n = 500_000
	index := benchIndex(b, n)
	b.ReportAllocs()
	for b.Loop() {
		done, err := index.Export(io.Discard, Query{}, nil)
		if err != nil || done.Lines != n {
			b.Fatal(done, err)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkExact(b *testing.B) {
	index := benchIndex(b, 100_000)
	all := allOf(b, index, Query{})
	for i := 0; b.Loop(); i++ {
		q := Query{URL: all[i%len(all)].URL}
		if err := index.Captures(q, func(*Capture) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendCDXJ(b *testing.B) {
	c := benchCapture(rand.New(rand.NewPCG(1, 2)), 1)
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		line = c.AppendCDXJ(line[:0])
	}
}
