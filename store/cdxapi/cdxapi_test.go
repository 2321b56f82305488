package cdxapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

var testTime = time.Date(2026, 11, 21, 5, 45, 12, 0, time.UTC)

// newIndex makes an index of captures: all of one file, one behind the other.
func newIndex(t testing.TB, captures []store.Capture) *store.Bolt {
	t.Helper()
	b, err := store.Open(filepath.Join(t.TempDir(), "index.bolt"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	add(t, b, captures)
	return b
}

// add adds captures to an index.
func add(t testing.TB, b *store.Bolt, captures []store.Capture) {
	t.Helper()
	file, err := b.AddFile("w.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	for i := range captures {
		captures[i].Location = store.Location{File: file.Name, Offset: file.Committed + int64(i), Length: 100}
	}
	file.Committed += int64(len(captures))
	if err := b.Commit(captures, []store.File{file}); err != nil {
		t.Fatal(err)
	}
}

// captureOf returns a capture of a URL, so many seconds behind testTime. The digest is a SHA-1 of
// that letter.
func captureOf(url string, seconds int, mime string, status int, digest string) store.Capture {
	key, _ := canon.SURT(url)
	return store.Capture{URLKey: key, URL: url, Time: testTime.Add(time.Duration(seconds) * time.Second),
		MIME: mime, Status: status, Digest: "sha1:" + strings.Repeat(digest, 32)}
}

// posted returns a capture of what was posted to a URL.
func posted(method, url, body string, seconds int) store.Capture {
	c := store.Capture{URL: url, Method: method, MIME: "text/plain", Status: 200,
		Time: testTime.Add(time.Duration(seconds) * time.Second)}
	(&store.Keyer{}).Fill(&c, canon.Request{ContentType: "application/x-www-form-urlencoded",
		Body: []byte(body), BodyLen: int64(len(body))})
	return c
}

// some are captures of a few URLs.
func some() []store.Capture {
	const page = "http://a.example/page"
	return []store.Capture{
		captureOf("http://a.example/", -100, "text/html", 200, "A"),
		captureOf(page, -86400, "text/html", 200, "B"),
		captureOf(page, -3600, "text/html", 404, "C"),
		captureOf(page, 0, "text/html", 200, "B"),
		captureOf(page, 0, revisit, 200, "B"),
		captureOf(page, 1, revisit, 200, "B"),
		captureOf(page, 10, "text/html", 304, "D"),
		captureOf(page, 7200, "text/html", 301, "E"),
		captureOf(page+"?a=1", 5, "application/json", 200, "F"),
		captureOf("http://sub.a.example/x", 3, "image/png", 200, "G"),
		captureOf("http://b.example/", 4, "text/html", 200, "A"),
		posted("POST", page, "a=1&b=2", 20),
		posted("PUT", page, "a=1&b=2", 21),
	}
}

// server answers with all handlers of an index.
func server(t testing.TB, b *store.Bolt, limits bounds) *httptest.Server {
	return telling(t, b, limits, nil)
}

// telling is server whose handlers tell of each transaction.
func telling(t testing.TB, b *store.Bolt, limits bounds,
	told func(ctx context.Context, looked int)) *httptest.Server {
	t.Helper()
	c := Collection{Name: "a b", Index: func() *store.Bolt { return b }}
	search, maps := newHandler(c, limits, askedOfWayback), newHandler(c, limits, askedOfTimeMap)
	pywb := newHandler(c, limits, askedOfPywb)
	search.told, maps.told, pywb.told = told, told, told
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/cdx/search"):
			search.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/web/timemap/"):
			maps.ServeHTTP(w, r)
		default:
			pywb.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// ask asks for a path, and returns status and body.
func ask(t testing.TB, s *httptest.Server, path string) (int, string) {
	t.Helper()
	res, err := http.Get(s.URL + path)
	if err != nil {
		t.Fatal(path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(path, err)
	}
	return res.StatusCode, string(body)
}

// briefly returns of each line which capture it is: its offset.
func briefly(body string) string {
	var numbers []string
	for line := range strings.Lines(body) {
		_, rest, _ := strings.Cut(line, `"offset":"`)
		number, _, _ := strings.Cut(rest, `"`)
		numbers = append(numbers, number)
	}
	return strings.Join(numbers, " ")
}

// TestPywb: what the parameters of pywb's API select, in which order.
func TestPywb(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	page := "/cdx?url=" + url.QueryEscape("http://a.example/page")
	for _, test := range []struct{ path, want string }{
		{page, "1 2 3 4 5 7"},
		{"/cdx?url=a.example/page", "1 2 3 4 5 7"},
		{"/cdx?url=http://WWW.a.example:80/PAGE", "1 2 3 4 5 7"},
		{page + "&all=yes", "1 2 3 4 5 6 7"},
		{"/cdx?url=a.example/nothing", ""},
		{page + "*", "1 2 3 4 5 7 11 12 8"},
		{"/cdx?url=a.example/*", "0 1 2 3 4 5 7 11 12 8"},
		{"/cdx?url=*.a.example", "0 1 2 3 4 5 7 11 12 8 9"},
		{"/cdx?url=*.a.example&matchType=", "0 1 2 3 4 5 7 11 12 8 9"},
		{"/cdx?url=example&matchType=domain", "0 1 2 3 4 5 7 11 12 8 9 10"},
		{page + "&matchType=host", "0 1 2 3 4 5 7 11 12 8"},
		{page + "&matchType=prefix&limit=2", "1 2"},
		{page + "&matchType=exact&limit=0", "1 2 3 4 5 7"},
		{page + "&from=20261121054512", "3 4 5 7"},
		{page + "&from_ts=20261121&to=20261121054512", "2 3 4"},
		{page + "&to=20261120", "1"},
		{page + "&sort=reverse", "7 5 4 3 2 1"},
		{page + "&reverse=true&limit=2", "7 5"},
		{"/cdx?url=*.a.example&sort=reverse&limit=3", "9 8 12"},
		{page + "&closest=20261121054512", "3 4 5 2 7 1"},
		{page + "&closest=20261121054513&sort=closest&limit=4", "5 3 4 2"},
		{page + "&closest=2026", "7 5 3 4 2 1"},
		{page + "&closest=now&limit=1", "7"},
		{page + "&sort=closest&closest=", "1 2 3 4 5 7"},
		{page + "*&closest=20261121054517&limit=4", "8 5 3 4"},
		{page + "&filter==status:200", "1 3 4 5"},
		{page + "&filter=!=status:200", "2 7"},
		{page + "&filter=~status:30|40", "2 7"},
		{page + "&filter=~statuscode:0", ""},
		{page + "&filter=mime:revisit&filter=digest:BBB", "4 5"},
		{page + "&filter=!~mimetype:text/.*", "4 5"},
		{page + "&filter=BBBB", "1 3 4 5"},
		{page + "&content_type=text/html&limit=1", "1"},
		{page + "&collapseTime=8", "1 2 3 7"},
		{page + "&collapseTime=4", "1 2 3 7"},
		{page + "&collapseTime=4&sort=reverse", "7 3 2 1"},
		{page + "&collapseTime=4&sort=reverse&limit=2", "7 3"},
		{page + "&collapseTime=4&sort=reverse&filter=!%3Dstatus:301", "3 2 1"},
		{page + "&collapseTime=4&closest=20261121054514", "3 2 7 1"},
		{page + "&method=POST&requestBody=a%3D1%26b%3D2", "11"},
		{page + "&method=put&requestBody=a%3D1%26b%3D2", "12"},
		{page + "&method=PUT&requestBody=a%3D1", ""},
		{page + "&page=0&sort=reverse", "7 5 4 3 2 1"},
		{page + "&page=0&closest=20261121054513", "5 3 4 2 7 1"},
		{page + "&allowFuzzy=1&nosource=true&unknown=x", "1 2 3 4 5 7"},
	} {
		if status, body := ask(t, s, test.path); status != 200 || briefly(body) != test.want {
			t.Errorf("%s\n\t%d %q, not %q\n%.300s", test.path, status, briefly(body), test.want, body)
		}
	}
}

// TestCollapsedBackwards: an answer that turns round what is collapsed looks no farther than others do
// without a line.
func TestCollapsedBackwards(t *testing.T) {
	var captures []store.Capture
	for i := range 3000 {
		captures = append(captures, captureOf("http://a.example/page", i/1500*366*86400, "text/html", 200, "A"))
	}
	b := newIndex(t, captures)
	const path = "/cdx?url=a.example/page&sort=reverse&collapseTime=4&limit=1"
	if status, body := ask(t, server(t, b, usual), path); status != 200 || briefly(body) != "1500" {
		t.Errorf("%d %q", status, briefly(body))
	}
	limits := usual
	limits.looked = 1000
	if status, body := ask(t, server(t, b, limits), path); status != 400 || !strings.Contains(body, "1,000 captures") {
		t.Errorf("%d %s", status, body)
	}
}

// TestLines: a line equals that of an export, in each output.
func TestLines(t *testing.T) {
	b := newIndex(t, some())
	s := server(t, b, usual)
	var exported strings.Builder
	if _, err := b.Export(&exported, store.Query{URL: "a.example", Match: store.Domain}, nil); err != nil {
		t.Fatal(err)
	}
	if _, body := ask(t, s, "/cdx?url=*.a.example"); body != exported.String() {
		t.Errorf("got %s\nand exported is\n%s", body, exported.String())
	}
	digest := "sha1:" + strings.Repeat("A", 32)
	const root = "/cdx?url=http://a.example/"
	for path, want := range map[string]string{
		"&output=json": `{"urlkey":"example,a)/","timestamp":"20261121054332","url":"http://a.example/",` +
			`"mime":"text/html","status":"200","digest":"` + digest +
			`","length":"100","offset":"0","filename":"w.warc.gz"}` + "\n",
		"&output=text": "example,a)/ 20261121054332 http://a.example/ text/html 200 " + digest +
			" 100 0 w.warc.gz\n",
		"&output=link": `<http://a.example/>; rel="memento"; datetime="Sat, 21 Nov 2026 05:43:32 GMT"` +
			"\n",
		"&fl=status,url,source":         `example,a)/ 20261121054332 {"status":"200","url":"http://a.example/"}` + "\n",
		"&fields=urlkey&output=json":    `{"urlkey":"example,a)/"}` + "\n",
		"&fl=method,status&output=text": "- 200\n",
	} {
		if status, body := ask(t, s, root+path); status != 200 || body != want {
			t.Errorf("%s: %d\n%s\nnot\n%s", path, status, body, want)
		}
	}
}

// TestResolveRevisits: revisits get the place, the type and the status of their originals, in each
// order; an original may lie before the time that is asked for.
func TestResolveRevisits(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	const page = "/cdx?url=http://a.example/page&resolveRevisits=true&output=text" +
		"&fl=offset,mime,status,orig.length,orig.offset,orig.filename"
	for path, want := range map[string]string{
		"&from=20261121054513": "5 text/html 200 100 1 w.warc.gz\n7 text/html 301 - - -\n",
		"&sort=reverse&limit=3": "7 text/html 301 - - -\n5 text/html 200 100 1 w.warc.gz\n" +
			"4 text/html 200 100 1 w.warc.gz\n",
		"&closest=20261121054513&limit=2": "5 text/html 200 100 1 w.warc.gz\n3 text/html 200 - - -\n",
		"&filter==mime:warc/revisit":      "",
		"&to=2026112105&limit=1":          "1 text/html 200 - - -\n",
	} {
		if status, body := ask(t, s, page+path); status != 200 || body != want {
			t.Errorf("%s: %d\n%s\nnot\n%s", path, status, body, want)
		}
	}
}

// TestRefused: what cannot be answered is said, with the name of the parameter.
func TestRefused(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	for _, test := range []struct{ path, name string }{
		{"/cdx", "url"}, {"/cdx?url=", "url"}, {"/cdx?url=*", "url"}, {"/cdx?url=*.", "url"},
		{"/cdx?url=a&url=b", "url"}, {"/cdx?url=a%0Ab", "url"}, {"/cdx?url=a%00", "url"},
		{"/cdx?url=mailto:x&matchType=host", "url"}, {"/cdx?url=" + strings.Repeat("a", maxText+1), "url"},
		{"/cdx?url=a&matchType=Prefix", "matchType"}, {"/cdx?url=a&matchtype=prefix", "matchtype"},
		{"/cdx?url=a&collapse_time=4", "collapse_time"},
		{"/cdx?url=a&limit=-1", "limit"}, {"/cdx?url=a&limit=x", "limit"},
		{"/cdx?url=a&limit=99999999999999999999", "limit"}, {"/cdx?url=a&from=2026-11", "from"},
		{"/cdx?url=a&to=202611210545120", "to"}, {"/cdx?url=a&from_ts=x", "from_ts"},
		{"/cdx?url=a&closest=yesterday", "closest"}, {"/cdx?url=a&sort=up", "sort"},
		{"/cdx?url=a&reverse=maybe", "reverse"}, {"/cdx?url=a&output=xml", "output"},
		{"/cdx?url=a&fl=status,colour", "fl"}, {"/cdx?url=a&fields=statuscode", "fields"},
		{"/cdx?url=a&filter=~status:(", "filter"}, {"/cdx?url=a&filter=~status:(a)\\1", "filter"},
		{"/cdx?url=a&filter=colour:x", "filter"}, {"/cdx?url=a&filter=~url:((a{50}){50}){50}", "filter"},
		{"/cdx?url=a&filter=" + strings.Repeat("x", maxFilter+1), "filter"},
		{"/cdx?url=a" + strings.Repeat("&filter=a", maxFilters+1), "filter"},
		{"/cdx?url=a&collapseTime=15", "collapseTime"}, {"/cdx?url=a&page=-1", "page"},
		{"/cdx?url=a.example/page&page=1", "page"}, {"/cdx?url=a&pageSize=0", "pageSize"},
		{"/cdx?url=a&showPagedIndex=true", "showPagedIndex"}, {"/cdx?url=a&requestBody=x", "requestBody"},
		{"/cdx?url=a&method=A%20B", "method"}, {"/cdx?url=a*&method=POST", "method"},
		{"/cdx?url=a&%zz", "query"}, {"/cdx?url=a;b", "query"},
		{"/cdx/search/cdx", "url"}, {"/cdx/search/cdx?url=a&output=xml", "output"},
		{"/cdx/search/cdx?url=a&fl=colour", "fl"}, {"/cdx/search/cdx?url=a&collapse=colour", "collapse"},
		{"/cdx/search/cdx?url=a&collapse=digest:0", "collapse"},
		{"/cdx/search/cdx?url=a&filter=status:(", "filter"},
		{"/cdx/search/cdx?url=a&filter=colour:x", "filter"},
		{"/cdx/search/cdx?url=a&resumeKey=x", "resumeKey"},
		{"/cdx/search/cdx?url=a&resumeKey=YQ.1.YWFhYWFhYWFhYWFh", "resumeKey"},
		{"/cdx/search/cdx?url=a&collapse=digest&resumeKey=YQ.1.YWFh", "resumeKey"},
		{"/web/timemap/link?url=a&showResumeKey=true", "showResumeKey"},
		{"/cdx/search/cdx?url=a&showDupeCount=true", "showDupeCount"},
		{"/cdx/search/cdx?url=a&sort=closest", "closest"},
		{"/cdx/search/cdx?url=a&limit=-5&sort=reverse", "limit"},
		{"/cdx/search/cdx?url=a&limit=-1000000", "limit"},
		{"/web/timemap/xml?url=a", "timemap"}, {"/web/timemap/cdx", "url"},
	} {
		status, body := ask(t, s, test.path)
		want := fmt.Sprintf(`"parameter":%q}`, test.name)
		if status != 400 || !strings.Contains(body, want) || !strings.Contains(body, `"error":"`) ||
			!strings.Contains(body, `"message":"`) {
			t.Errorf("%.100s: %d %s", test.path, status, body)
		}
	}
}
