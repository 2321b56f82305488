package visiting

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// site links each page to some others.
var site = map[string][]string{
	"https://a.example/": {"https://a.example/1", "https://a.example/1#top", "https://www.a.example/2",
		"http://A.example:8080/3", "https://b.example/", "https://sub.a.example/", "javascript:alert(1)",
		"data:text/html,x", "mailto:x@a.example", "https://", "", "http://a.example.evil.example/",
		"https://a.example@evil.example/", "https://a.example/"},
	"https://a.example/1":     {"https://a.example/4", "https://a.example/"},
	"https://www.a.example/2": {"https://a.example/4"},
	"https://a.example/4":     {"https://a.example/5"},
	"https://b.example/":      {"https://c.example/"},
}

// walk visits all that a frontier gives.
func walk(f *Frontier) (visited []string) {
	for {
		stop, ok := f.Next()
		if !ok {
			return visited
		}
		visited = append(visited, stop.URL)
		f.Found(stop, site[stop.URL])
	}
}

// TestFrontier: each page once, the nearest first, and none of another host unless that is wished.
func TestFrontier(t *testing.T) {
	for name, c := range map[string]struct {
		pages       []string
		depth, most int
		external    bool
		want        string
		leftOver    bool
	}{
		"the page alone": {[]string{"https://a.example/"}, 0, 9, false, "https://a.example/", false},
		"given twice": {[]string{"https://a.example/#x", "https://a.example/"}, 0, 9, false,
			"https://a.example/", false},
		"routes are pages, anchors are none": {[]string{"https://a.example/#/x", "https://a.example/#!y",
			"https://a.example/#z"}, 0, 9, false,
			"https://a.example/#/x https://a.example/#!y https://a.example/", false},
		"links": {[]string{"https://a.example/"}, 1, 9, false,
			"https://a.example/ https://a.example/1 https://www.a.example/2 http://A.example:8080/3", false},
		"links of links": {[]string{"https://a.example/"}, 2, 9, false,
			"https://a.example/ https://a.example/1 https://www.a.example/2 http://A.example:8080/3 " +
				"https://a.example/4", false},
		"no room": {[]string{"https://a.example/"}, 5, 3, false,
			"https://a.example/ https://a.example/1 https://www.a.example/2", true},
		"external": {[]string{"https://b.example/"}, 1, 9, true, "https://b.example/ https://c.example/", false},
		"two hosts": {[]string{"https://b.example/", "https://c.example/"}, 1, 9, false,
			"https://b.example/ https://c.example/", false},
	} {
		f := NewFrontier(c.pages, c.depth, c.most, c.external)
		if got := strings.Join(walk(f), " "); got != c.want || f.LeftOver() != c.leftOver {
			t.Errorf("%s: %s, left over: %v\nwant %s", name, got, f.LeftOver(), c.want)
		}
	}
}

// TestFrontierVisited: where another page has led to is not visited again.
func TestFrontierVisited(t *testing.T) {
	f := NewFrontier([]string{"https://a.example/", "https://a.example/b", "https://a.example/c"}, 1, 9, false)
	stop, _ := f.Next()
	f.Visited("https://a.example/b")
	f.Found(stop, []string{"https://a.example/b", "https://a.example/d#x"})
	if got := strings.Join(walk(f), " "); got != "https://a.example/c https://a.example/d" {
		t.Error(got)
	}
}

// TestInside: a host is compared in one spelling, and not by how it begins or ends.
func TestInside(t *testing.T) {
	f := NewFrontier([]string{"https://www.bücher.example/", "http://127.0.0.1:8080/"}, 0, 9, false)
	for page, want := range map[string]bool{
		"http://xn--bcher-kva.example/a":       true,
		"https://BÜCHER.example.:1/":           true,
		"https://www.xn--bcher-kva.example":    true,
		"http://127.0.0.1/":                    true,
		"https://a.xn--bcher-kva.example/":     false,
		"https://xn--bcher-kva.example.com":    false,
		"https://user@evil.example/":           false,
		"https://evil.example/?bücher.example": false,
		"http://127.0.0.11/":                   false,
		"http://[::1/":                         false,
		"":                                     false,
	} {
		if got := f.Inside(page); got != want {
			t.Errorf("%s: %v", page, got)
		}
	}
}

// TestFrontierBounded: a page with any number of links takes no more than its room.
func TestFrontierBounded(t *testing.T) {
	links := make([]string, 200_000)
	for i := range links {
		links[i] = fmt.Sprint("https://a.example/", i)
	}
	f := NewFrontier([]string{"https://a.example/"}, 1, 100, false)
	begin := time.Now()
	stop, _ := f.Next()
	f.Found(stop, slices.Concat(links, links))
	if len(f.next) != 99 || len(f.seen) != 100 || !f.LeftOver() || time.Since(begin) > 10*time.Second {
		t.Errorf("%d, %d, %s", len(f.next), len(f.seen), time.Since(begin))
	}
}
