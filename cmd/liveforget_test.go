//go:build unix

package cmd

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
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
	never := page.wants("url=http://never.example/")
	page.becomes(goes, "done")
	page.becomes(stays, "failed")
	page.becomes(never, "failed")
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
	if j := all[never]; j.URL != "http://never.example/" || !strings.Contains(strings.Join(j.Lines, "\n"), j.URL) {
		t.Errorf("what was never captured is named no more: %+v", j)
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
	remove(url.Values{"url": {"http://never.example/"}, "all": {"true"}, "forget": {"true"}})
	if told := page.reads(capturesPath); strings.Contains(told, "never.example") {
		t.Errorf("what was removed from the gaps is named still: %s", told)
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
	everything := func(string, bool) bool { return true }
	left := leftOf{took: everything, index: index, known: map[string]bool{}}
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
		"url=http://b.test/":                  false,
		"url=http://a.example/x":              true,
		"(from http://a.example/x).":          true,
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
	if left.has("http://a.example/x?") { // beyond them
		t.Error("more is looked for than is said")
	}
	if !hasHost(index, "a.example") || hasHost(index, "example") || hasHost(index, "b.test") || !hasHost(index, "") {
		t.Error("hosts")
	}
	var none jobs.Queue[wanted]
	none.Revise(nil, nil)
}

// TestLeftOfWhat: a line goes only for a URL that the removal has taken something of; of one that is cut, if
// nothing is left that begins so; and what a job says since it was looked stays, and what cannot be read
// does not.
func TestLeftOfWhat(t *testing.T) {
	const long = "http://a.example/dir/page?z=1&a="
	index, err := store.Open(t.TempDir()+"/index", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := index.AddFile("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	key, _ := canon.SURT(long + "123")
	err = index.Commit([]store.Capture{{URLKey: key, URL: long + "123", Time: time.Unix(1e9, 0), Status: 200,
		Location: store.Location{File: f.Name, Length: 10}}}, []store.File{f})
	if err != nil {
		t.Fatal(err)
	}
	took := func(url string, cut bool) bool {
		return strings.Contains(url, "/gone") || strings.HasPrefix(url, "http://a.example/") && cut
	}
	left := leftOf{took: took, index: index, known: map[string]bool{},
		gaps: []store.Gap{{URL: "http://b.test/gone/again"}}}
	for line, stays := range map[string]bool{
		"    http://b.test/never (no such host)": true,
		"    http://b.test/gone (no such host)":  false,
		"    http://b.test/gone/again (cut)":     true, // a gap of another time is left
		"lacking  200  http://b.test/bro…":       true, // nothing went of its host
		"whole  200  " + long + "12…":            true,
		"whole  200  " + long + "13…":            false,
		"whole (from http://a.example/dir/pa…)":  true,
		"whole (from http://a.example/dip/pa…)":  false,
		"whole  200  http://a.example/gone#p…":   false, // it is the fragment that is cut
	} {
		if left.names(line) != stays {
			t.Errorf("%q stays: %t", line, !stays)
		}
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	if left.names("http://b.test/gone/2") || left.names("http://a.example/dir/page?z=…") ||
		!left.names("http://b.test/never/2") {
		t.Error("what cannot be read")
	}
	left.index = nil
	if !left.names("http://b.test/gone/later") || left.names("http://b.test/gone") {
		t.Error("what was said since it was looked")
	}
}
