package removing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/selection"
)

// listOf is a list of pages of imports, as Pages has it, with a page of each time and URL.
func listOf(pages ...[2]string) string {
	list := `{"format":"json-pages-1.0","id":"pages","title":"Pages"}` + "\n"
	for _, page := range pages {
		list += `{"ts":"` + page[0] + `","url":"` + page[1] + `","id":"1"}` + "\n"
	}
	return list
}

// TestRemoveBeside: what is named by gaps, pages of imports and copies of damage alone goes from there;
// and where nothing names it, exports and former indexes stay.
func TestRemoveBeside(t *testing.T) {
	hush := "https://example.com/hush"
	for name, test := range map[string]struct {
		put  func(r *recording)
		want Removed
		rest int
	}{
		"nothing": {put: func(*recording) {}},
		"a gap":   {put: func(r *recording) { r.Gap("upstream", hush, "no answer") }, rest: 2},
		"a page": {put: func(r *recording) {
			put(r.t, r.dir.Pages(), listOf([2]string{"2026-05-01T12:00:01Z", hush}))
		}, rest: 2},
		"a copy of damage": {put: func(r *recording) {
			put(r.t, r.dir.WARC("other.warc.torn"), stranger("response", 1, "/hush", page("x"))+"damage")
		}, rest: 3},
		"a copy of other damage": {put: func(r *recording) {
			put(r.t, r.dir.WARC("other.warc.torn"), stranger("response", 1, "/other", page("x"))+"damage")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.get("https://example.com/kept", page(text("one")))
			r.Gap("upstream", "https://example.com/other", "no answer")
			if err := os.MkdirAll(filepath.Dir(r.dir.CDXJ()), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, r.dir.CDXJ(), "com,example)/kept 20260501120001 {}\n")
			put(t, r.dir.Index()+".old", "hush")
			test.put(r)
			r.rotate()
			if err := r.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := r.all()
			dry := r.remove(selection.Selection{URL: hush}, func(w *Wish) { w.DryRun = true })
			done := r.remove(selection.Selection{URL: hush}, nil)
			if done.Done != (test.rest > 0) || len(done.Rest) != test.rest || done.Files != 0 ||
				len(dry.Rest) != test.rest || dry.Gaps != done.Gaps || dry.Pages != done.Pages {
				t.Errorf("%+v, and dry %+v", done, dry)
			}
			if names := r.found("hush"); test.rest > 0 && len(names) > 0 {
				t.Errorf("it is still in %q", names)
			}
			_, err := os.Stat(r.dir.CDXJ())
			if gaps, _ := r.Index().Gaps(0); len(gaps.Latest) != 1 || os.IsNotExist(err) != (test.rest > 0) {
				t.Errorf("%+v, %v", gaps, err)
			}
			r.same(before)
			r.verified()
		})
	}
}

// TestRemovePage: with a page go the metadata records about it, its gaps and its line in the list of
// imports; what says so of the same URL at another time stays.
func TestRemovePage(t *testing.T) {
	r := strange(t, stranger("response", 1, "/hush", page("<html>"+text("one")))+
		stranger("metadata", 2, "/hush", "via: nobody\r\n", "Content-Type: application/warc-fields",
			"WARC-Refers-To: "+idOf(1))+
		stranger("response", 30, "/hush", page("<html>"+text("two")))+
		stranger("metadata", 31, "/hush", "via: somebody\r\n", "Content-Type: application/warc-fields",
			"WARC-Refers-To: "+idOf(30)))
	put(t, r.dir.Pages(), listOf([2]string{dateOf(1), "https://example.com/hush"},
		[2]string{dateOf(30), "https://example.com/hush"}, [2]string{"2027-01-01T00:00:00Z", "https://example.com/hush"}))
	r.Gap("cut", "https://example.com/hush", "years later")
	x := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := r.remove(selection.Selection{Page: "https://example.com/hush", To: x.Format("20060102150405")},
		func(w *Wish) { w.Forget = true })
	if done.Captures != 1 || done.Records != 2 || done.Pages != 1 || done.Gaps != 0 {
		t.Errorf("%+v", done)
	}
	b, err := os.ReadFile(r.dir.WARC("x0.warc"))
	if err != nil || strings.Contains(string(b), "nobody") || !strings.Contains(string(b), "somebody") {
		t.Errorf("%s, %v", b, err)
	}
	b, err = os.ReadFile(r.dir.Pages())
	if err != nil || strings.Contains(string(b), dateOf(1)[:19]) || strings.Count(string(b), "hush") != 2 {
		t.Errorf("%s, %v", b, err)
	}
	r.verified()
}

// TestForgetPage: what was removed by a page, and is listed, is forgotten when the same is removed again
// with that wish.
func TestForgetPage(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/hush", page("<html>"+text("one")))
	r.get("https://example.com/kept", page("<html>"+text("two")))
	hush := selection.Selection{Page: "https://EXAMPLE.com/hush"}
	if done := r.remove(hush, nil); done.Captures != 1 || len(r.found("hush")) != 1 {
		t.Errorf("%+v, listed in %q", done, r.found("hush"))
	}
	forget := func(w *Wish) { w.Forget = true }
	if done := r.remove(selection.Selection{Page: "https://example.com/none"}, forget); done.Done {
		t.Errorf("another page: %+v", done)
	}
	if done := r.remove(hush, forget); done.Files != 1 || done.Captures != 0 || len(r.found("hush")) > 0 {
		t.Errorf("%+v, still in %q", done, r.found("hush"))
	}
	if done := r.remove(hush, forget); done.Done {
		t.Errorf("again: %+v", done)
	}
	r.verified()
}

// TestOtherFile: a file that has only a revisit which needs what goes loses nothing else.
func TestOtherFile(t *testing.T) {
	r := strange(t, stranger("response", 1, "/o", page(text("aaaa")), digestA)+
		stranger("request", 2, "/unanswered", "GET /unanswered HTTP/1.1\r\n\r\n"),
		again(3, "/r", digestA, "/o", 1)+stranger("request", 4, "/unanswered", "GET /unanswered HTTP/1.1\r\n\r\n"))
	done := r.remove(selection.Selection{Files: []string{"x0.warc"}}, nil)
	if done.Captures != 1 || done.Records != 2 || done.Files != 2 || done.Moved != 1 {
		t.Errorf("%+v", done)
	}
	if b, err := os.ReadFile(r.dir.WARC("x1.warc")); err != nil || !strings.Contains(string(b), "GET /unanswered") {
		t.Errorf("%s, %v", b, err)
	}
	r.verified()
}
