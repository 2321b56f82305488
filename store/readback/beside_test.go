package readback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/warc"
)

// pageOf is what the page of that number holds: every third is a film that is written as it comes.
func pageOf(n int) string {
	size := 100 + 997*n%5000
	if n%3 == 0 {
		size += 300 << 10
	}
	return strings.Repeat(fmt.Sprintf("page %d ", n), size/7)
}

// TestBesideRecorder reads all that is found, from several goroutines, while a recorder appends to
// its files, finishes them and begins others.
func TestBesideRecorder(t *testing.T) {
	r := record(t, func(cfg *recorder.Config) {
		cfg.WARCMaxSize = 200 << 10
		cfg.Dedup.MinSize = 64
	})
	const pages = 60
	url := func(n int) string { return fmt.Sprintf("http://example.com/%d", n) }
	var readers sync.WaitGroup
	for from := range 4 {
		readers.Go(func() {
			for n := from; n < pages; n++ {
				body := pageOf(n)
				for found := false; !found; {
					err := r.files.index.Captures(store.Query{URL: url(n)}, func(c *store.Capture) bool {
						found = true
						if err := checkPage(r.files, c, body); err != nil {
							t.Error(err)
						}
						return true
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for n := range pages {
		r.commit(url(n), "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"+pageOf(n), nil)
		if n%10 == 9 { // the same again, which becomes a revisit
			r.commit(url(n-5), "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"+pageOf(n-5), nil)
		}
	}
	readers.Wait()
	if names, _ := filepath.Glob(r.dir.WARC("*")); len(names) < 3 {
		t.Errorf("files %q: none was finished meanwhile", names)
	}
}

// checkPage reads a page and its request.
func checkPage(f *Files, c *store.Capture, want string) error {
	response, err := f.Response(c)
	if err != nil {
		return err
	}
	defer response.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != want {
		return fmt.Errorf("%s: %d bytes, want %d, %w", c.URL, len(body), len(want), err)
	}
	request, err := f.Request(c)
	if err != nil {
		return err
	}
	defer request.Close()
	if string(request.Head) != getRequest {
		return fmt.Errorf("%s: request %q", c.URL, request.Head)
	}
	return nil
}

// TestUncommitted: what is in a file, and not in the index, does not exist.
func TestUncommitted(t *testing.T) {
	r := record(t, nil)
	r.commit("http://example.com/a", "HTTP/1.1 200 OK\r\n\r\nhello", nil)
	c := r.wait("http://example.com/a", 1)[0]
	file, _, err := r.files.index.FileNow(c.File)
	if err != nil {
		t.Fatal(err)
	}
	committed := file.Committed
	f, err := os.OpenFile(r.dir.OpenWARC(c.File), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	member := warc.NewCompressor().Append(nil, [][]byte{
		[]byte("WARC/1.1\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n"), []byte(warc.RecordEnd)}, -1)
	if _, err := f.Write(member); err != nil {
		t.Fatal(err)
	}
	for _, at := range []store.Location{
		{File: c.File, Offset: committed, Length: int64(len(member))},
		{File: c.File, Offset: committed},
		{File: c.File, Offset: c.Offset, Length: committed - c.Offset + 1},
		{File: c.File, Offset: committed + 1<<40, Length: 10},
		{File: c.File, Offset: 1<<63 - 1, Length: 1<<63 - 1},
		{File: c.File, Offset: -1, Length: 10},
		{File: c.File, Offset: 0, Length: -1},
		{File: "other.warc.gz", Offset: 0, Length: 10},
	} {
		record, err := r.files.Record(at)
		if !errors.Is(err, ErrUncommitted) || !strings.Contains(err.Error(), at.File) {
			t.Errorf("%+v: %v, %v", at, record, err)
		}
	}
	// the last record that is committed ends there, whatever follows
	last, err := r.files.Record(store.Location{File: c.File, Offset: c.Offset})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = last.next()
	}
	if !errors.Is(err, io.EOF) || last.record.Offset+last.record.Length != committed {
		t.Errorf("the last record ends at %d of %d, %v", last.record.Offset+last.record.Length, committed,
			err)
	}
	last.Close()
}

// TestClosed: what was closed gives nothing of what others read with its buffers.
func TestClosed(t *testing.T) {
	r := record(t, nil)
	for _, name := range []string{"a", "b"} {
		r.commit("http://example.com/"+name, "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat(name, 100<<10), nil)
	}
	a, b := r.wait("http://example.com/a", 1)[0], r.wait("http://example.com/b", 1)[0]
	first, err := r.files.Response(&a)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	first.Close()
	second, err := r.files.Response(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if n, err := first.Body.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := first.Section(context.Background(), 10, 10); err == nil {
		t.Error("a section")
	}
	if body := all(t, second.Body); body != strings.Repeat("b", 100<<10) {
		t.Errorf("%.100q", body)
	}
}

// TestReplacedFile: a file in whose place another was put is opened anew; files that are read when
// they are crowded out stay open until then.
func TestReplacedFile(t *testing.T) {
	r := record(t, func(cfg *recorder.Config) { cfg.WARCMaxSize = 1 })
	n := mostOpen + 10
	for i := range n {
		r.commit(fmt.Sprintf("http://example.com/%d", i), "HTTP/1.1 200 OK\r\n\r\n"+pageOf(i), nil)
	}
	r.wait(fmt.Sprintf("http://example.com/%d", n-1), 1)
	r.rest()
	var held []*Response
	for i := range n {
		c := r.wait(fmt.Sprintf("http://example.com/%d", i), 1)[0]
		if err := checkPage(r.files, &c, pageOf(i)); err != nil {
			t.Error(err)
		}
		path := r.dir.WARC(c.File)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(path+".copy", content, 0o600), os.Truncate(path, 0),
			os.Rename(path+".copy", path)); err != nil {
			t.Fatal(err)
		}
		if err := checkPage(r.files, &c, pageOf(i)); err != nil {
			t.Errorf("another file with the same bytes: %v", err)
		}
		response, err := r.files.Response(&c)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, response)
	}
	for i, response := range held {
		if body := all(t, response.Body); body != pageOf(i) {
			t.Errorf("%d: %d bytes", i, len(body))
		}
		response.Close()
	}
	if r.files.opened.Len() > mostOpen {
		t.Errorf("%d files are open", r.files.opened.Len())
	}
}

// TestIdleFiles: what nobody reads does not stay open, and its space is free once it is removed; what
// somebody reads stays.
func TestIdleFiles(t *testing.T) {
	r := record(t, nil)
	r.commit("http://example.com/", "HTTP/1.1 200 OK\r\n\r\n"+pageOf(1), nil)
	c := r.wait("http://example.com/", 1)[0]
	r.rest()
	response, err := r.files.Response(&c)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r.files.sweep()
	}
	if body := all(t, response.Body); body != pageOf(1) || r.files.opened.Len() != 1 {
		t.Errorf("%d bytes, %d files are open", len(body), r.files.opened.Len())
	}
	response.Close()
	r.files.sweep()
	if r.files.opened.Len() != 0 || r.files.sweeper != nil {
		t.Errorf("%d files are open", r.files.opened.Len())
	}
	if err := checkPage(r.files, &c, pageOf(1)); err != nil || r.files.sweeper == nil {
		t.Errorf("it is read again: %v", err)
	}
	r.files.sweep() // it was used since
	if r.files.opened.Len() != 1 {
		t.Errorf("%d files are open", r.files.opened.Len())
	}
}
