package wayback

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"warcorder/store"
)

// exported are the lines that export writes now.
func (r *recording) exported() string {
	r.t.Helper()
	var out bytes.Buffer
	if _, err := r.rec.Index().Export(&out, store.Query{}, nil); err != nil {
		r.t.Fatal(err)
	}
	return out.String()
}

const part = "HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\nContent-Range: bytes 0-1/9\r\n" +
	"Content-Length: 2\r\n\r\npa"

// TestLines: all lines come, with their length.
func TestLines(t *testing.T) {
	r := record(t, "news", nil)
	for n := range 20 {
		r.commit(fmt.Sprintf("http://example.com/%d", n), page+strings.Repeat("text ", n), float64(n))
	}
	r.serve()
	want := r.exported()
	for _, path := range []string{"/warc/index.cdxj", "/news/warc/index.cdxj"} {
		got := r.ask("GET " + path)
		if got.StatusCode != 200 || got.body != want || got.ContentLength != int64(len(want)) ||
			got.Header.Get("Content-Type") != "text/x-cdxj" {
			t.Errorf("%s: %s %v, %d bytes of %d", path, got.Status, got.Header, len(got.body), len(want))
		}
		if head := r.ask("HEAD " + path); head.ContentLength != int64(len(want)) || head.body != "" {
			t.Errorf("HEAD: %s %v", head.Status, head.Header)
		}
	}
}

// TestLinesBetween: what is committed between the two walks is in neither, also where it would
// leave out lines that the first walk has counted.
func TestLinesBetween(t *testing.T) {
	r := record(t, "news", nil)
	r.commit("http://example.com/film", part, 0)
	r.commit("http://example.com/m", page+"middle", 1)
	index := r.rec.Index()
	want := r.exported()
	if strings.Count(want, "\n") != 2 {
		t.Fatal(want)
	}
	query, err := allUntilNow(index)
	if err != nil {
		t.Fatal(err)
	}
	r.commit("http://example.com/film", "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 9\r\n\r\n123456789", 2)
	r.commit("http://example.com/a", page+"before", 3)
	r.commit("http://example.com/m", page+"beside", 1)
	r.commit("http://example.com/z", page+"behind", 3)
	if now := r.exported(); strings.Contains(now, `"206"`) || strings.Count(now, "\n") != 5 {
		t.Fatalf("the whole does not hide the part: %s", now)
	}
	w := httptest.NewRecorder()
	a := answering{w: w, r: httptest.NewRequest(http.MethodGet, "/", nil)}
	a.write(r.rec.Index(), query, int64(len(want)))
	if got := w.Body.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("another length than was said does not break the answer off")
		}
	}()
	a.w = httptest.NewRecorder()
	a.write(r.rec.Index(), query, int64(len(want))+1)
}

// TestLinesMeanwhile: while it is recorded each answer is whole, sorted, and as long as it says.
func TestLinesMeanwhile(t *testing.T) {
	r := record(t, "news", nil).serve()
	ended := make(chan struct{})
	var readers sync.WaitGroup
	answers := 0
	readers.Go(func() {
		for last := 0; ; answers++ {
			res, err := http.Get(r.server.URL + "/warc/index.cdxj")
			if err != nil {
				t.Error(err)
				return
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
			if err != nil || res.StatusCode != 200 || res.ContentLength != int64(len(body)) ||
				!slices.IsSorted(lines) || len(body) > 0 && body[len(body)-1] != '\n' || len(lines) < last {
				t.Errorf("%s, %d bytes of %d, %d lines after %d, %v", res.Status, len(body),
					res.ContentLength, len(lines), last, err)
			}
			if last = len(lines); len(body) == 0 {
				last = 0
			}
			select {
			case <-ended:
				return
			default:
			}
		}
	})
	for n := range 60 {
		r.commit(fmt.Sprintf("http://example.com/%d", n*7919%60), page+strings.Repeat("text ", n), float64(n))
	}
	close(ended)
	readers.Wait()
	if answers == 0 {
		t.Error("nothing was read meanwhile")
	}
}
