package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pagelist"
	"warcorder/store/readback"
)

// responseAt is the record of an answer, without its request.
func responseAt(second int, url, kind, status, body string) string {
	block := "HTTP/1.1 " + status + "\r\nContent-Type: " + kind + "\r\nLocation: /to\r\n\r\n" + body
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:%d>\r\n"+
		"WARC-Date: %s\r\nWARC-Target-URI: %s\r\nContent-Type: application/http; "+
		"msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", second, at(second).Format(time.RFC3339), url,
		len(block), block)
}

func at(second int) time.Time { return time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC) }

// imported returns a collection of a WARC file that is not compressed, with a list of pages.
func imported(t *testing.T, file string, pages ...pagelist.Page) collection.Dir {
	t.Helper()
	top := t.TempDir()
	dir := collection.Dir(filepath.Join(top, "c"))
	path := filepath.Join(top, "a.warc")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recovery.Add(recovery.Config{}, dir, []string{path}, true, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	list := pagelist.List{}
	defer list.Close()
	for _, page := range pages {
		if _, err := list.Add(page); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(filepath.Join(top, "pages"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := list.WriteTo(out); err != nil {
		t.Fatal(err)
	}
	if err := pagelist.Merge(dir, 0, out.Name()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestListed: the pages that lists name are pages, with the titles and IDs of the lists, whatever the
// rules say; the others are derived as without a list.
func TestListed(t *testing.T) {
	const site, ok = "https://a.example/", "200 OK"
	file := responseAt(1, site, "text/html", ok, "<title>From HTML</title>") +
		responseAt(2, site+"paper.pdf", "application/pdf", ok, "%PDF") +
		responseAt(3, site+"moved", "text/html", "302 Found", "") +
		responseAt(4, site+"to", "text/html", ok, "<title>To</title>") +
		responseAt(5, site+"image.png", "image/png", ok, "x") +
		responseAt(600, site, "text/html", ok, "<title>Later</title>")
	dir := imported(t, file,
		pagelist.Page{Time: at(9), URL: site, ID: "one", Title: "From the list", Text: "text"}, // 8 s after its capture
		pagelist.Page{Time: at(2), URL: site + "paper.pdf", ID: "two", Title: "Paper"},
		pagelist.Page{Time: at(3), URL: site + "moved", ID: "three", Title: "Moved"},
		pagelist.Page{Time: at(4), URL: site + "never", ID: "four"},
		pagelist.Page{Time: at(5).Add(2 * listedWithin), URL: site + "image.png", ID: "five"}, // of another crawl
		pagelist.Page{Time: at(4), URL: site + "to"},
		pagelist.Page{Time: at(9), URL: "no URL"},
	)
	for _, when := range []string{"added", "rebuilt"} {
		t.Run(when, func(t *testing.T) { checkListed(t, dir) })
		if _, err := recovery.Rebuild(recovery.Config{}, dir, zerolog.Nop()); err != nil {
			t.Fatal(err)
		}
	}
}

func checkListed(t *testing.T, dir collection.Dir) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	files := readback.New(dir, index)
	defer files.Close()
	p := New(index, files)
	text := func(page Page) string {
		title, err := p.Title(t.Context(), page)
		if err != nil {
			t.Error(err)
		}
		return page.Time.Format("04:05") + " " + page.URL + " " + title
	}
	var got, ids []string
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		got, ids = append(got, text(page)), append(ids, page.ID)
	}
	want := []string{"00:01 https://a.example/ From the list", "00:02 https://a.example/paper.pdf Paper",
		"00:04 https://a.example/to To", "10:00 https://a.example/ Later"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(ids) != 4 || ids[0] != "one" || ids[1] != "two" || len(ids[2]) != 31 {
		t.Errorf("%q", ids)
	}
	for _, id := range append(ids, "https://a.example/paper.pdf") {
		found, err := p.Find(t.Context(), id)
		if err != nil || len(found) != 1 || found[0].ID != id && found[0].ID != "two" {
			t.Fatalf("%s: %v, %v", id, found, err)
		}
		captures := 0
		for c, err := range p.Captures(t.Context(), found[:1]) {
			if err != nil {
				t.Fatal(err)
			}
			if captures == 0 && c.URL != found[0].URL {
				t.Errorf("%s begins with %s", id, c.URL)
			}
			captures++
		}
		if captures != found[0].Resources+1 {
			t.Errorf("%s has %d captures, and %d resources", id, captures, found[0].Resources)
		}
	}
	for _, id := range []string{"three", "four", "five"} {
		if found, err := p.Find(t.Context(), id); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", id, found, err)
		}
	}
	late := 0
	for page, err := range p.All(t.Context(), "202605011200", "20260501120003") {
		if err != nil || page.ID != "one" && page.ID != "two" {
			t.Errorf("%+v, %v", page, err)
		}
		late++
	}
	if late != 2 {
		t.Errorf("%d pages of three seconds", late)
	}
}
