package selection

import (
	"io"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	facts "warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
)

// visit records what a browser asks for on a page; without a referer it is a document.
func (r *recording) visit(url, referer, response string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started = url, "GET", r.now
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	head := "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
	if referer != "" {
		head = "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\nReferer: " + referer + "\r\n"
	}
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n"+head+"\r\n")
	io.WriteString(&x.Response, response)
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// TestPages: a page is selected with its resources and their originals, by its URL or its ID, at rest
// and beside a recorder; and every capture is told with its page.
func TestPages(t *testing.T) {
	r := record(t, nil)
	logo := page(strings.Repeat("logo", 500))
	first, second := "https://example.com/1", "https://example.com/2"
	r.visit(first, "", page("<title>one</title>"))
	r.visit("https://example.com/logo-1", first, logo)
	r.visit(second, "", page("<title>two</title>"))
	r.visit("https://example.com/logo-2", second, logo) // a revisit
	r.visit(first, "", page("<title>one again</title>"))
	r.visit("https://example.com/late", first, page("late"))
	picture := r.BeginExtra()
	picture.Type, picture.URI, picture.ContentType = facts.Resource, "urn:view:"+second, "image/png"
	picture.Date = r.now
	io.WriteString(&picture.Block, "a picture")
	if _, err := picture.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err != nil {
		t.Fatal(err)
	}
	var told [2]string
	for i, s := range []*Source{beside, nil} {
		if s == nil {
			s = r.source()
		}
		ids := map[string]string{}
		var titles []string
		for p, err := range s.Pages(t.Context(), Selection{}) {
			if err != nil {
				t.Fatal(err)
			}
			title, err := s.Title(t.Context(), p)
			if err != nil {
				t.Error(err)
			}
			titles = append(titles, title)
			ids[title] = p.ID
		}
		if got := strings.Join(titles, ", "); got != "one, two, one again" {
			t.Errorf("the pages are %s", got)
		}
		for _, test := range []struct {
			sel  Selection
			want string
		}{
			{Selection{Page: first}, "/1\n/1\n/late\n/logo-1\n"},
			{Selection{Page: ids["one again"]}, "/1\n/late\n"},
			{Selection{Page: first, To: "20260501120003"}, "/1\n/logo-1\n"},
			{Selection{Page: first, URL: "https://example.com/l", Match: store.Prefix}, "/late\n/logo-1\n"},
			{Selection{Page: first, Files: []string{"none.warc.gz"}}, ""},
			{Selection{Page: "https://example.com/late"}, ""},
		} {
			if got := short(all(t, s, test.sel)); got != test.want {
				t.Errorf("%+v: got\n%swant\n%s", test.sel, got, test.want)
			}
		}
		got := short(all(t, s, Selection{Page: second}))
		if got != "/2\n/logo-1 needed\n/logo-2 revisit\nurn:view:"+second+"\n" {
			t.Errorf("the second page is\n%s", got)
		}
		for _, c := range all(t, s, Selection{URL: "https://example.com/", Match: store.Host}) {
			told[i] += c.URL + " " + c.Page + "\n"
			if want := ids["two"]; c.URL == second && c.Page != want {
				t.Errorf("%s belongs to %q, want %q", c.URL, c.Page, want)
			}
			if c.Page == "" {
				t.Errorf("%s belongs to no page", c.URL)
			}
		}
	}
	if !reflect.DeepEqual(told[0], told[1]) {
		t.Errorf("beside the recorder\n%s\nat rest\n%s", told[0], told[1])
	}
}

// TestRedirectedPage: the URL that somebody has typed selects the page to which it has led, with the
// redirect, at rest and beside a recorder; and what it led to before is none of the pages of another URL.
func TestRedirectedPage(t *testing.T) {
	r := record(t, nil)
	site := "https://example.com/"
	moved := func(to string) string {
		return "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n"
	}
	r.visit(site+"typed", "", moved("/login"))
	r.visit(site+"login", "", page("<title>login</title>"))
	r.visit(site+"logo", site+"login", page("logo"))
	r.visit(site+"typed", "", page("<title>itself</title>"))
	r.visit(site+"picture", site+"typed", moved("/login"))
	r.visit(site+"login", "", page("<title>login again</title>"))
	beside, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Source{beside, nil} {
		if s == nil {
			s = r.source()
		}
		for of, want := range map[string]string{
			site + "typed":   "/login\n/logo\n/picture\n/typed\n/typed\n",
			site + "login":   "/login\n/login\n/logo\n/typed\n",
			site + "picture": "",
		} {
			if got := short(all(t, s, Selection{Page: of})); got != want {
				t.Errorf("%s has\n%swant\n%s", of, got, want)
			}
		}
	}
}

// TestNamedPages: pages that lists name are told beside a recorder as at rest: several of one document,
// each with what its list says of it; and one of them has the captures of all, each once.
func TestNamedPages(t *testing.T) {
	r := record(t, nil)
	site := "https://example.com/"
	r.visit(site, "", page("<title>one</title>"))
	ts := r.now.UTC().Format("2006-01-02T15:04:05.000000Z")
	r.visit(site+"logo", site, page("logo"))
	list := `{"ts":"` + ts + `","url":"` + site + `","id":"1","title":"A","text":"a"}` + "\n" +
		`{"ts":"` + ts + `","url":"` + site + `#b","id":"2","title":"B","text":"b"}` + "\n"
	if err := os.WriteFile(r.dir.Pages(), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	beside, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Source{beside, nil} {
		if s == nil {
			s = r.source()
		}
		var told string
		for p, err := range s.Pages(t.Context(), Selection{}) {
			if err != nil {
				t.Fatal(err)
			}
			text, err := s.Text(p)
			if err != nil {
				t.Fatal(err)
			}
			told += strings.Join([]string{p.URL, p.ID, p.First, p.Title, text}, " ") + "\n"
		}
		if want := site + " 1 1 A a\n" + site + "#b 2 1 B b\n"; told != want {
			t.Errorf("got\n%swant\n%s", told, want)
		}
		for _, of := range []string{"1", "2", site, site + "#b"} {
			if got := short(all(t, s, Selection{Page: of})); got != "/\n/logo\n" {
				t.Errorf("%s has\n%s", of, got)
			}
		}
	}
}
