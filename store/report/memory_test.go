package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// manyAnswers makes a collection of a page and n answers that are the same record, again and again.
func manyAnswers(t testing.TB, n int) *Reports {
	t.Helper()
	dir := collection.Dir(t.TempDir())
	if err := dir.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(dir.Index(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const message = "HTTP/1.1 429 Too Many\r\nRetry-After: 1\r\nContent-Length: 5\r\n\r\nhello"
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	fmt.Fprintf(w, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://site.example/\r\n"+
		"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(message), message)
	w.Close()
	size := int64(member.Len())
	if err := os.WriteFile(dir.WARC("a.warc.gz"), bytes.Repeat(member.Bytes(), n), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := index.AddFile("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	file.Committed, file.Sealed = size*int64(n), true
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	captures := make([]store.Capture, 0, 5000)
	for i := range n {
		c := store.Capture{URL: "http://site.example/", URLKey: "example,site)/", MIME: "text/html",
			Time: begin.Add(time.Duration(i) * time.Millisecond), Status: 429,
			Location: store.Location{File: file.Name, Offset: int64(i) * size, Length: size}}
		c.Visit = store.Visit{Dest: store.DestLeaf, Traits: store.Told,
			Referer: store.HashURL("http://site.example/")}
		if i%1000 == 0 {
			c.Visit = store.Visit{Dest: store.DestDocument, Traits: store.Told | store.Navigates | store.HTML}
		}
		if captures = append(captures, c); len(captures) == cap(captures) || i == n-1 {
			if err := index.Commit(captures, []store.File{file}); err != nil {
				t.Fatal(err)
			}
			captures = captures[:0]
		}
	}
	if err := index.Close(); err != nil { // with what it needs to write
		t.Fatal(err)
	}
	if index, err = store.OpenReadOnly(dir.Index()); err != nil {
		t.Fatal(err)
	}
	files := readback.New(dir, index)
	t.Cleanup(func() { files.Close(); index.Close() })
	return New(index, files)
}

// TestFlatMemory: of many captures, all of which have something wrong, no more is in memory than of
// few; and all are told of.
func TestFlatMemory(t *testing.T) {
	peak := func(n int) uint64 {
		reports := manyAnswers(t, n)
		reports.memory = 256 << 10
		ctx, times := &watched{Context: t.Context()}, 0
		total, err := reports.Each(ctx, Selection{}, func(one *Report) error {
			for _, f := range one.Findings {
				times += f.Times
			}
			return nil
		})
		if err != nil || times != n || total.Pages != (n+999)/1000 || total.Whole != 0 {
			t.Errorf("%d of %d are told, %+v, %v", times, n, total, err)
		}
		if ctx.asked < 2*n {
			t.Errorf("memory was looked at %d times", ctx.asked)
		}
		return ctx.most
	}
	few := peak(10_000)
	if many := peak(50_000); many > few+1<<20 {
		t.Errorf("%d KB for 10,000 captures, %d KB for 50,000", few>>10, many>>10)
	}
}

// watched is a context that looks at memory when it is asked whether the work is to go on, which is at
// each capture and each line: nothing else goes on meanwhile.
type watched struct {
	context.Context
	asked int
	most  uint64 // of the heap that was in use
}

func (w *watched) Err() error {
	if w.asked++; w.asked%2000 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.most = max(w.most, m.HeapAlloc)
	}
	return w.Context.Err()
}

// BenchmarkReport is the report of 100,000 captures, a thousand a page.
func BenchmarkReport(b *testing.B) {
	reports := manyAnswers(b, 100_000)
	for b.Loop() {
		if _, err := reports.Each(b.Context(), Selection{}, func(*Report) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "captures/s")
}
