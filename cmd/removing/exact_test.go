package removing

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/selection"
)

// about is what the URI of each kind of record about a page begins with.
var about = []string{"urn:view:", "urn:fullPage:", "urn:thumbnail:", "urn:text:", "urn:pageinfo:", "urn:note:"}

// TestRemoveAbout: what is about a page goes with the page's URL, by whatever match that is selected,
// and what is about another stays.
func TestRemoveAbout(t *testing.T) {
	for _, test := range []struct {
		match store.Match
		gone  []string
	}{
		{store.Exact, []string{"https://example.com/a"}},
		{store.Prefix, []string{"https://example.com/a", "https://example.com/ab"}},
		{store.Host, []string{"https://example.com/a", "https://example.com/ab", "https://example.com/b"}},
		{store.Domain, []string{"https://example.com/a", "https://example.com/ab", "https://example.com/b",
			"http://sub.example.com:8080/a"}},
	} {
		t.Run(string(test.match), func(t *testing.T) {
			r := start(t, nil)
			for _, url := range []string{"https://example.com/a", "https://example.com/ab",
				"https://example.com/b", "http://sub.example.com:8080/a", "https://example.org/a"} {
				for _, kind := range append(about, "") {
					r.get(kind+url, page("of "+url))
				}
			}
			after := r.all()
			maps.DeleteFunc(after, func(_ string, s shown) bool {
				of, _ := cutAny(s.url, about)
				return slices.Contains(test.gone, of)
			})
			done := r.remove(selection.Selection{URL: "https://example.com/a", Match: test.match}, nil)
			if done.Captures != int64(len(test.gone)*(len(about)+1)) {
				t.Errorf("%+v", done)
			}
			r.same(after)
			r.verified()
		})
	}
}

// cutAny cuts the first of some beginnings off a text that it has.
func cutAny(text string, begins []string) (rest string, is bool) {
	for _, begin := range begins {
		if rest, is := strings.CutPrefix(text, begin); is {
			return rest, true
		}
	}
	return text, false
}

// TestRemoveExact: what has the same key as the URL that is named is another URL, which stays, and who
// removes is told of it.
func TestRemoveExact(t *testing.T) {
	meant := "https://example.com/Hush?a=1"
	others := []string{"http://example.com/Hush?a=1", "https://example.com/hush?a=1",
		"https://www.example.com/Hush?a=1"}
	for name, sel := range map[string]selection.Selection{
		"a URL": {URL: meant}, "as somebody types it": {URL: "HTTPS://Example.com:443/Hush?a=1#part"},
		"a page": {Page: meant},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			for _, url := range append([]string{meant}, others...) {
				r.get(url, page("<html>"+url))
				for _, kind := range about {
					r.get(kind+url, page("a picture"))
				}
				r.Gap("upstream", url, "no answer")
			}
			r.send("POST", meant, "", "name=hush", page("posted"))
			before := r.all()
			captures, gaps := int64(2+len(about)), int64(1)
			if sel.Page != "" {
				captures, gaps = 1, 0 // of another time
			}
			done := r.remove(sel, nil)
			slices.Sort(done.Alike)
			if done.Captures != captures || done.Gaps != gaps || len(done.Alike) < 3 ||
				!slices.Contains(done.Alike, others[0]) {
				t.Errorf("%+v", done)
			}
			maps.DeleteFunc(before, func(_ string, s shown) bool {
				_, isAbout := cutAny(s.url, about)
				return s.url == meant && (s.method == "" || sel.Page == "") ||
					isAbout && strings.HasSuffix(s.url, ":"+meant) && sel.Page == ""
			})
			r.same(before)
			r.verified()
		})
	}
}

// TestRemoveRedirected: a page goes that the URL which is named, to the letter, has led to, with the redirect;
// one to which only its like has led stays, and who removes is told of it.
func TestRemoveRedirected(t *testing.T) {
	r := start(t, nil)
	moved := "HTTP/1.1 301 Moved\r\nLocation: https://example.com/%s\r\nContent-Length: 0\r\n\r\n"
	r.get("https://example.com/old", fmt.Sprintf(moved, "new"))
	r.get("https://example.com/new", page("<html>new"))
	r.get("http://example.com/old", fmt.Sprintf(moved, "other"))
	r.get("https://example.com/other", page("<html>other"))
	before := r.all()
	done := r.remove(selection.Selection{Page: "https://example.com/old"}, nil)
	if done.Captures != 2 || !slices.Equal(done.Alike, []string{"http://example.com/old"}) {
		t.Errorf("%+v", done)
	}
	maps.DeleteFunc(before, func(_ string, s shown) bool {
		return s.url == "https://example.com/old" || s.url == "https://example.com/new"
	})
	r.same(before)
	r.verified()
}

// TestSpelling: what browsers take for the same is the same, and nothing else is.
func TestSpelling(t *testing.T) {
	for _, same := range [][2]string{
		{"https://example.com", "https://example.com/"}, {"HTTPS://EXAMPLE.com/a", "https://example.com/a"},
		{"http://example.com:80?a", "http://example.com/?a"}, {"https://example.com/a#b", "https://example.com/a"},
		{"https://example.com/ä b?ö", "https://example.com/%C3%A4%20b?%C3%B6"},
		{" https://example.com/a\n", "https://example.com/a"},
		{"http://[::1]:80/", "http://[::1]/"}, {"https://example.com:/a", "https://example.com/a"},
	} {
		if spelling(same[0]) != spelling(same[1]) {
			t.Errorf("%s: %s", same, spelling(same[0]))
		}
	}
	all := []string{"https://example.com/a", "http://example.com/a", "https://www.example.com/a",
		"https://example.com/A", "https://example.com/a/", "https://example.com/a?", "https://example.com:80/a",
		"https://example.com/%61", "https://me@example.com/a", "example.com/a", "https://example.com/a?a=1&b=2",
		"https://example.com/a?b=2&a=1", "urn:view:https://example.com/a", "https://[::1]/a", "", "::",
		"https://:80/"}
	seen := map[string]bool{}
	for _, url := range all {
		seen[spelling(url)] = true
	}
	if len(seen) != len(all) {
		t.Errorf("%d of %d: %v", len(seen), len(all), seen)
	}
}

// TestRemovePageAway: a page is not removed in part: what of it cannot be read is named.
func TestRemovePageAway(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/", page("<html>"))
	r.rotate()
	r.get("https://example.com/style", "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 1\r\n\r\na")
	finished, err := r.Rotate(t.Context())
	if err != nil || len(finished) != 1 {
		t.Fatal(finished, err)
	}
	name := filepath.Base(finished[0])
	away := filepath.Join(t.TempDir(), name)
	if err := os.Rename(r.dir.WARC(name), away); err != nil {
		t.Fatal(err)
	}
	wish := Wish{Choose: Chosen(t.Context(), selection.Selection{Page: "https://example.com/"})}
	if done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish); err == nil ||
		!strings.Contains(err.Error(), name) {
		t.Errorf("%+v, %v", done, err)
	}
	if err := os.Rename(away, r.dir.WARC(name)); err != nil {
		t.Fatal(err)
	}
	if done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish); err != nil || done.Captures != 2 {
		t.Errorf("%+v, %v", done, err)
	}
}
