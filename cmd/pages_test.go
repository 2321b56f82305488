package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"warcorder/store/pages"
)

// visits asks through the proxy as a browser would: each line is a path and the fields of the
// request, of which from= is the path that Referer names.
func (p *program) visits(site string, lines ...string) {
	p.t.Helper()
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	defer client.CloseIdleConnections()
	for _, line := range lines {
		words := strings.Fields(line)
		req, err := http.NewRequest("GET", site+words[0], nil)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "from":
				req.Header.Set("Referer", site+value)
			case "page":
				req.Header.Set("Sec-Fetch-Mode", "navigate")
				req.Header.Set("Sec-Fetch-Dest", "document")
			default:
				req.Header.Set("Sec-Fetch-Mode", "no-cors")
				req.Header.Set("Sec-Fetch-Dest", name)
			}
		}
		res, err := client.Do(req)
		if err != nil {
			p.t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}

// TestPages: pages are listed while a collection is recorded, over HTTP, at rest, and when its
// index has been made anew; each time the same.
func TestPages(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/p", http.StatusFound)
		case "/odd":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			fmt.Fprint(w, "<title>caf\xe9 \x1b[2J&#27;]0;x\n\u202ez</title>")
		case "/p", "/plain":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<svg><title>no</title></svg><title>\n Page &amp; %s</title>", r.URL.Path)
		default:
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, r.URL.Path)
		}
	}))
	defer site.Close()
	p := startRecording(t)
	p.visits(site.URL, "/moved page", "/i.png image from=/p", "/c.css style from=/p",
		"/f.woff font from=/c.css", "/odd page", "/plain")
	const want = ` 4 /p "Page & /p"
 0 /odd "café [2J]0;x â€®z"
 0 /plain "Page & /plain"
`
	if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
	beside, stderr, code := p.run("pages", "--json")
	if got := pagesOf(t, beside, site.URL); code != 0 || got != want {
		t.Fatalf("%s%swant %s", stderr, got, want)
	}
	if body, err := p.recorder().Read("/pages"); string(body) != beside || err != nil {
		t.Errorf("/pages: %v %s, want %s", err, body, beside)
	}
	table, _, _ := p.run("pages")
	if strings.Count(table, "\n") != 3 || strings.ContainsAny(table, "\x1b") {
		t.Errorf("%q", table)
	}
	if status := p.status("/pages?from=x"); status != 400 {
		t.Errorf("a time that is none: %d", status)
	}
	if p.stop() != 0 {
		t.Fatal(p.stderr)
	}
	atRest, stderr, code := p.run("pages", "--json")
	if atRest != beside || code != 0 {
		t.Errorf("at rest: %s%s, want %s", stderr, atRest, beside)
	}
	if _, stderr, code := p.run("rebuild"); code != 0 {
		t.Fatal(stderr)
	}
	if anew, stderr, _ := p.run("pages", "--json"); anew != beside {
		t.Errorf("rebuilt: %s%s, want %s", stderr, anew, beside)
	}
	if none, stderr, code := p.run("pages", "--to", "2001"); none != "" || code != 0 ||
		stderr != "" {
		t.Errorf("%d: %s%s", code, none, stderr)
	}
	if _, stderr, code := p.run("pages", "--from", "yesterday"); code == 0 ||
		!strings.Contains(stderr, "YYYYMMDDhhmmss") {
		t.Errorf("%d: %s", code, stderr)
	}
}

// pagesOf returns lines of pages as: how many resources, the path below site, the title. Their IDs
// must be different, and their times in order.
func pagesOf(t *testing.T, lines, site string) string {
	t.Helper()
	var all strings.Builder
	ids, last := map[string]bool{}, ""
	for line := range strings.Lines(lines) {
		var page pages.Line
		if err := json.Unmarshal([]byte(line), &page); err != nil {
			t.Fatal(err)
		}
		if ids[page.ID] || page.ID == "" || page.Time < last || !strings.HasSuffix(page.Time, "Z") {
			t.Errorf("%s", line)
		}
		ids[page.ID], last = true, page.Time
		fmt.Fprintf(&all, "%2d %s %q\n", page.Resources, strings.TrimPrefix(page.URL, site), page.Title)
	}
	return all.String()
}

// TestPageListGoesOn: a list that broke off goes on behind the page that was printed last.
func TestPageListGoesOn(t *testing.T) {
	got := ""
	l := pageList{print: func(line []byte) error {
		got += string(line)
		return nil
	}}
	for _, list := range []string{"ab", "abcd"} {
		l.skip = l.printed > 0
		for _, id := range list {
			if err := l.line(fmt.Appendf(nil, `{"id":"%c"}`, id)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := `{"id":"a"}{"id":"b"}{"id":"c"}{"id":"d"}`; got != want {
		t.Error(got)
	}
}
