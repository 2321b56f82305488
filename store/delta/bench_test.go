package delta_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

// BenchmarkSince: what has come since, of an index of SINCE_CAPTURES captures (a million) in files of
// 50,000: nothing; and a thousand in the last file.
func BenchmarkSince(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("SINCE_CAPTURES"))
	if n == 0 {
		n = 1e6
	}
	dir := collection.Dir(b.TempDir())
	index, err := store.Open(dir.Index(), store.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	var token string
	for i := 0; i < n; i += 50000 {
		if i+50000 >= n {
			token = tokenOf(b, dir, index)
			fillFile(b, index, i/50000, 1000)
			break
		}
		fillFile(b, index, i/50000, 50000)
	}
	all := tokenOf(b, dir, index)
	if err := index.Close(); err != nil {
		b.Fatal(err)
	}
	for name, since := range map[string]string{"nothing": all, "a thousand": token, "all": ""} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				resting, err := store.OpenReadOnly(dir.Index())
				if err != nil {
					b.Fatal(err)
				}
				lines := int64(0)
				func() {
					defer resting.Close()
					parsed, err := delta.Parse(since)
					if err != nil {
						b.Fatal(err)
					}
					d, err := delta.Begin(dir, resting, store.Query{}, delta.Ask{Since: parsed})
					if err != nil {
						b.Fatal(err)
					}
					defer d.Close()
					done, err := d.Write(io.Discard, nil)
					if err != nil {
						b.Fatal(err)
					}
					lines = done.Lines
				}()
				b.ReportMetric(float64(lines), "lines")
			}
			b.ReportMetric(float64(len(since)), "token-bytes")
		})
	}
}

func tokenOf(b *testing.B, dir collection.Dir, index *store.Bolt) string {
	b.Helper()
	d, err := delta.Begin(dir, index, store.Query{}, delta.Ask{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	return d.Token().String()
}

// fillFile commits a file of captures, whose keys lie all over the index.
func fillFile(b *testing.B, index *store.Bolt, number, captures int) {
	b.Helper()
	file, err := index.AddFile(fmt.Sprintf("warcorder-20260501%06d000-%05d-host.warc.gz", number, number))
	if err != nil {
		b.Fatal(err)
	}
	all := make([]store.Capture, captures)
	for i := range all {
		path := uint32(number*captures+i) * 2654435761
		all[i] = store.Capture{
			URLKey: fmt.Sprintf("com,example,host%03d)/%08x/page.html", path%1000, path),
			URL:    fmt.Sprintf("https://host%03d.example.com/%08x/page.html", path%1000, path),
			Time:   time.Date(2026, 5, 1, 12, 0, 0, number*captures+i, time.UTC), Status: 200, MIME: "text/html",
			Digest:   "sha1:AKMCCEPOOWFMGGO5635HFZXGFRLRGWIX",
			Location: store.Location{File: file.Name, Offset: int64(i) * 1000, Length: 1000},
		}
	}
	file.Committed, file.Sealed = int64(captures)*1000, true
	if err := index.Commit(all, []store.File{file}); err != nil {
		b.Fatal(err)
	}
}
