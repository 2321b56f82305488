package store

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"warcorder/canon"
)

// nearestOf is how many captures of one URL BenchmarkNearest looks among, and of other URLs.
var nearestOf = flag.Int("nearest", 100_000, "captures of one URL for BenchmarkNearest")

// manyOf makes an index with n captures of one URL, one each second, and as many of others.
func manyOf(b testing.TB, n int) (path, key string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "index.bolt")
	index, err := Open(path, Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	file := addFile(b, index, "w.warc.gz")
	key, _ = canon.SURT("http://example.com/page?a=b")
	const batch = 10_000
	for at := 0; at < n; at += batch {
		var captures []Capture
		for i := at; i < min(at+batch, n); i++ {
			when := testTime.Add(time.Duration(i) * time.Second)
			one := captureOf("http://example.com/page?a=b", when, file.Name, int64(2*i))
			other := captureOf(fmt.Sprintf("http://example.com/other/%d", i), when, file.Name, int64(2*i+1))
			captures = append(captures, one, other)
		}
		commit(b, index, captures)
	}
	if err := index.Close(); err != nil {
		b.Fatal(err)
	}
	return path, key
}

// BenchmarkNearest looks for one capture at some moment, among many of the same URL: in an index
// that is open for writing, and in one at rest.
func BenchmarkNearest(b *testing.B) {
	path, key := manyOf(b, *nearestOf)
	for _, name := range []string{"open", "at rest"} {
		open := openToWrite
		if name == "at rest" {
			open = OpenReadOnly
		}
		index, err := open(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, most := range []int{1, 10, 1000} {
			b.Run(fmt.Sprintf("%s/%d", name, most), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					at := testTime.Add(time.Duration(i*7919%*nearestOf) * time.Second)
					n := 0
					err := index.Nearest(URLKey, key, at, most, func(*Capture) bool { n++; return true })
					if err != nil || n != most {
						b.Fatal(n, err)
					}
				}
			})
		}
		if err := index.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
