package store

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

const (
	benchFile = "w-20261121054512000-00000-host.warc.gz"
	allSites  = 100_000
)

// benchCapture returns the i-th of captures in a random order of keys, with URLs as the web has
// them.
func benchCapture(random *rand.Rand, i int) Capture {
	return captureOfSite(random.IntN(allSites), random, i)
}

func captureOfSite(site int, random *rand.Rand, i int) Capture {
	path := fmt.Sprintf("/static/%x/page-%d.html?v=%d", random.Uint32(), i%100, i)
	return Capture{
		URLKey: fmt.Sprintf("com,site%d)%s", site, path),
		URL:    fmt.Sprintf("https://www.site%d.com%s", site, path),
		Time:   testTime.Add(time.Duration(i) * time.Millisecond), MIME: "text/html", Status: 200,
		Digest:   "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Location: Location{benchFile, int64(i) * 5000, 4321},
	}
}

func benchIndex(b testing.TB, n int) *Bolt {
	index := newIndex(b)
	addFile(b, index, benchFile)
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

// BenchmarkCommit puts 1000 captures in a transaction, into an index that begins empty: a million
// is some 1000 rounds.
func BenchmarkCommit(b *testing.B) {
	index := benchIndex(b, 0)
	file := addFile(b, index, benchFile)
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

var benchCaptures = flag.Int("captures", 20_000,
	"how many captures the index of BenchmarkCommitInto has to begin with")

// BenchmarkCommitInto puts captures into an index of -captures captures: in transactions such as
// come of 50 ms at 5000 a second, and as large as those that the recorder makes when so much comes.
// Of any of 100,000 sites it is the worst case: no two captures of a batch are neighbours, every
// put has a page of its own to write. Of 50 sites it is what a crawl does. With originals, each
// capture has one, which is looked for before, as the recorder does.
func BenchmarkCommitInto(b *testing.B) {
	for _, with := range []struct {
		name      string
		originals bool
		sizes     []int
	}{{"alone", false, []int{250, 4096}}, {"originals", true, []int{250, 4096}}} {
		b.Run(with.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "index.bolt")
			random := rand.New(rand.NewPCG(5, 6))
			fillIndex(b, path, random, with.originals)
			index, err := openToWrite(path)
			if err != nil {
				b.Fatal(err)
			}
			defer index.Close()
			serial := *benchCaptures
			for _, size := range with.sizes {
				for _, sites := range []int{allSites, 50} {
					b.Run(fmt.Sprintf("batch-%d/sites-%d", size, sites), func(b *testing.B) {
						file := index.files.all()[0]
						batch := make([]Capture, size)
						for b.Loop() {
							b.StopTimer()
							benchBatch(batch, random, sites, serial, with.originals)
							serial += size
							file.Committed += 5000 * int64(size)
							b.StartTimer()
							putBatch(b, index, batch, file)
						}
						b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "puts/s")
					})
				}
			}
		})
	}
}

// fillIndex makes an index of -captures captures. It is synced when it is whole, and not before.
func fillIndex(b *testing.B, path string, random *rand.Rand, originals bool) {
	index, err := Open(path, Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	addFile(b, index, benchFile)
	batch := make([]Capture, 10_000)
	for done := 0; done < *benchCaptures; done += len(batch) {
		benchBatch(batch, random, allSites, done, originals)
		commit(b, index, batch)
	}
	if err := index.Close(); err != nil {
		b.Fatal(err)
	}
}

// benchBatch makes captures of so many sites, any of all, numbered from a number on.
func benchBatch(batch []Capture, random *rand.Rand, sites, from int, originals bool) {
	first := random.IntN(allSites)
	for i := range batch {
		c := captureOfSite((first+random.IntN(sites)*allSites/sites)%allSites, random, from+i)
		if originals {
			c.Original = &Original{Time: c.Time, Digest: c.Digest, URL: c.URL, File: c.File}
			for at := 0; at < len(c.Original.Key); at += 8 {
				binary.LittleEndian.PutUint64(c.Original.Key[at:], random.Uint64())
			}
			binary.LittleEndian.PutUint64(c.Original.RecordID[:], random.Uint64())
		}
		batch[i] = c
	}
}

func putBatch(b *testing.B, index *Bolt, batch []Capture, file File) {
	for i := range batch {
		if original := batch[i].Original; original != nil {
			if _, found, err := index.Original(original.Key); found || err != nil {
				b.Fatal(found, err)
			}
		}
	}
	commit(b, index, batch, file)
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
