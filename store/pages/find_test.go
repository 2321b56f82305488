package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// names are the pages that are found by a URL: the ends of their URLs, each with the ends of the URLs
// that have led to it.
func names(t *testing.T, p *Pages, url string) string {
	t.Helper()
	found, err := p.Find(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, page := range found {
		fmt.Fprint(&b, page.URL)
		for _, led := range page.Led {
			fmt.Fprint(&b, " < ", led)
		}
		fmt.Fprint(&b, ", ")
	}
	return strings.ReplaceAll(b.String(), "a.example", "a")
}

func moved(to string) string {
	return "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n"
}

// TestFindRedirected: a page is found by each URL that has led to it, through others too, however that is
// spelt, and by no other: not where something else than a GET was led on, or a part of a page.
func TestFindRedirected(t *testing.T) {
	const site = "https://a.example"
	html := answer("200 OK", "text/html", "text")
	frame := "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\nReferer: " + site + "/p\r\n"
	p, _ := recorded(t, []visit{
		{"GET", "http://a.example/typed", toPage, "", moved(site + "/typed")},
		{"GET", site + "/typed", toPage, "", moved("/p")},
		{"GET", site + "/p", toPage, "", html},
		{"GET", site + "/framed", frame, "", moved("/in")},
		{"GET", site + "/in", frame, "", html},
		{"GET", site + "/form", toPage, "", html},
		{"POST", site + "/form", toPage + "Content-Type: text/plain\r\n", "sent", moved("/thanks")},
		{"GET", site + "/thanks", toPage, "", html},
		{"GET", site + "/typed", toPage, "", html},
		{"GET", site + "/pic", "Referer: " + site + "/typed\r\n", "", moved("/pic.png")},
		{"GET", site + "/pic.png", "Referer: " + site + "/typed\r\n", "", answer("200 OK", "image/png", "i")},
		{"GET", site + "/nowhere", toPage, "", moved("https://b.example/")},
	})
	for url, want := range map[string]string{
		site + "/typed":          "https://a/p < https://a/typed < http://a/typed, https://a/typed, ",
		"http://A.example/typed": "https://a/p < https://a/typed < http://a/typed, https://a/typed, ",
		site + "/p":              "https://a/p, ",
		site + "/form":           "https://a/form, ",
		site + "/thanks":         "https://a/thanks, ",
		site + "/framed":         "",
		site + "/in":             "",
		site + "/pic":            "",
		site + "/nowhere":        "",
	} {
		if got := names(t, p, url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil || page.Led != nil {
			t.Errorf("%+v, %v", page, err)
		}
	}
}

// TestFindLongRedirect: URLs of which the index has the beginning alone are told apart.
func TestFindLongRedirect(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("long", 3000)
	html := answer("200 OK", "text/html", "text")
	p, _ := recorded(t, []visit{
		{"GET", long + "/1", toPage, "", moved("/1")},
		{"GET", "https://a.example/1", toPage, "", html},
		{"GET", long + "/2", toPage, "", moved("/2")},
		{"GET", "https://a.example/2", toPage, "", html},
	})
	for _, n := range []string{"/1", "/2"} {
		if got := names(t, p, long+n); !strings.HasPrefix(got, "https://a"+n+" < ") || strings.Count(got, ",") != 1 {
			t.Errorf("%s: %.200s", n, got)
		}
	}
}

// TestFindWalksAround: pages of a URL are found once each wherever pauses lie, and what lies between
// pauses without it is not walked through.
func TestFindWalksAround(t *testing.T) {
	const site = "https://a.example"
	html := answer("200 OK", "text/html", "text")
	minutes := []int{0, 60, 121, 300, 301, 420, 500}
	p, _ := recordedAt(t, []visit{
		{"GET", site + "/p", toPage, "", html},
		{"GET", site + "/p", toPage, "", html},
		{"GET", site + "/p", toPage, "", html},
		{"GET", site + "/q", toPage, "", html},
		{"GET", site + "/q", toPage, "", html},
		{"GET", site + "/q", toPage, "", html},
		{"GET", site + "/p", toPage, "", html},
	}, func(i int) time.Duration { return time.Duration(minutes[i]) * time.Minute })
	at := func(n int) time.Time { return testTime.Add(time.Duration(minutes[n]) * time.Minute) }
	found, err := p.Find(t.Context(), site+"/p")
	if err != nil || len(found) != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	for i, n := range []int{0, 1, 2, 6} {
		if !found[i].Time.Equal(at(n)) {
			t.Errorf("page %d is of %v", i, found[i].Time)
		}
	}
	key, _ := canon.SURT(site + "/p")
	f := finder{Pages: p, key: key, each: func(Page) {}}
	defer f.stop()
	for _, test := range []struct{ visit, now int }{{0, 1}, {1, 2}, {2, 3}, {6, 6}} {
		before := f.w
		f.visit(t.Context(), at(test.visit))
		if !f.w.now.Equal(at(test.now)) || f.err != nil {
			t.Errorf("a visit in minute %d: walked to %v, %v", minutes[test.visit], f.w.now, f.err)
		}
		if leapt := before != f.w; leapt != (test.visit == 0 || test.visit == 6) {
			t.Errorf("a visit in minute %d: begun anew is %t", minutes[test.visit], leapt)
		}
	}
}

// TestMayBeOf: nothing is to be walked through once all pages from before a time have ended, and nothing
// waits for what may be one.
func TestMayBeOf(t *testing.T) {
	page := store.Visit{Dest: store.DestDocument, Traits: store.Told | store.Navigates}
	w, n := newWalk(), 0
	add := func(after time.Duration, v store.Visit) {
		n++
		w.add(&store.Moment{URL: store.URLHash(n)<<32 | 1, Time: testTime.Add(after), Visit: v}, nil)
	}
	is := func(when string, want bool) {
		t.Helper()
		if w.mayBeOf(testTime) != want {
			t.Errorf("%s: %t", when, !want)
		}
	}
	is("at the beginning", true)
	add(-time.Second, store.Visit{Dest: store.DestLeaf})
	is("before the time", true)
	add(0, page)
	add(time.Second, page)
	is("a page is open", true)
	for i := range maxOpen {
		add(2*time.Second+time.Duration(i), page)
	}
	is("so many have come that it has ended", false)

	w = newWalk()
	add(0, store.Visit{Dest: page.Dest, Traits: page.Traits, Next: 7})
	add(time.Second, store.Visit{Dest: store.DestLeaf})
	is("a redirect waits", true)
	add(2*redirectWithin, store.Visit{Dest: store.DestLeaf})
	is("it has led to nothing", false)
}
