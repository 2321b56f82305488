package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// livePage is what /live/pages says of a page.
type livePage struct {
	ID, URL, Title string
	Resources      int
	Lacks, Pending int
	Whole          bool
}

// TestLivePages: a page is in the list, with what it lacks, within a second of its client's having got
// it; the page itself says why; and what is removed is there no more.
func TestLivePages(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/", "/other":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>Page "+r.URL.Path+"</title>")
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer site.Close()
	p := startRecording(t)
	var told struct{ Pages []livePage }
	list := func() []livePage {
		t.Helper()
		told.Pages = nil
		if err := json.Unmarshal([]byte(p.page(livePagesPath)), &told); err != nil {
			t.Fatal(err)
		}
		return told.Pages
	}
	if pages := list(); len(pages) != 0 {
		t.Errorf("nothing was recorded: %+v", pages)
	}
	within := func(what string, is func([]livePage) bool) {
		t.Helper()
		// No look serves longer than a second: who asks on and on sees it then.
		for range 10_000 {
			if is(list()) {
				return
			}
		}
		t.Errorf("%s, and it is never seen: %+v", what, list())
	}
	p.visits(site.URL, "/other page", "/ page", "/none image from=/")
	within("two pages have come", func(pages []livePage) bool {
		return len(pages) == 2 && pages[0].URL == site.URL+"/" && pages[0].Title == "Page /" &&
			pages[0].Whole && pages[0].Resources == 1 && pages[1].Whole && pages[1].Pending == 0
	})
	p.visits(site.URL, "/busy image from=/")
	within("a resource was refused", func(pages []livePage) bool {
		return len(pages) == 2 && pages[0].Lacks == 1 && !pages[0].Whole && pages[1].Whole
	})
	var one struct {
		Exchanges []struct{ URL string }
		Lacks     []struct{ Kind, URL, Words string }
	}
	id := url.QueryEscape(told.Pages[0].ID)
	if err := json.Unmarshal([]byte(p.page(livePagePath+"?id="+id)), &one); err != nil {
		t.Fatal(err)
	}
	if len(one.Exchanges) != 3 || len(one.Lacks) != 1 || one.Lacks[0].URL != site.URL+"/busy" ||
		!strings.Contains(one.Lacks[0].Words, "429") {
		t.Errorf("%+v", one)
	}
	if out, errs, code := p.run("remove", "--page", told.Pages[1].ID, "--yes"); code != 0 {
		t.Fatal(out, errs)
	}
	within("a page was removed", func(pages []livePage) bool {
		return len(pages) == 1 && pages[0].URL == site.URL+"/" && pages[0].Lacks == 1 &&
			pages[0].Title == "Page /" && pages[0].Resources == 2
	})
	if status := p.status(livePagePath + "?id=none"); status != http.StatusNotFound {
		t.Errorf("a page that is none: %d", status)
	}
	p.stop()
}
