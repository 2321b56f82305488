package admin

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// loaded is a page in a browser that came to it at an address that it does not take for trustworthy:
// it sends no Sec-Fetch-Site, and Referer as the page's own policy says.
type loaded struct {
	policy string   // of referrers
	links  []string // what the page consists of
}

// load reads what a browser makes of an answer. A meta element has the last word on its policy.
func load(t *testing.T, w *httptest.ResponseRecorder) (p loaded) {
	t.Helper()
	p.policy = w.Header().Get("Referrer-Policy")
	in := html.NewTokenizer(strings.NewReader(w.Body.String()))
	for in.Next() != html.ErrorToken {
		token := in.Token()
		attribute := map[string]string{}
		for _, a := range token.Attr {
			attribute[a.Key] = a.Val
		}
		if token.Data == "meta" && attribute["name"] == "referrer" {
			p.policy = attribute["content"]
		}
		if link := attribute["href"] + attribute["src"]; link != "" {
			p.links = append(p.links, link)
		}
	}
	if len(p.links) < 4 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return p
}

// asks are the fields of a request of its own to where it came from: that of a page at an address.
func (p *loaded) asks(t *testing.T, page string) http.Header {
	t.Helper()
	header := browser()
	switch p.policy {
	case "no-referrer":
	case "origin", "strict-origin":
		at, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		header.Set("Referer", at.Scheme+"://"+at.Host+"/")
	case "same-origin", "strict-origin-when-cross-origin", "no-referrer-when-downgrade":
		header.Set("Referer", page)
	default:
		t.Fatalf("the policy %q is none that is known", p.policy)
	}
	return header
}

// TestPageBeyondLoopback: what the page consists of and what it asks for comes to the browser of a
// reader on another machine, which says by Referer alone which page asks; the modules of modules too.
func TestPageBeyondLoopback(t *testing.T) {
	a := lively(t, bothReaders, true)
	at := "http://" + ours + "/"
	page := load(t, answer(a, newRequest("GET /", reader, ours, "",
		browser("Referer", at+"trust", "Upgrade-Insecure-Requests", "1"))))
	for _, link := range append(page.links, "live/ask.js") {
		if w := answer(a, newRequest("GET /"+link, reader, ours, "", page.asks(t, at))); w.Code != 200 {
			t.Errorf("%s: %d %s", link, w.Code, w.Body)
		}
	}
	module := answer(a, newRequest("GET /live/app.js", reader, ours, "", page.asks(t, at)))
	from := loaded{policy: module.Header().Get("Referrer-Policy")}
	if w := answer(a, newRequest("GET /live/ask.js", reader, ours, "",
		from.asks(t, at+"live/app.js"))); w.Code != 200 {
		t.Errorf("a module of a module: %d %s", w.Code, w.Body)
	}
}
