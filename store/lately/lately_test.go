package lately

import (
	"encoding/json"
	"fmt"
	escape "html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/report"
)

// recording is a recorder whose newest pages are told over HTTP.
type recording struct {
	*recorder.Recorder
	*Lately
	t    testing.TB
	dir  collection.Dir
	now  time.Time // of the last exchange
	list string    // URL
	page string
}

func startRecording(t testing.TB) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.MinFreeSpace, cfg.Dedup.MinSize = 0, 0
	r := &recording{t: t, dir: collection.Dir(t.TempDir()), now: time.Now().Add(-time.Minute)}
	var err error
	if r.Recorder, err = recorder.Open(cfg, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	r.Lately = New(Source{Files: readback.New(r.dir, r.Index()), Index: r.Index(), Gaps: r.Gaps, Settle: r.Settle})
	r.once = 0 // each question looks
	mux := http.NewServeMux()
	mux.Handle("/pages", r.List())
	mux.Handle("/page", r.Page())
	server := httptest.NewServer(mux)
	r.list, r.page = server.URL+"/pages", server.URL+"/page"
	t.Cleanup(func() { server.Close(); r.Lately.Close(); r.Recorder.Close() })
	return r
}

// Index is that of the recorder.
func (r *recording) Index() *store.Bolt { return r.Recorder.Index() }

// Close is for nobody: the cleanup closes both.
func (r *recording) Close() {}

const (
	document = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
	image    = "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\nReferer: http://site.example/\r\n"
	html     = "Content-Type: text/html\r\n"
)

func (r *recording) get(url, fields, response string) { r.cut(url, fields, response, "") }

// cut records an answer that broke off, a tenth of a second behind the one before.
func (r *recording) cut(url, fields, response, truncated string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(100 * time.Millisecond)
	x.URL, x.Method, x.Started, x.Truncated = url, "GET", r.now, truncated
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, requestHead(fields))
	io.WriteString(&x.Response, response)
	x.Commit()
}

func requestHead(fields string) string {
	return "GET / HTTP/1.1\r\nHost: site.example\r\n" + fields + "\r\n"
}

// answer is a response with a body.
func answer(status int, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d x\r\n%sContent-Length: %d\r\n\r\n%s", status, fields, len(body), body)
}

// ask asks for a page, and decodes what is answered.
func askFor[T any](r *recording, at string, form url.Values) (got T) {
	r.t.Helper()
	res, err := http.Get(at + "?" + form.Encode())
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: %.300s, %v", res.Status, text, err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		r.t.Fatal(err)
	}
	return got
}

// newest asks for the newest pages until nothing is pending.
func (r *recording) newest() (got list) {
	r.t.Helper()
	for range 100 {
		got := askFor[list](r, r.list, nil)
		if !slices.ContainsFunc(got.Pages, func(p Page) bool { return p.Pending > 0 }) && !got.Behind {
			return got
		}
	}
	r.t.Fatalf("something stays pending: %+v", got)
	return got
}

// agrees says that the list, and each page, say what the report does.
func (r *recording) agrees() {
	r.t.Helper()
	got := r.newest()
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	reports := report.New(r.Index(), files)
	reports.Gaps = r.Gaps
	var want []report.Report
	_, err := reports.Each(r.t.Context(), report.Selection{}, func(one *report.Report) error {
		want = append(want, *one)
		return nil
	})
	if err != nil || len(want) != len(got.Pages) {
		r.t.Fatalf("%d pages, the report has %d; %v", len(got.Pages), len(want), err)
	}
	slices.Reverse(want)
	for i, page := range got.Pages {
		lacks := 0
		for kind, n := range want[i].Counts {
			if kind != report.Outside {
				lacks += n
			}
		}
		if page.ID != want[i].ID || page.Lacks != lacks || page.Whole != want[i].Whole ||
			page.Resources != want[i].Resources {
			r.t.Errorf("%+v, the report has %+v", page, want[i])
		}
		one := askFor[detail](r, r.page, url.Values{"id": {page.ID}})
		var found []report.Finding
		for _, lack := range one.Lacks {
			found = append(found, lack.Finding)
			if lack.Words == "" {
				r.t.Errorf("%s has no words", lack.Kind)
			}
		}
		if !slices.Equal(found, want[i].Findings) || one.Page != page && !samePage(one.Page, page) {
			r.t.Errorf("%+v\n%+v\nthe report has %+v", one.Page, found, want[i].Findings)
		}
		if len(one.Exchanges)+one.More != page.Resources+1 {
			r.t.Errorf("%d exchanges, %d more, of %d resources", len(one.Exchanges), one.More, page.Resources)
		}
	}
}

