package cdxapi

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// The benchmarks ask an index of CDX_CAPTURES captures, 100,000 unless it is set. With CDX_INDEX, the
// name of a file, that is made once and used again; it must be of as many captures. Of 10,000 sites
// each has as many URLs; every tenth capture is one of a single URL, a second apart.
const (
	benchSites = 10_000
	benchMany  = "http://many.example/page"
)

// benchURL returns the URL of the i-th capture.
func benchURL(i int) string {
	if i%10 == 0 {
		return benchMany
	}
	return fmt.Sprintf("http://www.site%d.example/dir%d/page-%d.html?v=%d", i%benchSites, i%7, i/benchSites, i)
}

// benchServer answers about the index of the benchmarks, at rest.
func benchServer(b *testing.B) (s *httptest.Server, captures int) {
	b.Helper()
	captures = 100_000
	if n, err := strconv.Atoi(os.Getenv("CDX_CAPTURES")); err == nil {
		captures = n
	}
	path := os.Getenv("CDX_INDEX")
	if path == "" {
		path = benchPath(captures)
	}
	if _, err := os.Stat(path); err != nil {
		fillBench(b, path, captures)
	}
	index, err := store.OpenReadOnly(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { index.Close() })
	if n, err := index.Count(); int(n) != captures || err != nil {
		b.Fatalf("%s has %d captures, not %d: set CDX_CAPTURES, %v", path, n, captures, err)
	}
	return server(b, index, usual), captures
}

// benchPath is where the index lies that is not named: it is made once for all benchmarks of a run.
var benchPath = func() func(int) string {
	var once sync.Once
	var dir string
	return func(captures int) string {
		once.Do(func() { dir, _ = os.MkdirTemp("", "cdxapi-bench-") })
		return filepath.Join(dir, fmt.Sprintf("%d.bolt", captures))
	}
}()

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(filepath.Dir(benchPath(0)))
	os.Exit(code)
}

// fillBench makes the index.
func fillBench(b *testing.B, path string, captures int) {
	b.Logf("making %s", path)
	index, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	file, err := index.AddFile("w-20261121054512000-00000-host.warc.gz")
	if err != nil {
		b.Fatal(err)
	}
	const atOnce = 50_000
	for from := 0; from < captures; from += atOnce {
		batch := make([]store.Capture, 0, atOnce)
		for i := from; i < min(from+atOnce, captures); i++ {
			target := benchURL(i)
			key, _ := canon.SURT(target)
			batch = append(batch, store.Capture{URLKey: key, URL: target, MIME: "text/html", Status: 200,
				Time:     testTime.Add(time.Duration(i/10) * time.Second),
				Digest:   "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
				Location: store.Location{File: file.Name, Offset: int64(i) * 5000, Length: 4321}})
		}
		file.Committed = int64(from+atOnce) * 5000
		if err := index.Commit(batch, []store.File{file}); err != nil {
			b.Fatal(err)
		}
	}
	if err := index.Close(); err != nil {
		b.Fatal(err)
	}
}

// asks asks for what path returns, again and again.
func asks(b *testing.B, s *httptest.Server, path func(random *rand.Rand) string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	bytes, client := int64(0), s.Client()
	b.ReportAllocs()
	for b.Loop() {
		res, err := client.Get(s.URL + path(random))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || n == 0 {
			b.Fatal(res.Status, n, err)
		}
		bytes += n
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "B/answer")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
}

// otherURL returns the URL of a capture that is not of the one with many.
func otherURL(random *rand.Rand, captures int) string {
	return benchURL(random.IntN(captures/10)*10 + 1 + random.IntN(9))
}

// BenchmarkExact asks for the captures of one URL.
func BenchmarkExact(b *testing.B) {
	s, captures := benchServer(b)
	asks(b, s, func(random *rand.Rand) string { return "/cdx?url=" + url.QueryEscape(otherURL(random, captures)) })
}

// BenchmarkPrefix asks for the first hundred lines of a directory.
func BenchmarkPrefix(b *testing.B) {
	s, captures := benchServer(b)
	asks(b, s, func(random *rand.Rand) string {
		i := random.IntN(captures/10)*10 + 1
		return fmt.Sprintf("/cdx?url=www.site%d.example/dir%d/*&limit=100", i%benchSites, i%7)
	})
}

// BenchmarkClosest asks as pywb does, for the captures of one of very many nearest to a moment.
func BenchmarkClosest(b *testing.B) {
	s, captures := benchServer(b)
	asks(b, s, func(random *rand.Rand) string {
		at := testTime.Add(time.Duration(random.IntN(captures/10)) * time.Second).Format("20060102150405")
		return "/cdx?url=" + url.QueryEscape(benchMany) + "&closest=" + at + "&sort=closest&limit=100"
	})
}

// BenchmarkDomain reads the first 10,000 lines of all sites.
func BenchmarkDomain(b *testing.B) {
	s, _ := benchServer(b)
	asks(b, s, func(*rand.Rand) string { return "/cdx?url=example&matchType=domain&limit=10000" })
}

// BenchmarkPage asks for some page of all sites, as cdx_toolkit does.
func BenchmarkPage(b *testing.B) {
	s, captures := benchServer(b)
	pages := (captures + 30_000 - 1) / 30_000
	for status := 0; status != http.StatusOK; { // until it is known where they are
		status, _ = ask(b, s, fmt.Sprintf("/cdx?url=example&matchType=domain&limit=1&page=%d", pages-1))
	}
	asks(b, s, func(random *rand.Rand) string {
		return fmt.Sprintf("/cdx?url=example&matchType=domain&output=json&page=%d", random.IntN(pages))
	})
}

// BenchmarkNumPages counts what a query may look at, once.
func BenchmarkNumPages(b *testing.B) {
	s, _ := benchServer(b)
	asks(b, s, func(*rand.Rand) string { return "/cdx?url=example&matchType=domain&showNumPages=true" })
}
