package cdxapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"warcorder/store"
)

// TestPages: page after page has every capture once, though others come meanwhile.
func TestPages(t *testing.T) {
	b := newIndex(t, numbered(1234))
	s := server(t, b, small)
	if _, body := ask(t, s, "/cdx?url=a.example/*&showNumPages=true&pageSize=2"); body !=
		`{"pages":13,"pageSize":2,"blocks":25,"atMost":true}`+"\n" {
		t.Error(body)
	}
	if _, body := ask(t, s, "/cdx/search/cdx?url=a.example/*&showNumPages=true&pageSize=3"); body != "9\n" {
		t.Error(body)
	}
	var all strings.Builder
	for page := 0; ; page++ {
		status, body := ask(t, s, fmt.Sprintf("/cdx?url=a.example/*&output=text&fl=url&pageSize=2&page=%d", page))
		if status == 400 {
			break
		}
		all.WriteString(body)
		more := []store.Capture{captureOf(fmt.Sprintf("http://a.example/%06d/x", 1230-page*7), 0, "", 200, "A"),
			captureOf(fmt.Sprintf("http://a.example/000000/%d", page), 0, "", 200, "A")}
		file, _ := b.File("w.warc.gz")
		for i := range more {
			more[i].Location = store.Location{File: file.Name, Offset: file.Committed, Length: 1}
			file.Committed++
		}
		if err := b.Commit(more, []store.File{file}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for line := range strings.Lines(all.String()) {
		seen[strings.TrimSpace(line)]++
	}
	for _, c := range numbered(1234) {
		if seen[c.URL] != 1 {
			t.Fatalf("%s came %d times", c.URL, seen[c.URL])
		}
	}
}

// TestLastPage: whoever asks for pages until there is none has every capture once, though others come
// behind the last page once it has been given.
func TestLastPage(t *testing.T) {
	captures := numbered(400)
	b := newIndex(t, captures[:120])
	s := server(t, b, small)
	all := ""
	for page := range 4 {
		status, body := ask(t, s, fmt.Sprintf(
			"/cdx/search/cdx?url=a.example/*&fl=original&pageSize=1&page=%d", page))
		if all += body; status != 200 {
			t.Fatal(status, body)
		}
		if page == 2 {
			add(t, b, captures[120:])
		}
	}
	if lines := strings.Fields(all); len(lines) != 120 {
		t.Errorf("%d lines", len(lines))
	}
	if _, body := ask(t, s, "/cdx/search/cdx?url=a.example/*&pageSize=1&page=2"); strings.Count(body, "\n") != 300 {
		t.Errorf("the last page has %d lines", strings.Count(body, "\n"))
	}
}

// TestManyPages: to tell how many pages there are, or where one is, no more is looked at than by a
// query. The number is never too small; pages behind the last one are empty, and all others together
// have every capture once.
func TestManyPages(t *testing.T) {
	captures := numbered(6000)
	for i := range 2000 {
		captures = append(captures, captureOf(fmt.Sprintf("http://b.example/%d", i), i, "text/html", 200, "B"))
	}
	var looked atomic.Int64
	s := telling(t, newIndex(t, captures), small, func(_ context.Context, n int) { looked.Add(int64(n)) })
	const path = "/cdx?url=a.example/*&output=text&fl=url&pageSize=2"
	var told counted
	for range 2 {
		looked.Store(0)
		_, body := ask(t, s, path+"&showNumPages=true")
		if err := json.Unmarshal([]byte(body), &told); err != nil || looked.Load() > int64(small.looked) {
			t.Fatal(err, body, looked.Load())
		}
	}
	if told != (counted{Pages: 80, PageSize: 2, Blocks: 160, AtMost: true}) || looked.Load() != 0 {
		t.Errorf("told %+v, %d looked at the second time", told, looked.Load())
	}
	const last = 59 // that has any
	asked := 0
	for status := 0; status != http.StatusOK && asked < 10; asked++ {
		looked.Store(0)
		res, err := http.Get(fmt.Sprintf("%s%s&page=%d", s.URL, path, last))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		status = res.StatusCode
		if again := res.Header.Get("Retry-After") != ""; again != (status == 503) || looked.Load() > 1200 {
			t.Fatal(res.Status, looked.Load())
		}
	}
	if asked < 5 || asked > 6 {
		t.Errorf("the last page was asked for %d times", asked)
	}
	var lines []string
	for page := range told.Pages {
		status, body := ask(t, s, fmt.Sprintf("%s&page=%d", path, page))
		if lines = append(lines, strings.Fields(body)...); status != 200 || (page > last) != (body == "") {
			t.Fatal(page, status, len(body))
		}
	}
	if slices.Sort(lines); len(slices.Compact(lines)) != 6000 || len(lines) != 6000 {
		t.Errorf("%d lines", len(lines))
	}
	if status, body := ask(t, s, path+"&page=80"); status != 400 || !strings.Contains(body, "is 79") {
		t.Error(status, body)
	}
	if _, body := ask(t, s, path+"&showNumPages=true"); body != `{"pages":60,"pageSize":2,"blocks":120}`+"\n" {
		t.Error(body)
	}
	if _, body := ask(t, s, "/cdx/search/cdx?url=*.b.example&showNumPages=true"); body != "16\n" {
		t.Error(body) // 50 blocks more than are there
	}
}

// TestPagesInOrder: whoever asks for one page after another never waits. Very many captures of one second
// are one page, which is counted bit by bit, and streams.
func TestPagesInOrder(t *testing.T) {
	captures := numbered(4000)
	for range 12_000 {
		captures = append(captures, captureOf("http://a.example/b", 0, "text/html", 200, "B"))
	}
	limits := small
	limits.looked = 5000
	var looked atomic.Int64
	s := telling(t, newIndex(t, captures), limits, func(_ context.Context, n int) { looked.Add(int64(n)) })
	lines, again := 0, 0
	for page := 0; ; {
		looked.Store(0)
		status, body := ask(t, s, fmt.Sprintf("/cdx?url=a.example/*&output=text&fl=url&pageSize=2&page=%d", page))
		if status == 400 {
			break
		}
		if page < 40 && (status != 200 || looked.Load() > 5300) || page >= 40 && status == 503 && looked.Load() > 5100 {
			t.Fatal(page, status, looked.Load())
		}
		if status == 503 {
			again++
			continue
		}
		lines += strings.Count(body, "\n")
		page++
	}
	if lines != 16_000 || again != 2 {
		t.Errorf("%d lines, and %d times one was to ask again", lines, again)
	}
}
