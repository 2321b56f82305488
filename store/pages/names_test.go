package pages

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pagelist"
	"warcorder/store/readback"
)

// open returns the pages of a collection.
func open(t *testing.T, dir collection.Dir) *Pages {
	t.Helper()
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	files := readback.New(dir, index)
	t.Cleanup(func() { files.Close(); index.Close() })
	return New(index, files)
}

// TestNames: each URL that a list names of one document is a page, with its own title and text, and
// all of them have its captures.
func TestNames(t *testing.T) {
	const site = "https://spa.example/"
	p := open(t, imported(t, responseAt(1, site, "text/html", "200 OK", "<title>Shell</title>")+
		responseAt(2, site+"a.js", "text/javascript", "200 OK", "x"),
		pagelist.Page{Time: at(60), URL: site, ID: "p1", Title: "home", Text: "words home"},
		pagelist.Page{Time: at(120), URL: site + "#/about", ID: "p2", Title: "about", Text: "words about"},
		pagelist.Page{Time: at(180), URL: site + "#/about", ID: "again"},
		pagelist.Page{Time: at(240), URL: site + "#/contact", Title: "contact"},
		pagelist.Page{Time: at(300), URL: site + "#/late", Title: "late", Text: "words late"},
	))
	var got, ids []string
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.Text(page)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.URL+" "+page.Title+" "+text)
		ids = append(ids, page.ID)
		if page.First != "p1" || page.Resources != 1 || !page.Time.Equal(at(1)) {
			t.Errorf("%+v", page)
		}
	}
	want := []string{site + " home words home", site + "#/about about words about",
		site + "#/contact contact ", site + "#/late late words late"}
	if !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if ids[0] != "p1" || ids[1] != "p2" || len(ids[2]) != 31 || len(ids[3]) != 31 || ids[2] == ids[3] {
		t.Errorf("%q", ids)
	}
	for _, id := range ids {
		found, err := p.Find(t.Context(), id)
		if err != nil || len(found) != 1 || found[0].ID != id {
			t.Fatalf("%s: %v, %v", id, found, err)
		}
		var urls []string
		for c, err := range p.Captures(t.Context(), found[:1]) {
			if err != nil {
				t.Fatal(err)
			}
			urls = append(urls, c.URL)
		}
		if !slices.Equal(urls, []string{site, site + "a.js"}) {
			t.Errorf("%s has %q", id, urls)
		}
	}
}

// TestNearInTime: a page of a list that was opened before its capture, and before the walk begins, is
// found; one that is too far from any capture is not; what was asked by another method
// than GET is no page of a list.
func TestNearInTime(t *testing.T) {
	const site, june = "https://a.example/", 2635200 // June 1st at midnight
	request := "HEAD /image.png HTTP/1.1\r\nHost: a.example\r\n\r\n"
	p := open(t, imported(t, responseAt(1, "https://b.example/", "text/html", "200 OK", "x")+
		responseAt(june, site+"image.png", "image/png", "200 OK", "x")+
		responseAt(june+1, site+"early.png", "image/png", "200 OK", "x")+
		strings.Replace(responseAt(june+2, site+"asked.png", "image/png", "200 OK", ""), "\r\n\r\n",
			"\r\nWARC-Concurrent-To: <urn:test:request>\r\n\r\n", 1)+
		fmt.Sprintf("WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:test:request>\r\n"+
			"WARC-Date: %s\r\nWARC-Target-URI: %sasked.png\r\nWARC-Concurrent-To: <urn:test:%d>\r\n"+
			"Content-Type: application/http; msgtype=request\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			at(june+2).Format(time.RFC3339), site, june+2, len(request), request),
		pagelist.Page{Time: at(june - 600), URL: site + "image.png", ID: "image"},
		pagelist.Page{Time: at(june - 2*3600), URL: site + "early.png", ID: "early"},
		pagelist.Page{Time: at(june + 2), URL: site + "asked.png?__wb_method=HEAD", ID: "asked"},
	))
	for _, from := range []string{"", "202606"} {
		var got []string
		for page, err := range p.All(t.Context(), from, "") {
			if err != nil {
				t.Fatal(err)
			}
			if page.URL != "https://b.example/" {
				got = append(got, page.ID)
			}
		}
		if !slices.Equal(got, []string{"image"}) {
			t.Errorf("from %q: %q", from, got)
		}
	}
}

// TestSameID: of an ID that several lists have given, all pages are found, those too whose list page
// comes first and is of no page that is shown.
func TestSameID(t *testing.T) {
	const site = "https://a.example/"
	p := open(t, imported(t, responseAt(1, site, "text/html", "200 OK", "x")+
		responseAt(600, site+"b", "text/html", "200 OK", "x"),
		pagelist.Page{Time: at(1), URL: site, ID: "shown"},
		pagelist.Page{Time: at(2), URL: site, ID: "1"}, // of one URL the first counts
		pagelist.Page{Time: at(600), URL: site + "b", ID: "1"},
		pagelist.Page{Time: at(601), URL: site + "b#c", ID: "1"},
	))
	found, err := p.Find(t.Context(), "1")
	if err != nil || len(found) != 2 || found[0].URL != site+"b" || found[1].URL != site+"b#c" {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestManyNames: what is remembered of lists has its bounds, in pages and in bytes, and is given up
// when the pages have ended or the walk has passed.
func TestManyNames(t *testing.T) {
	const site = "https://a.example/"
	for name, test := range map[string]struct{ pages, url, want int }{
		"pages": {maxListed + 10, 0, maxListed},
		"bytes": {maxListedBytes/60_000 + 20, 60_000, maxListedBytes/60_000 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			var list []pagelist.Page
			for i := range test.pages {
				list = append(list, pagelist.Page{Time: at(1),
					URL: fmt.Sprintf("%s#%06d%s", site, i, strings.Repeat("x", test.url))})
			}
			p := open(t, imported(t, responseAt(1, site, "text/html", "200 OK", "x"), list...))
			n := 0
			for _, err := range p.All(t.Context(), "", "") {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if n != test.want && (test.url == 0 || n > test.want || n < test.want-1) {
				t.Errorf("%d pages, want %d", n, test.want)
			}
		})
	}
}

// TestPassed: what the walk has passed makes room, and so do pages that have ended.
func TestPassed(t *testing.T) {
	l := &listed{ended: true, known: map[place]*naming{}}
	for i := range maxListed {
		n := &naming{at: testTime}
		n.add(name{id: "1", url: "u", title: "t"})
		l.known[place{"a", int64(i)}] = n
		l.count++
		l.bytes += 3
	}
	now := store.Moment{Time: testTime.Add(listedWithin)}
	now.File, now.Offset = "b", 1
	if _, err := l.at(&now); err != nil || len(l.known) > 0 || l.count != 0 || l.bytes != 0 {
		t.Errorf("%d are known, %d pages, %d bytes, %v", len(l.known), l.count, l.bytes, err)
	}

	w, released := newWalk(), 0
	w.release = func(n *naming) { released += len(n.names) }
	n := &naming{}
	n.add(name{id: "1", url: "u"})
	n.add(name{id: "2", url: "u2"})
	if n.add(name{id: "3", url: "u"}) || n.add(name{id: "3", url: "u2"}) {
		t.Error("one URL is there twice")
	}
	m := store.Moment{Time: testTime, URL: 1}
	w.add(&m, n)
	page := w.open[0]
	w.end()
	if released != 2 || page.listed != nil || page.id() != "1" {
		t.Errorf("%d names are released; %+v", released, page)
	}
}
