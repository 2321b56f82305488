//go:build unix

package cmd

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"warcorder/cmd/jobs"
	"warcorder/store"
)

// TestLiveForgets: after a removal neither the list of captures nor the overview names what went; what
// is left of others stays.
func TestLiveForgets(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	recorder := b.startLively()
	page := opens(t, recorder)
	goes, stays := page.wants("url=http://site.example/b%23part"), page.wants("url=http://site.example/torn")
	page.becomes(goes, "done")
	page.becomes(stays, "failed")
	recorder.page("/export") // waits for what was fetched
	remove := func(form url.Values) {
		t.Helper()
		if j := page.removes(form); j.Result == nil || !j.Result.Done {
			t.Fatalf("%+v", j)
		}
	}
	remove(url.Values{"url": {"http://site.example/b"}, "all": {"true"}, "forget": {"true"}})
	all := page.captures()
	if j := all[goes]; j.URL != "" || strings.Contains(strings.Join(j.Lines, "\n"), "site.example/b") {
		t.Errorf("it is named still: %+v", j)
	}
	if j := all[stays]; j.URL != "http://site.example/torn" ||
		!strings.Contains(strings.Join(j.Lines, "\n"), "lacking  200  http://site.example/torn") {
		t.Errorf("what stays is named no more: %+v", j)
	}
	if told := page.reads("/live/overview"); !strings.Contains(told, `"name":"site.example"`) {
		t.Errorf("a host of which something is left is named no more: %s", told)
	}
	remove(url.Values{"url": {"http://site.example/"}, "match": {"host"}, "all": {"true"}, "forget": {"true"}})
	eventually(t, "the overview names the host no more", func() bool { // what it has found counts for a second
		return !strings.Contains(page.reads("/live/overview"), "site.example")
	})
	for _, path := range []string{capturesPath, removalsPath} {
		if told := page.reads(path); strings.Contains(told, "site.example") {
			t.Errorf("%s names it still: %s", path, told)
		}
	}
	if recorder.stop() != 0 {
		t.Error(recorder.stderr)
	}
	b.isClean()
}

// TestLeftOf: lines are judged by the URLs in them, of which no more are looked for than is said.
func TestLeftOf(t *testing.T) {
	index, err := store.Open(t.TempDir()+"/index", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	f, err := index.AddFile("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	c := store.Capture{URLKey: "example,a)/x", URL: "http://a.example/x", Time: time.Unix(1e9, 0), Status: 200,
		Location: store.Location{File: f.Name, Length: 10}}
	if err := index.Commit([]store.Capture{c}, []store.File{f}); err != nil {
		t.Fatal(err)
	}
	left := leftOf{index, map[string]bool{}}
	for line, stays := range map[string]bool{
		"":                                    true,
		"Page 1 of 2, in 1 s":                 true,
		"whole 200 http://a.example/x 1 s":    true,
		"from http://a.example/x#part":        true,
		"whole 200 http://a.example/y 1 s":    false,
		"(http://a.example/x http://b.test/)": false,
		"https://a.example/x…":                false,
		`"http://b.test/`:                     false,
		"see view:http://b.test/":             false,
		"HTTP://b.test/":                      false,
	} {
		if left.names(line) != stays {
			t.Errorf("%q stays: %t", line, !stays)
		}
	}
	for i := range 2 * mostLookedFor {
		left.has("http://b.test/" + strings.Repeat("x", i))
	}
	if len(left.known) != mostLookedFor {
		t.Errorf("%d are remembered", len(left.known))
	}
	if !hasHost(index, "a.example") || hasHost(index, "example") || hasHost(index, "b.test") || !hasHost(index, "") {
		t.Error("hosts")
	}
	var none jobs.Queue[wanted]
	none.Revise(nil, nil)
}
