package calendar

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// filled is an index of captures of each URL, at the times.
func filled(t testing.TB, of map[string][]time.Time) *store.Bolt {
	t.Helper()
	b, err := store.Open(filepath.Join(t.TempDir(), "index.bolt"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	file, err := b.AddFile("w.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	var all []store.Capture
	for url, times := range of {
		key, _ := canon.SURT(url)
		for _, at := range times {
			all = append(all, store.Capture{URLKey: key, URL: url, Time: at, Status: 200, MIME: "text/html",
				Location: store.Location{File: file.Name, Offset: int64(len(all)), Length: 1}})
		}
	}
	if err := b.Commit(all, []store.File{{ID: file.ID, Committed: int64(len(all))}}); err != nil {
		t.Fatal(err)
	}
	return b
}

var start = time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)

// each returns so many times, so long one behind the other.
func each(n int, apart time.Duration) (all []time.Time) {
	for i := range n {
		all = append(all, start.Add(time.Duration(i)*apart))
	}
	return all
}

// TestOf: each way of matching, and a period.
func TestOf(t *testing.T) {
	b := filled(t, map[string][]time.Time{
		"https://example.com/a":     each(30, 4*time.Hour),
		"https://example.com/ab":    each(1, 0),
		"https://sub.example.com/a": {time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)},
		"https://example.org/":      each(1, 0),
	})
	for _, c := range []struct {
		q        store.Query
		captures int
		days     string
	}{
		{store.Query{URL: "https://example.com/a"}, 30,
			"map[2026-04-30:6 2026-05-01:6 2026-05-02:6 2026-05-03:6 2026-05-04:6]"},
		{store.Query{URL: "https://example.com/a", From: "20260501", To: "20260501"}, 6,
			"map[2026-05-01:6]"},
		{store.Query{URL: "https://example.com/a", Match: store.Prefix, To: "20260430"}, 7, "map[2026-04-30:7]"},
		{store.Query{URL: "https://example.com/", Match: store.Host, To: "20260430"}, 7, "map[2026-04-30:7]"},
		{store.Query{URL: "https://example.com/", Match: store.Domain, To: "20260430"}, 8,
			"map[1999-12-31:1 2026-04-30:7]"},
		{store.Query{URL: "https://none.example/"}, 0, "map[]"},
	} {
		got, err := Of(t.Context(), b, c.q)
		if err != nil || got.Captures != c.captures || fmt.Sprint(got.Days) != c.days || got.Cut ||
			len(got.More) > 0 || (got.First == nil) != (c.captures == 0) {
			t.Errorf("%+v: %+v, %v", c.q, got, err)
		}
	}
	got, err := Of(t.Context(), b, store.Query{URL: "https://example.com/a"})
	if err != nil || *got.Years["2026"] != [12]int{3: 6, 4: 24} || !got.First.Equal(start) ||
		!got.Last.Equal(start.Add(29*4*time.Hour)) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestManyADay: of a URL with many captures a day, every day is there, though few of them are looked at.
func TestManyADay(t *testing.T) {
	const days, aDay = 20, 1200
	b := filled(t, map[string][]time.Time{"https://example.com/": each(days*aDay, 24*time.Hour/aDay),
		"https://example.com/b": each(3, time.Hour)})
	small := bounds{looked: 12_000, aDay: 500, late: 50, rest: 4096}
	c, err := of(t.Context(), b, store.Query{URL: "https://example.com/"}, small)
	if err != nil || len(c.Days) != days || len(c.More) != days || c.Cut || !slices.IsSorted(c.More) {
		t.Errorf("%d days, %d of them full, cut %v, %v", len(c.Days), len(c.More), c.Cut, err)
	}
	if c.Days["2026-04-30"] != 500 || c.Days["2026-05-19"] < 50 || c.Days["2026-05-19"] > 500 {
		t.Errorf("%v", c.Days)
	}
}

// TestBound: no more is looked at than is allowed, by the length of a slice, whatever there is.
func TestBound(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("a", 3000)
	b := filled(t, map[string][]time.Time{"https://example.com/": each(6000, time.Hour),
		long: each(3000, time.Second)})
	for _, q := range []store.Query{
		{URL: "https://example.com/", Match: store.Domain},
		{URL: "https://example.com/"},
		{URL: long},
	} {
		got, err := of(t.Context(), b, q, bounds{looked: 1000, aDay: 500, late: 50, rest: 4096})
		if err != nil || !got.Cut || got.Captures > 1000+4096 {
			t.Errorf("%.40s %s: %d, cut %v, %v", q.URL, q.Match, got.Captures, got.Cut, err)
		}
	}
	if got, err := Of(t.Context(), b, store.Query{URL: long}); err != nil || got.Captures != 3000 ||
		len(got.More) > 0 {
		t.Errorf("of a long key: %d, %v, %v", got.Captures, got.More, err)
	}
}

// TestEnds: the last day of all has no day behind it, and the walk comes to its end.
func TestEnds(t *testing.T) {
	var last []time.Time
	for i := range 200 {
		last = append(last, time.Date(9999, 12, 31, 12, 0, i, 0, time.UTC))
	}
	last = append(last, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	b := filled(t, map[string][]time.Time{"https://example.com/": last})
	got, err := of(t.Context(), b, store.Query{URL: "https://example.com/"},
		bounds{looked: 10_000, aDay: 10, late: 5, rest: 4096})
	if err != nil || got.Captures != 11 || len(got.More) != 1 || got.Cut {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPage: the answer is JSON, an error too.
func TestPage(t *testing.T) {
	b := filled(t, map[string][]time.Time{"https://example.com/a": each(3, time.Hour)})
	page := Page(func(context.Context, store.Question) *store.Bolt { return b })
	ask := func(query string) (int, map[string]any) {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest("GET", "/live/calendar?"+query, nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(query, err)
		}
		return w.Code, got
	}
	code, got := ask("matchType=exact&url=" + url.QueryEscape("https://example.com/a"))
	if code != 200 || got["captures"] != 3.0 || got["first"] != "2026-04-30T00:00:00Z" || got["cut"] != false ||
		got["days"].(map[string]any)["2026-04-30"] != 3.0 || len(got["more"].([]any)) != 0 {
		t.Errorf("%d %v", code, got)
	}
	for query, want := range map[string]string{
		"":                                 "url is missing",
		"url=http://a/&matchType=any-body": "say exact, prefix, host, domain or ports",
		"url=http://a/&from=2026-05":       "say a time",
		"url=http://a/&limit=3":            "nothing that a calendar heeds",
		"url=http://a/&url=http://b/":      "say it once",
	} {
		if code, got := ask(query); code != 400 || !strings.Contains(got["error"].(string), want) {
			t.Errorf("%s: %d %v", query, code, got)
		}
	}
}