func samePage(a, b Page) bool {
	if a.Thumbnail == nil || b.Thumbnail == nil || *a.Thumbnail != *b.Thumbnail {
		return false
	}
	a.Thumbnail, b.Thumbnail = nil, nil
	return a == b
}

// TestAgrees: whatever is wrong with a page, the list counts what its report finds, and the page has
// its findings; also right after the answer that broke, and once the whole has come.
func TestAgrees(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	r.get(site, document, answer(200, html, "<title>A page</title>"))
	r.get(site+"whole.png", image, answer(200, "", "whole"))
	r.agrees()
	if page := r.newest().Pages[0]; !page.Whole || page.Title != "A page" {
		t.Errorf("%+v", page)
	}
	lacks := 0
	for name, break_ := range map[string]func(url string){
		"cut":         func(url string) { r.cut(url, image, answer(200, "", "cut off")[:41], "disconnect") },
		"forbidden":   func(url string) { r.get(url, image, answer(403, "", "no")) },
		"tooMany":     func(url string) { r.get(url, image, answer(429, "", "no")) },
		"unavailable": func(url string) { r.get(url, image, answer(503, "", "no")) },
		"challenge":   func(url string) { r.get(url, image, answer(403, "cf-mitigated: challenge\r\n", "no")) },
		"coding":      func(url string) { r.get(url, image, answer(200, "Content-Encoding: zstd\r\n", "coded")) },
		"part": func(url string) {
			r.get(url, image, answer(206, "ETag: \"e\"\r\nContent-Range: bytes 0-3/9\r\n", "part"))
		},
		"failed": func(url string) {
			r.GapOf(recorder.GapUpstream, url, "no answer", []byte(requestHead(image)))
		},
		"refused": func(url string) {
			r.GapOf(recorder.GapRefused, url, "too large", []byte(requestHead(image)))
		},
	} {
		break_(site + name)
		break_(site + name) // which is one thing that lacks
		lacks++
		if got := r.newest().Pages[0]; got.Lacks != lacks || got.Whole {
			t.Errorf("%s: right after it the page lacks %d, not %d", name, got.Lacks, lacks)
		}
	}
	r.agrees()
	r.now = time.Now()
	r.get(site+"part", image, answer(200, "ETag: \"e\"\r\n", "part, all"))
	r.get(site+"failed", image, answer(200, "", "it came"))
	if got := r.newest().Pages[0]; got.Lacks != lacks-2 {
		t.Errorf("the page lacks %d, and two of %d have come", got.Lacks, lacks)
	}
	r.agrees()
}

// TestHostilePages: whatever a page says of itself comes as text, a long URL as it is, and two pages at
// once are two; the newest comes first, and each once, however few are asked for at a time.
func TestHostilePages(t *testing.T) {
	const title = "</title><script>alert(1)</script>\"\\\u2028"
	r := startRecording(t)
	long := "http://site.example/" + strings.Repeat("a", 65_536)
	r.get("http://site.example/", document, answer(200, html, "<title>"+escape.EscapeString(title)+"</title>"))
	r.get(long, document, answer(200, html, "<title>"+strings.Repeat("long ", 10_000)+"</title>"))
	r.get("http://site.example/\xff", document, answer(200, html, "<title>\xff\xfe</title>"))
	r.now = r.now.Add(-100 * time.Millisecond) // at the same time
	r.get("http://other.example/", document, answer(200, html, "none"))
	r.get("http://site.example/thumbnail", image, answer(200, "", "none"))
	picture := r.BeginExtra()
	picture.Type, picture.URI, picture.ContentType = recorder.Resource, "urn:thumbnail:http://other.example/", "image/jpeg"
	io.WriteString(&picture.Block, "a picture")
	if err := picture.Commit(); err != nil {
		t.Fatal(err)
	}
	got := r.newest().Pages
	if len(got) != 4 {
		t.Fatalf("%+v", got)
	}
	var one []string
	form := url.Values{"limit": {"1"}}
	for {
		answer := askFor[list](r, r.list, form)
		for _, page := range answer.Pages {
			one = append(one, page.ID)
		}
		if answer.Next == nil {
			break
		}
		form.Set("before", *answer.Next)
	}
	var all []string
	for _, page := range got {
		all = append(all, page.ID)
	}
	if !slices.Equal(one, all) {
		t.Errorf("one by one %v, at once %v", one, all)
	}
	if got[3].Title != title || got[2].URL != long || len(got[2].Title) > maxTitle || !got[3].Whole {
		t.Errorf("%+v", got[3])
	}
	if got := askFor[list](r, r.list, url.Values{"text": {"ALERT(1)"}}).Pages; len(got) != 1 || got[0].Title != title {
		t.Errorf("a word of a title finds %+v", got)
	}
	found := slices.IndexFunc(got, func(p Page) bool { return p.Thumbnail != nil })
	if found < 0 || got[found].URL != "http://other.example/" {
		t.Errorf("the picture is of %d", found)
	}
}

