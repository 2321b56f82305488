package recovery

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
)

// inflated is about how long the content of a file is when it is not compressed.
func inflated(file []byte) int64 {
	in, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return int64(len(file))
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(in, 1<<30)) // what it has come to is what counts
	return n + int64(len(file))
}

// scanCost is how much memory reading a file takes, used again or not, as ours and as another's.
func scanCost(t *testing.T, path string, file []byte) (made uint64) {
	t.Helper()
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	keyer, err := store.NewKeyer(store.KeysConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	texts := func(s *findings) error {
		if s.isFull(smallGroup) {
			s.forget()
		}
		return nil
	}
	_, err = scanForeign(sourceAt(t, path), filepath.Base(path), keyer,
		func(s *foreignScan, _ int64) error { return texts(&s.findings) })
	if err != nil {
		t.Fatal(err)
	}
	dedup := record.DedupConfig{Dedup: record.DedupURL}
	if _, err = scanFile(sourceAt(t, path), store.File{Name: "x"}, keyer, &dedup, true,
		func(s *scan, _ int64) error { return texts(&s.findings) }); err != nil {
		t.Fatal(err)
	}
	if _, err = collection.IsOwn(path); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzScan fails when reading the records of a file takes more than in proportion to it: twice as
// much of the same may take twice as much, and some more for buffers.
func FuzzScan(f *testing.F) {
	for _, file := range foreign.Files["warcio"] {
		f.Add([]byte(file), true)
		f.Add([]byte(file), false)
	}
	var own bytes.Buffer
	if err := foreign.Own(&own, foreign.Exchange(1, "http://example.com/",
		"WARC-Concurrent-To: <urn:x:1>\r\n")...); err != nil {
		f.Fatal(err)
	}
	f.Add(own.Bytes(), false)
	f.Add([]byte("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nabcde"), false)
	f.Add(
		[]byte(
			strings.Repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x20\x00\xdf\xffWARC/1.0\r\n", 10)),
		false,
	)
	f.Fuzz(func(t *testing.T, file []byte, pack bool) {
		if pack {
			file = foreign.Gzip(string(file))
		}
		if len(file) > 20_000 || inflated(file) > 200_000 {
			return
		}
		path := filepath.Join(t.TempDir(), "x.warc.gz")
		once, twice := scanCost(t, path, bytes.Repeat(file, 20)), scanCost(t, path,
			bytes.Repeat(file, 40))
		if twice > 3*once+32<<20 {
			t.Errorf("%d MB, and for twice as much %d", once>>20, twice>>20)
		}
	})
}
