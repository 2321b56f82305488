package pages

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// visit is an exchange: the fields of its request, and its response.
type visit struct{ method, url, fields, body, response string }

const toPage = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"

// recorded records visits, a second apart, and returns the pages of the collection at rest.
func recorded(t *testing.T, visits []visit) (*Pages, collection.Dir) {
	t.Helper()
	return recordedAt(t, visits, func(i int) time.Duration { return time.Duration(i) * time.Second })
}

// recordedAt is recorded with the time of each visit, since testTime.
func recordedAt(t *testing.T, visits []visit, since func(i int) time.Duration) (*Pages, collection.Dir) {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	dir := collection.Dir(t.TempDir())
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range visits {
		x := rec.Begin()
		x.URL, x.Method, x.Started = v.url, v.method, testTime.Add(since(i))
		fmt.Fprintf(&x.Request, "%s / HTTP/1.1\r\nHost: a.example\r\n%sContent-Length: %d\r\n\r\n%s",
			v.method, v.fields, len(v.body), v.body)
		io.WriteString(&x.Response, v.response)
		x.Commit()
		if err := rec.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	files := readback.New(dir, index)
	t.Cleanup(func() { files.Close(); index.Close() })
	return New(index, files), dir
}

func answer(status, kind, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, kind,
		len(body), body)
}

// TestCaptures: a page's captures are found in its index by what their records say: of any method,
// with long URLs and bodies, revisits; a page is found by its ID and by its URL.
func TestCaptures(t *testing.T) {
	const site = "https://a.example"
	long := "/" + strings.Repeat("long", 3000)
	from := "Referer: " + site + "/p\r\nSec-Fetch-Dest: empty\r\n"
	form := "Content-Type: application/x-www-form-urlencoded\r\n"
	image := answer("200 OK", "image/png", strings.Repeat("the same", 1000))
	p, dir := recorded(t, []visit{
		{"GET", site + "/p", toPage, "", answer("200 OK", "text/html", "<title>P</title>")},
		{"GET", site + "/i.png?b&a", from, "", image},
		{"GET", site + "/same.png", from, "", image},
		{"POST", site + "/api", from + form, "n=1&m=" + strings.Repeat("x", 3000), answer("200 OK", "", "1")},
		{"POST", site + "/api", from + form, "n=2", answer("200 OK", "", "2")},
		{"GET", site + long, from, "", answer("200 OK", "", "3")},
		{"POST", site + long, from + form, "n=3", answer("200 OK", "", "4")},
		{"POST", site + "/answer", toPage + form, "n=4", answer("200 OK", "text/html", "<title>Q</title>")},
		{"GET", site + "/p", toPage, "", "HTTP/1.1 304 Not Modified\r\n\r\n"},
	})
	var all []Page
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		title, err := p.Title(t.Context(), page)
		if want := []string{"P", "Q", "P"}; len(all) < 3 && title != want[len(all)] || err != nil {
			t.Errorf("%s: %q, %v", page.URL, title, err)
		}
		all = append(all, page)
	}
	if len(all) != 3 || all[0].Resources != 6 || all[1].Capture.Method != "POST" {
		t.Fatalf("%+v", all)
	}
	var urls []string
	for c, err := range p.Captures(t.Context(), all[:1]) {
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, c.Method+c.URL)
	}
	want := []string{site + "/p", site + "/i.png?b&a", site + "/same.png", "POST" + site + "/api",
		"POST" + site + "/api", site + long, "POST" + site + long}
	if !slices.Equal(urls, want) {
		t.Errorf("%.200q", urls)
	}
	for _, name := range []string{all[2].ID, site + "/p", site + "/none", "20010101000000-0123456789abcdef"} {
		found, err := p.Find(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case name == all[2].ID && len(found) == 1 && found[0].ID == name:
		case name == site+"/p" && len(found) == 2 && found[0].ID == all[0].ID:
		case len(found) == 0 && name != all[2].ID && name != site+"/p":
		default:
			t.Errorf("%s: %+v", name, found)
		}
	}
	files, err := filepath.Glob(filepath.Join(string(dir), "archive", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if line, err := p.AppendLine(t.Context(), nil, all[0]); err != nil ||
		!strings.Contains(string(line), `"title":""`) {
		t.Errorf("without its file: %s, %v", line, err)
	}
	if _, err := p.Title(t.Context(), all[0]); !errors.Is(err, readback.ErrMissing) {
		t.Error(err)
	}
}

// TestUnreadable: what cannot be read costs neither the list of pages nor other captures of a page; it has
// its place and its time.
func TestUnreadable(t *testing.T) {
	const site = "https://a.example"
	long := site + "/" + strings.Repeat("long", 3000)
	from := "Sec-Fetch-Dest: empty\r\nReferer: " + site + "/p\r\n"
	p, dir := recorded(t, []visit{
		{"GET", site + "/p", toPage, "", answer("200 OK", "text/html", "P")},
		{"GET", long, toPage, "", answer("200 OK", "text/html", "Q")},
		{"GET", site + "/i", from, "", answer("200 OK", "image/png", "i")},
		{"POST", site + "/j", from, "n=1", answer("200 OK", "", "j")},
		{"GET", site + "/r", toPage, "", answer("200 OK", "text/html", "R")},
	})
	files, err := filepath.Glob(filepath.Join(dir.Archive(), "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	var all []Page
	urls := ""
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page)
		urls += page.URL + " "
	}
	if want := site + "/p  " + site + "/r "; urls != want || all[1].ID == "" || all[1].Time.IsZero() {
		t.Fatalf("%q, %+v", urls, all)
	}
	got := ""
	for r, err := range p.Captures(t.Context(), all[:1]) {
		if err != nil || r.File != filepath.Base(files[0]) || r.Length == 0 || r.Time.IsZero() {
			t.Fatalf("%+v, %v", r, err)
		}
		got += r.URL + " "
	}
	if want := site + "/p   "; got != want {
		t.Errorf("%q", got)
	}
}

// TestCapturesOfPages: the captures of several pages come in the order of time, each with its own.
func TestCapturesOfPages(t *testing.T) {
	const site = "https://a.example"
	of := func(page string) string { return "Sec-Fetch-Dest: empty\r\nReferer: " + site + page + "\r\n" }
	ok := answer("200 OK", "text/html", "text")
	p, _ := recorded(t, []visit{
		{"GET", site + "/p", toPage, "", ok},
		{"GET", site + "/q", toPage, "", ok},
		{"GET", site + "/none", toPage, "", ok},
		{"GET", site + "/1", of("/p"), "", ok},
		{"GET", site + "/2", of("/q"), "", ok},
		{"GET", site + "/no", of("/none"), "", ok},
		{"GET", site + "/3", of("/p"), "", ok},
	})
	var pages []Page
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page)
	}
	got := ""
	for r, err := range p.Captures(t.Context(), []Page{pages[0], pages[1], pages[1]}) {
		if err != nil {
			t.Fatal(err)
		}
		of := slices.IndexFunc(pages, func(page Page) bool { return page.ID == r.Page })
		got += fmt.Sprint(strings.TrimPrefix(r.URL, site), " ", of, ", ")
	}
	if want := "/p 0, /q 1, /1 0, /2 1, /3 0, "; got != want {
		t.Error(got)
	}
}

