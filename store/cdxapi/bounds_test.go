package cdxapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"warcorder/store"
)

// small are bounds that a small index reaches.
var small = bounds{looked: 1000, kept: 100, bytes: 1 << 20, digests: 100, block: 50, places: 4 << 20}

// slice is more than store looks at in one transaction.
const slice = 4200

// numbered are captures of so many URLs of a host, a second apart.
func numbered(n int) (all []store.Capture) {
	for i := range n {
		all = append(all, captureOf(fmt.Sprintf("http://a.example/%06d", i), i, "text/html", 200, "A"))
	}
	return all
}

// repeated are captures of one URL, a second apart.
func repeated(n int) (all []store.Capture) {
	for i := range n {
		all = append(all, captureOf("http://a.example/", i, "text/html", 200, "A"))
	}
	return all
}

// TestLooksAtFew: what an answer needs is looked at, and no more: the captures that are looked at are
// counted, of very many of one URL.
func TestLooksAtFew(t *testing.T) {
	var looked atomic.Int64
	s := telling(t, newIndex(t, repeated(10_000)), usual,
		func(_ context.Context, n int) { looked.Add(int64(n)) })
	for _, test := range []struct {
		path  string
		lines int
		most  int64
	}{
		{"/cdx?url=a.example&closest=20261121070000&sort=closest&limit=100", 100, 300},
		{"/cdx?url=a.example&closest=20261121070000&limit=1", 1, 4},
		{"/cdx?url=a.example&sort=reverse&limit=1", 1, 4},
		{"/cdx?url=a.example&from=20261121081512&limit=1", 1, 64},
		{"/cdx?url=a.example&from=20261121081512&to=2026112108151", 8, 16},
		{"/cdx?url=a.example&sort=reverse&to=20261121081512&limit=10", 10, 40},
		{"/web/timemap/cdx?url=a.example&limit=-1", 1, 4},
		{"/cdx/search/cdx?url=a.example&limit=-100", 100, 300},
	} {
		looked.Store(0)
		status, body := ask(t, s, test.path)
		if got := strings.Count(body, "\n"); status != 200 || got != test.lines || looked.Load() > test.most {
			t.Errorf("%s: %d, %d lines, %d looked at", test.path, status, got, looked.Load())
		}
	}
}

// TestTooMuch: a query that finds nothing for too long, or asks for too much in another order, says
// what to do. It has looked at no more than the bound and a slice.
func TestTooMuch(t *testing.T) {
	var looked atomic.Int64
	s := telling(t, newIndex(t, numbered(6000)), small,
		func(_ context.Context, n int) { looked.Add(int64(n)) })
	for path, says := range map[string]string{
		"/cdx?url=a.example/*&filter==status:404":                       "page=",
		"/cdx?url=a.example/*&from=2027":                                "page=",
		"/cdx?url=a.example/*&filter==status:404&sort=reverse":          "page=",
		"/cdx?url=a.example/*&collapseTime=4":                           "page=",
		"/cdx?url=a.example/*&closest=2026&limit=10":                    "page=",
		"/cdx?url=a.example/*&resolveRevisits=true&sort=reverse":        "page=",
		"/cdx?url=a.example/0000*&closest=2026&limit=1000":              "", // there are 100
		"/cdx?url=a.example/000*&closest=2026":                          "limit",
		"/cdx/search/cdx?url=a.example/*&limit=-101":                    "limit",
		"/cdx/search/cdx?url=a.example/*&collapse=statuscode":           "page=",
		"/cdx/search/cdx?url=a.example/*&limit=-1&filter=statuscode:40": "page=",
		"/cdx/search/cdx?url=a.example/*&offset=5999":                   "page=",
	} {
		looked.Store(0)
		status, body := ask(t, s, path)
		want := 400
		if says == "" {
			want = 200
		}
		if status != want || !strings.Contains(body, says) || looked.Load() > int64(small.looked+slice) {
			t.Errorf("%s: %d, %d looked at\n%.300s", path, status, looked.Load(), body)
		}
	}
}

