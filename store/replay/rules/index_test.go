package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// newIndex returns an index of what was asked, one capture each, a second apart.
func newIndex(t testing.TB, asked []Asked) *store.Bolt {
	t.Helper()
	index, err := store.Open(filepath.Join(t.TempDir(), "index.bolt"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := index.AddFile("w.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	captures := make([]store.Capture, len(asked))
	for i := range asked {
		captures[i] = *asCapture(&asked[i])
		captures[i].Time = time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC)
		captures[i].Location = store.Location{File: file.Name, Offset: int64(i), Length: 1}
	}
	file.Committed = int64(len(asked))
	if err := index.Commit(captures, []store.File{file}); err != nil {
		t.Fatal(err)
	}
	return index
}

// lookUp returns the numbers of the captures that fit, of the first search that finds any, and
// which search that is.
func lookUp(t testing.TB, s *Set, index *store.Bolt, a *Asked) (found []int, rule string) {
	t.Helper()
	for _, search := range s.For(a) {
		add := func(c *store.Capture) bool {
			if search.Fits(c) {
				found = append(found, int(c.Offset))
			}
			return true
		}
		var err error
		if search.Exact {
			err = index.Nearest(store.URLKey, search.Prefix, time.Time{}, 1000, add)
		} else {
			_, err = index.UnderWithBodies(search.Prefix, 100_000, add)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return found, search.Rule
		}
	}
	return nil, ""
}

func form(url, body string) Asked {
	return Asked{Method: "POST", URL: url, ContentType: "application/x-www-form-urlencoded",
		Body: []byte(body)}
}

// posts has two pages of Web Forms with a state of 50 KB before all else: what pywb has in a URL
// key is cut long before they differ. And GraphQL, with a query of 10 KB before its variables.
func posts() []Asked {
	const page = "https://a.example/d.aspx"
	state := func(c string) string {
		return "__VIEWSTATE=" + strings.Repeat(c, 50_000) + "&__EVENTVALIDATION=" + c
	}
	graphQL := func(id, after string) Asked {
		return Asked{Method: "POST", URL: "https://a.example/graphql", ContentType: "application/json",
			Body: fmt.Appendf(nil, `{"requestId":"%s","query":"%s","variables":{"after":"%s"}}`, id,
				strings.Repeat("query { a } ", 900), after)}
	}
	return []Asked{
		form(page, state("A")+"&__EVENTTARGET=next"),
		form(page, state("A")+"&__EVENTTARGET=last"),
		form(page, "__EVENTTARGET=first&"+state("A")),
		graphQL("aa11bb22", "1"),
		graphQL("aa11bb22", "2"),
		form(page+"?lang=de", state("A")+"&__EVENTTARGET=next"),
	}
}

// TestLongBodies: what a rule leaves out of a body does not hide what comes behind it, however long
// it is.
func TestLongBodies(t *testing.T) {
	captured := posts()
	index := newIndex(t, captured)
	for i, a := range captured {
		body := strings.NewReplacer("AAAA", "Bb/+", "bb22", "cc33").Replace(string(a.Body))
		if strings.HasSuffix(body, "next") { // and a shorter state
			body = strings.ReplaceAll(body, "Bb/+Bb/+", "B")
		}
		a.Body = []byte(body)
		found, rule := lookUp(t, Shipped(), index, &a)
		if len(found) != 1 || found[0] != i {
			t.Errorf("%d: %v, by %q", i, found, rule)
		}
	}
	short := form("https://a.example/d.aspx", "__VIEWSTATE=B&__EVENTVALIDATION=B&__EVENTTARGET=next")
	if found, _ := lookUp(t, Shipped(), index, &short); len(found) != 1 || found[0] != 0 {
		t.Errorf("with a short state: %v", found)
	}
	for _, a := range []Asked{
		form("https://a.example/d.aspx", "__VIEWSTATE=B&__EVENTTARGET=other"),
		form("https://a.example/other.aspx", "__VIEWSTATE=B&__EVENTTARGET=next"),
		form("https://a.example/d.aspx?lang=fr", "__VIEWSTATE=B&__EVENTTARGET=next"),
		{Method: "PUT", URL: "https://a.example/d.aspx", ContentType: captured[0].ContentType,
			Body: []byte("__VIEWSTATE=B&__EVENTTARGET=next")},
	} {
		if found, rule := lookUp(t, Shipped(), index, &a); found != nil {
			t.Errorf("%s %s: %v, by %q", a.Method, a.Body, found, rule)
		}
	}
}

// TestInIndex looks in an index for what is asked with other chance, and for what was never there.
func TestInIndex(t *testing.T) {
	gets := func(urls ...string) (all []Asked) {
		for _, url := range urls {
			all = append(all, Asked{Method: "GET", URL: url})
		}
		return all
	}
	index := newIndex(t, gets(
		"https://a.example/feed?page=1&_=1690000000000",
		"https://a.example/feed?page=2&_=1690000000001",
		"https://a.example/feed/more?page=2&_=1690000000001",
		"https://www.a.example/story?utm_source=x",
		"https://a.example/item?Id=Ab&ts=1690000000",
		"https://a.example/plain",
		"https://rr1---sn-a.googlevideo.com/videoplayback?id=o-Aa&itag=243&rn=1&range=0-99",
		"https://a.example/shop;jsessionid=11/cart?a=1",
		"https://vod.example/exp=1700000000~hmac=aa/1/seg-2.ts",
		"https://a.example/both?a=1&_=1690000000000&csrf_token=x",
		"https://a.example:8443/feed?page=9&_=1690000000000",
	))
	for _, c := range []struct {
		url, rule string
		want      int // -1: nothing
	}{
		{"https://a.example/feed?page=1&_=1712345678901", "jquery-cache", 0},
		{"https://a.example/feed?_=1712345678901&page=2", "jquery-cache", 1},
		{"https://a.example/feed?page=3&_=1712345678901", "", -1},
		{"https://a.example/feed?page=1", "", -1},
		{"https://a.example/feed/more?page=2&_=1712345678901", "jquery-cache", 2},
		{"https://a.example/story", "campaign+shopify", 3},
		{"https://a.example/story?fbclid=7", "campaign", 3},
		{"http://a.example/story?fbclid=7", "campaign", 3},
		{"https://a.example/item?Id=Ab&ts=1712345678", "clock", 4},
		{"https://a.example/item?Id=aB&ts=1712345678", "", -1},
		{"https://a.example/plain?_=1712345678901", "jquery-cache", 5},
		{"https://a.example/plain/?_=1712345678901", "", -1},
		{"https://rr9---sn-z.googlevideo.com/videoplayback?id=o-Aa&itag=243&rn=8&range=0-99",
			"youtube-media", 6},
		{"https://rr9---sn-z.googlevideo.com/videoplayback?id=o-Aa&itag=244&rn=8&range=0-99", "", -1},
		{"https://evil.example/videoplayback?id=o-Aa&itag=243&rn=8&range=0-99", "", -1},
		{"https://a.example/shop;jsessionid=22/cart?a=1", "visitor", 7},
		{"https://a.example/shop/cart?a=1", "", -1},
		{"https://vod.example/exp=1800000000~hmac=bb/1/seg-2.ts", "signed-path", 8},
		{"https://vod.example/exp=1800000000~hmac=bb/1/seg-3.ts", "", -1},
		{"https://a.example/both?a=1&_=1712345678901&csrf_token=yy", "csrf+jquery-cache", 9},
		{"https://a.example:8443/feed?page=9&_=1712345678901", "jquery-cache", 10},
		{"https://a.example/feed?page=9&_=1712345678901", "", -1},
	} {
		found, rule := lookUp(t, Shipped(), index, &Asked{Method: "GET", URL: c.url})
		if c.want < 0 && len(found) == 0 {
			continue
		}
		if len(found) != 1 || found[0] != c.want || rule != c.rule {
			t.Errorf("%s: %v by %q, want %d by %q", c.url, found, rule, c.want, c.rule)
		}
	}
}

// TestPrefix: what fits lies under the prefix, whichever argument is left out, and wherever it
// sorts.
func TestPrefix(t *testing.T) {
	own, err := Parse([]byte(`[{name: own, query: {k: any, "p*": any}, body: {k: any, "p*": any}}]`))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"0", "A", "__wa", "__wc", "_", "j", "K", "l", "px", "z"}
	for i := range 1 << len(names) {
		var asked, captured []string
		for j, name := range names {
			if i&(1<<j) == 0 {
				continue
			}
			value := "=1"
			if chance := name == "K" || name == "px"; chance {
				value = "=2"
			}
			asked, captured = append(asked, name+"=1"), append(captured, name+value)
		}
		a, c := strings.Join(asked, "&"), strings.Join(captured, "&")
		get := Asked{Method: "GET", URL: "http://a.example/x?" + a}
		for _, pair := range []pair{
			{get, {Method: "GET", URL: "http://a.example/x?" + c}},
			{form("http://a.example/x?"+a, "b=1"), form("http://a.example/x?"+c, "b=1")},
			{form("http://a.example/x", a), form("http://a.example/x", c)},
			{form("http://a.example/x?y=1", a), form("http://a.example/x?y=1", c)},
			{form("http://a.example/x?c=1", reversed(a)), form("http://a.example/x?c=1", reversed(c))},
		} {
			if strings.Contains(c, "2") && own.find(&pair[0], &pair[1]) != "own" {
				t.Fatalf("%s %s %s: not found", pair[0].Method, pair[0].URL, pair[0].Body)
			}
		}
		want := strings.Contains(c, "2")
		if got := len(own.For(&get)) > 0; got != want {
			t.Fatalf("%s: searched for: %v", a, got)
		}
	}
}

func reversed(query string) string {
	args := strings.Split(query, "&")
	slices.Reverse(args)
	return strings.Join(args, "&")
}

// BenchmarkFits is a miss on a path with 20,000 captures: each is looked at.
func BenchmarkFits(b *testing.B) {
	captures := make([]*store.Capture, 20_000)
	for i := range captures {
		captures[i] = asCapture(&Asked{Method: "GET",
			URL: fmt.Sprintf("https://a.example/feed?page=%d&_=16900000%05d&utm_source=x", i, i)})
	}
	set := Shipped()
	b.ReportAllocs()
	for b.Loop() {
		a := Asked{Method: "GET", URL: "https://a.example/feed?page=x&_=1712345678901"}
		for _, s := range set.For(&a) {
			for _, c := range captures {
				if s.Fits(c) {
					b.Fatal("found")
				}
			}
		}
	}
}

// BenchmarkMiss is the same with the index.
func BenchmarkMiss(b *testing.B) {
	var all []Asked
	for i := range 20_000 {
		all = append(all, Asked{Method: "GET",
			URL: fmt.Sprintf("https://a.example/feed?page=%d&_=16900000%05d", i, i)})
	}
	index, set := newIndex(b, all), Shipped()
	for b.Loop() {
		a := Asked{Method: "GET", URL: "https://a.example/feed?page=x&_=1712345678901"}
		if found, _ := lookUp(b, set, index, &a); found != nil {
			b.Fatal("found")
		}
	}
}

// BenchmarkFor is what a request costs that has nothing to leave out.
func BenchmarkFor(b *testing.B) {
	set := Shipped()
	a := Asked{Method: "GET", URL: "https://a.example/feed/2026/01?page=2&size=10"}
	b.ReportAllocs()
	for b.Loop() {
		set.For(&a)
	}
}