// TestFetchedAhead: a document that was fetched ahead is found as a page when it has been seen, with the time
// when it was fetched.
func TestFetchedAhead(t *testing.T) {
	const site = "https://a.example"
	html := answer("200 OK", "text/html", "<title>Q</title>")
	p, _ := recorded(t, []visit{
		{"GET", site + "/p", toPage, "", html},
		{"GET", site + "/q", toPage + "Sec-Purpose: prefetch\r\nReferer: " + site + "/p\r\n", "", html},
		{"GET", site + "/unseen", toPage + "Sec-Purpose: prefetch\r\nReferer: " + site + "/p\r\n", "", html},
		{"GET", site + "/r", toPage, "", html},
		{"GET", site + "/i", "Sec-Fetch-Dest: image\r\nReferer: " + site + "/q\r\n", "",
			answer("200 OK", "image/png", "i")},
	})
	times := map[string]string{"": "/p 1, /q 1, /r 0, ", stamp(testTime.Add(time.Second)): "/q 1, ",
		stamp(testTime.Add(2 * time.Second)): ""}
	for at, want := range times {
		got := ""
		for page, err := range p.All(t.Context(), at, at) {
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint(strings.TrimPrefix(page.URL, site), " ", page.Resources, ", ")
		}
		if got != want {
			t.Errorf("at %s: %s", at, got)
		}
	}
	found, err := p.Find(t.Context(), site+"/q")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	again, err := p.Find(t.Context(), found[0].ID)
	if err != nil || len(again) != 1 || again[0].URL != site+"/q" || !again[0].Time.Equal(testTime.Add(time.Second)) {
		t.Error(again, err)
	}
	got := ""
	for r, err := range p.Captures(t.Context(), found) {
		if err != nil {
			t.Fatal(err)
		}
		got += strings.TrimPrefix(r.URL, site) + " "
	}
	if got != "/q /i " {
		t.Error(got)
	}
	for b, err := range p.Walk(t.Context(), stamp(testTime.Add(time.Second)), stamp(testTime.Add(time.Second))) {
		if b.Page != found[0].ID || err != nil {
			t.Errorf("%+v, %v", b, err)
		}
	}
}

// TestRedirectOfThatTime: a redirect belongs to its page also if that is later than the time that is wanted.
func TestRedirectOfThatTime(t *testing.T) {
	const site = "https://a.example"
	p, _ := recorded(t, []visit{
		{"GET", site + "/old", toPage, "", "HTTP/1.1 302 Found\r\nLocation: /p\r\nContent-Length: 0\r\n\r\n"},
		{"GET", site + "/other", "Sec-Fetch-Dest: empty\r\nSec-Fetch-Site: none\r\n", "", answer("200 OK", "", "x")},
		{"GET", site + "/p", toPage, "", answer("200 OK", "text/html", "P")},
	})
	found, err := p.Find(t.Context(), site+"/p")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	number := 0
	for b, err := range p.Walk(t.Context(), stamp(testTime), stamp(testTime)) {
		if number++; b.Page != found[0].ID || err != nil {
			t.Errorf("%+v, %v", b, err)
		}
	}
	if number != 1 {
		t.Errorf("%d captures", number)
	}
}