// TestLongValue: of a value that is very long a filter reads the beginning, and each KiB counts as a
// capture that is looked at.
func TestLongValue(t *testing.T) {
	var captures []store.Capture
	for i := range 40 {
		captures = append(captures, captureOf(fmt.Sprintf("http://a.example/%d/%sz", i,
			strings.Repeat("x", 100_000)), i, "text/html", 200, "A"))
	}
	s := server(t, newIndex(t, captures), small)
	for path, want := range map[string]int{
		"/cdx?url=a.example/1/*&filter=url:xxx": 200, "/cdx?url=a.example/1/*&filter=url:xz": 200,
		"/cdx?url=a.example/*&filter=~url:.*(x*)*z": 400,
	} {
		if status, body := ask(t, s, path); status != want || strings.Contains(path, "xz") && body != "" {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
}

// TestBrokenOff: once lines have gone out, an answer that cannot go on never looks complete.
func TestBrokenOff(t *testing.T) {
	captures := numbered(6000)
	for i := range 500 {
		captures[i].MIME = "text/" + strings.Repeat("x", 300)
	}
	s := server(t, newIndex(t, captures), small)
	res, err := http.Get(s.URL + "/cdx?url=a.example/*&filter=mime:xxx")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) || len(body) < heldBack {
		t.Errorf("%d, %d bytes, %v", res.StatusCode, len(body), err)
	}
}

// TestResumeBeyondBounds: with a key to go on, what finds nothing for too long goes on with the next
// request, as often as it needs, and never looks at more than the bound and a slice at once.
func TestResumeBeyondBounds(t *testing.T) {
	captures := numbered(6000)
	captures[5_990].Status, captures[20].Status = 404, 404
	captures[5_991].Status = 404
	var looked atomic.Int64
	s := telling(t, newIndex(t, captures), small,
		func(_ context.Context, n int) { looked.Add(int64(n)) })
	for query, want := range map[string]string{
		"filter=statuscode:404": "20 5990 5991", "collapse=statuscode": "0 20 21 5990 5992",
	} {
		path := "/cdx/search/cdx?url=a.example/*&fl=offset&showResumeKey=true&" + query
		asked := 0
		got := resumed(t, path, func(path string) string {
			asked++
			looked.Store(0)
			status, body := ask(t, s, path)
			if status != 200 || looked.Load() > int64(small.looked+slice) {
				t.Fatalf("%s: %d, %d looked at, %s", path, status, looked.Load(), body)
			}
			return body
		})
		if lines := strings.Join(strings.Fields(got), " "); asked < 2 || lines != want {
			t.Errorf("%s, asked %d times: %q", query, asked, lines)
		}
	}
}

// TestGoneClient: the reading ends when nobody is there any more.
func TestGoneClient(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	var told atomic.Int64
	s := telling(t, newIndex(t, numbered(6000)), usual, func(ctx context.Context, _ int) {
		told.Add(1)
		leave()
		<-ctx.Done()
	})
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/cdx?url=a.example/*&filter==status:404", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(r); err == nil {
		res.Body.Close()
		t.Error("there is an answer")
	}
	s.Close() // waits for the handler
	if told.Load() != 1 {
		t.Errorf("it has gone on for %d transactions", told.Load())
	}
}

// TestSlowReader: while a client does not read, what is recorded is committed; the client then gets
// the rest.
func TestSlowReader(t *testing.T) {
	captures := numbered(3000)
	for i := range captures {
		captures[i].MIME = strings.Repeat("x", 2000)
	}
	b := newIndex(t, captures)
	s := server(t, b, usual)
	res, err := http.Get(s.URL + "/cdx?url=a.example/*")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for i := range 20 {
		c := captureOf(fmt.Sprintf("http://b.example/%d", i), 0, "text/html", 200, "B")
		file, _ := b.File("w.warc.gz")
		c.Location = store.Location{File: file.Name, Offset: file.Committed, Length: 1}
		file.Committed++
		if err := b.Commit([]store.Capture{c}, []store.File{file}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.Count(); n != 3020 || err != nil {
		t.Fatal(n, err)
	}
	body, err := io.ReadAll(res.Body)
	if got := strings.Count(string(body), "\n"); got != 3000 || err != nil {
		t.Errorf("%d lines, %v", got, err)
	}
}

// FuzzQuery: whatever is asked gets an answer, which has looked at no more than the bound and a slice.
func FuzzQuery(f *testing.F) {
	for _, query := range []string{"url=a.example/page", "url=*.a.example&closest=2026&filter=~status:2..",
		"url=a.example/*&page=0&output=json&resolveRevisits=1&sort=reverse", "url=a&collapse=urlkey:3&limit=-2",
		"url=a.example&showResumeKey=true&resumeKey=ZXhhbXBsZSxhKS8.1&limit=1&fl=original",
		"url=a.example/*&showResumeKey=true&resumeKey=ZXhhbXBsZSxhKS8.1..IHs&limit=2&collapse=digest", "url=%zz&;=&&",
		"url=a.example/page&method=POST&requestBody=a%3D1", "url=*&showNumPages=true&pageSize=2"} {
		f.Add(query)
	}
	looked := 0
	c := Collection{Index: func() *store.Bolt { return nil }}
	b := newIndex(f, some())
	c.Index = func() *store.Bolt { return b }
	var handlers []*handler
	for _, judge := range []judge{askedOfPywb, askedOfWayback, askedOfTimeMap} {
		h := newHandler(c, small, judge)
		h.told = func(_ context.Context, n int) { looked += n }
		handlers = append(handlers, h)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, h := range handlers {
			looked = 0
			w := httptest.NewRecorder()
			h.ServeHTTP(w, &http.Request{Method: "GET", Host: "x",
				URL: &url.URL{Path: "/web/timemap/json", RawQuery: query}})
			if w.Code != 200 && w.Code != 400 || looked > small.looked+slice {
				t.Errorf("%q: %d, %d looked at, %s", query, w.Code, looked, w.Body)
			}
		}
	})
}
