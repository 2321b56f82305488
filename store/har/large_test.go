package har

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"warcorder/proxy/raced"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// watched counts what is written, and looks at the heap now and then.
type watched struct {
	written, looked int64
	most            uint64
}

func (w *watched) Write(p []byte) (int, error) {
	if w.written += int64(len(p)); w.written-w.looked > 32<<20 {
		w.looked = w.written
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		w.most = max(w.most, now.HeapAlloc)
	}
	return len(p), nil
}

// TestLarge: a body of 1 GiB, and a text of 64 MiB, which is 384 MiB of JSON, take memory for some
// buffers. The race detector makes them slow, and shows the same with less.
func TestLarge(t *testing.T) {
	less := int64(1)
	if raced.Enabled {
		less = 8
	}
	for kind, size := range map[string]int64{"video/mp4": (1 << 30) / less, "text/plain": (64 << 20) / less} {
		t.Run(kind, func(t *testing.T) {
			files, c := sparse(t, kind, size)
			var before runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var out watched
			w := NewWriter(&out, files)
			err := errors.Join(w.Begin(""), w.Exchange(context.Background(), c), w.End())
			if err != nil {
				t.Fatal(err)
			}
			if out.written < size*4/3 || out.most == 0 {
				t.Errorf("%d bytes were written", out.written)
			}
			if took := int64(out.most) - int64(before.HeapAlloc); took > 16<<20 {
				t.Errorf("%d bytes of memory were in use", took)
			}
		})
	}
}

// sparse is a file, of which the disk has little, of one response with a body of zeros.
func sparse(t *testing.T, kind string, size int64) (*readback.Files, *selection.Chosen) {
	t.Helper()
	dir := collection.Dir(t.TempDir())
	if err := dir.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(dir.Index(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := readback.New(dir, index)
	t.Cleanup(func() { files.Close(); index.Close() })
	file, err := index.AddFile("a.warc")
	if err != nil {
		t.Fatal(err)
	}
	block := "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\n\r\n"
	head := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/\r\n"+
		"WARC-Date: 2026-03-04T05:06:07Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"+
		"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s", int64(len(block))+size, block)
	whole := int64(len(head)) + size + int64(len("\r\n\r\n"))
	path := dir.WARC("a.warc")
	if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte("\r\n\r\n"), whole-4)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	file.Committed, file.Sealed = whole, true
	if err := index.NoteFiles([]store.File{file}); err != nil {
		t.Fatal(err)
	}
	c := store.Capture{URL: "http://example.com/", URLKey: "com,example)/", Time: begun}
	c.Location = store.Location{File: "a.warc", Length: whole}
	return files, &selection.Chosen{Capture: c}
}
