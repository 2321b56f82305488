package selection

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// TestMany: of a million captures no more is in memory than some sorters and a slice of the index,
// whether they come as the index has them or are joined with their pages.
func TestMany(t *testing.T) {
	const n, at = 1_000_000, 20_000
	dir := collection.Dir(t.TempDir())
	index, err := store.Open(filepath.Join(string(dir), "index"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	file, err := index.AddFile("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < n; i += at {
		var captures []store.Capture
		for j := i; j < i+at; j++ {
			c := store.Capture{URL: fmt.Sprintf("https://example.com/%07d", j), MIME: "text/html", Status: 200}
			c.URLKey, _ = canon.SURT(c.URL)
			c.Time = begun.Add(time.Duration(j) * time.Second)
			c.Location = store.Location{File: file.Name, Offset: int64(j) * 100, Length: 100}
			captures = append(captures, c)
		}
		file.Committed = int64(i+at) * 100
		if err := index.Commit(captures, []store.File{file}); err != nil {
			t.Fatal(err)
		}
	}
	files := readback.New(dir, index)
	defer files.Close()
	s := New(index, files, pages.New(index, files))
	s.TempDir = t.TempDir()
	for _, detail := range []Detail{{}, {Pages: true}} {
		runtime.GC()
		before := heap()
		choice, err := s.Choose(t.Context(), Selection{From: "2026"}, detail)
		if err != nil {
			t.Fatal(err)
		}
		count, most, last := 0, uint64(0), ""
		for c, err := range choice.Captures(t.Context()) {
			if err != nil || c.URLKey <= last {
				t.Fatalf("%s behind %s, %v", c.URLKey, last, err)
			}
			last = c.URLKey
			if count++; count%(n/20) == 0 {
				runtime.GC()
				most = max(most, heap())
			}
		}
		if err := choice.Close(); err != nil || count != n {
			t.Errorf("%d captures, %v", count, err)
		}
		if most > before && most-before > 32<<20 {
			t.Errorf("%+v takes %d MiB", detail, (most-before)>>20)
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