// TestLargePage: of a page with many resources no more is looked at for one question than the bound,
// the next one goes on, and its exchanges come in pieces.
func TestLargePage(t *testing.T) {
	const mostLooked, mostExchanges, n = 200, 150, 400
	r := startRecording(t)
	r.mostLooked, r.mostExchanges = mostLooked, mostExchanges
	r.get("http://site.example/", document, answer(200, html, "all"))
	for i := range n {
		r.get(fmt.Sprint("http://site.example/", i), image, answer(200+i%2*203, "", "x"))
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := askFor[list](r, r.list, nil).Pages[0]
	if first.Pending < n+1-mostLooked || first.Whole {
		t.Errorf("%d of %d are pending", first.Pending, n+1)
	}
	if got := r.newest().Pages[0]; got.Lacks != n/2 || got.Pending != 0 {
		t.Errorf("%+v lacks %d", got, n/2)
	}
	seen := map[At]bool{}
	last := ""
	for more := 1; more > 0; {
		one := askFor[detail](r, r.page, url.Values{"id": {first.ID}, "offset": {fmt.Sprint(len(seen))}})
		if len(one.Exchanges) > mostExchanges || len(one.Lacks) != report.MostFindings || one.Page.Lacks != n/2 ||
			one.MoreLacks != n/2-report.MostFindings {
			t.Fatal(one.MoreLacks, len(one.Exchanges), len(one.Lacks), one.Page.Lacks)
		}
		for _, x := range one.Exchanges {
			seen[x.At] = true
			if x.Time < last {
				t.Fatal(x.Time, "comes behind", last)
			}
			last = x.Time
		}
		more = one.More
	}
	if len(seen) != n+1 {
		t.Errorf("%d exchanges", len(seen))
	}
}

// TestRefusedQuestions: what cannot be answered says what to do.
func TestRefusedQuestions(t *testing.T) {
	r := startRecording(t)
	for at, want := range map[string]int{
		r.list + "?limit=0": 400, r.list + "?limit=x": 400, r.list + "?before=x": 400,
		r.list + "?before=1.x": 200, r.list + "?before=9223372036854775807.": 200, r.list + "?limit=9999": 200,
		r.list + "?before=-9223372036854775808.x": 200,
		r.page: 400, r.page + "?id=x&offset=-1": 400, r.page + "?id=20261124000000-0123456789abcdef": 404,
		r.page + "?id=%ff%00": 404,
	} {
		res, err := http.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Error string }
		err = json.NewDecoder(res.Body).Decode(&said)
		res.Body.Close()
		if res.StatusCode != want || err != nil || (want == 200) != (said.Error == "") {
			t.Errorf("%s: %s %+v %v", at, res.Status, said, err)
		}
	}
}

// TestOurs: what the recorder has asked for itself is marked, for the first question and the next; what a
// client has asked for again is not.
func TestOurs(t *testing.T) {
	const film = "http://site.example/film"
	r := startRecording(t)
	r.get("http://site.example/", document, answer(200, html, "a page"))
	r.cut(film, image, answer(200, "", "cut off")[:41], "disconnect")
	x := r.Begin()
	r.now = r.now.Add(100 * time.Millisecond)
	x.URL, x.Method, x.Started, x.Completion = film, "GET", r.now, "cut"
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, requestHead(image))
	io.WriteString(&x.Response, answer(200, "", "cut off"))
	x.Commit()
	r.get(film, image, answer(200, "", "asked for again"))
	for range 2 {
		one := r.one(r.newest().Pages[0].ID)
		var got []string
		for _, e := range one.Exchanges {
			got = append(got, e.Completion)
		}
		if !slices.Equal(got, []string{"", "", "cut", ""}) {
			t.Errorf("%q", got)
		}
	}
}

// TestLooked: an answer says at how many pages it has looked, and goes on there.
func TestLooked(t *testing.T) {
	r := startRecording(t)
	for i := range 3 {
		r.get(fmt.Sprint("http://site.example/", i), document, answer(200, html, "a page"))
	}
	r.newest()
	none := askFor[list](r, r.list, url.Values{"text": {"none"}})
	one := askFor[list](r, r.list, url.Values{"text": {"example/1"}, "limit": {"1"}})
	if none.Looked != 3 || len(none.Pages) != 0 || none.Next != nil || one.Looked != 2 || one.Next == nil {
		t.Errorf("%+v\n%+v", none, one)
	}
}
