package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// recording is a real recorder in a directory of its own.
type recording struct {
	*recorder.Recorder
	t   testing.TB
	dir collection.Dir
	now time.Time // of the last exchange
}

func record(t testing.TB, dedupFrom ...string) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	cfg.Dedup.MinSize = 0
	cfg.DedupFrom = dedupFrom
	r := &recording{t: t, dir: collection.Dir(t.TempDir()), now: time.Now().Add(-time.Minute)}
	var err error
	if r.Recorder, err = recorder.Open(cfg, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

const (
	document = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
	image    = "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\nReferer: http://site.example/\r\n"
)

// head is the head of a request.
func head(fields string) string { return "GET / HTTP/1.1\r\nHost: site.example\r\n" + fields + "\r\n" }

// get records the answer to a GET, a second behind the one before.
func (r *recording) get(url, fields, response string) { r.cut(url, fields, response, "") }

// cut records an answer that broke off.
func (r *recording) cut(url, fields, response, truncated string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started, x.Truncated = url, "GET", r.now, truncated
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, head(fields))
	io.WriteString(&x.Response, response)
	x.Commit()
}

// answer is a response with a body of 5 bytes.
func answer(status int, fields string) string {
	return fmt.Sprintf("HTTP/1.1 %d x\r\n%sContent-Length: 5\r\n\r\nhello", status, fields)
}

const html = "Content-Type: text/html\r\n"

// reports are those of what has been recorded.
func (r *recording) reports() *Reports {
	r.t.Helper()
	if err := r.Settle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	files := readback.New(r.dir, r.Index())
	r.t.Cleanup(func() { files.Close() })
	reports := New(r.Index(), files)
	reports.Gaps = r.Gaps
	return reports
}

// each returns the reports that are selected.
func (r *recording) each(s Selection) (all []Report, total Total) {
	r.t.Helper()
	total, err := r.reports().Each(r.t.Context(), s, func(one *Report) error {
		all = append(all, *one)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all, total
}

// told are the findings as text.
func told(w *Wrong) string {
	var lines []string
	for _, f := range w.Findings {
		lines = append(lines, fmt.Sprintf("%s %s %dx %d %s", f.Kind, f.URL, f.Times, f.Status, f.Detail))
	}
	return strings.Join(lines, "\n")
}

// TestReport: what is wrong with a page is found in the index, in the heads and in the gap list, and
// stands under that page.
func TestReport(t *testing.T) {
	r := record(t)
	r.get("http://other.example/", document, answer(200, html))
	r.get("http://site.example/", document, answer(200, html))
	page := r.now
	for i, one := range []string{
		answer(200, "Content-Type: image/png\r\n"), answer(404, ""), answer(403, ""), answer(429, ""),
		answer(503, ""), answer(200, "CF-Mitigated: challenge\r\n"), answer(200, "Content-Encoding: zstd\r\n"),
		answer(200, "Content-Encoding: gzip, Br\r\n"),
		answer(206, "ETag: \"a\"\r\nContent-Range: bytes 0-4/10\r\n"),
		answer(206, "ETag: \"b\"\r\nContent-Range: bytes 0-4/5\r\n"),
	} {
		r.get(fmt.Sprintf("http://site.example/%d", i), image, one)
	}
	r.get("http://site.example/3", image, answer(429, ""))
	r.cut("http://site.example/film", image, "HTTP/1.1 200 x\r\nContent-Length: 50\r\n\r\nhello", "disconnect")
	r.GapOf(recorder.GapCut, "http://site.example/film", "the origin hung up", []byte(head(image)))
	// broken off, and then had
	r.cut("http://site.example/had", image, "HTTP/1.1 200 x\r\nContent-Length: 50\r\n\r\nhello", "disconnect")
	r.GapOf(recorder.GapCut, "http://site.example/had", "the origin hung up", []byte(head(image)))
	r.get("http://site.example/had", image, answer(200, ""))
	r.cut("http://site.example/stream", image, "HTTP/1.1 200 x\r\nContent-Type: text/event-stream\r\n\r\ndata: 1",
		"disconnect")
	r.GapOf(recorder.GapCut, "http://site.example/stream", "the client went away", []byte(head(image)))
	r.GapOf(recorder.GapUpstream, "http://site.example/away", "no answer", []byte(head(image)))
	r.GapOf(recorder.GapBlocked, "http://192.168.0.1/", "not there", []byte(head(image)))
	r.GapOf(recorder.GapUpstream, "http://nowhere.example/", "no such host", []byte(head(document)))
	r.GapsMore(recorder.GapUnrecorded, 7)

	all, total := r.each(Selection{})
	if len(all) != 2 || !all[0].Whole || all[1].Whole || all[1].URL != "http://site.example/" ||
		all[1].Time != page.UTC().Format(time.RFC3339) || all[1].Resources != 15 {
		t.Fatalf("%+v", all)
	}
	want := "failed http://site.example/away 1x 0 no answer\n" +
		"cut http://site.example/film 1x 200 the origin hung up\n" +
		"part http://site.example/8 1x 206 bytes 0-4/10\n" +
		"refused http://192.168.0.1/ 1x 0 not there\n" +
		"forbidden http://site.example/2 1x 403 \n" +
		"tooMany http://site.example/3 2x 429 \n" +
		"unavailable http://site.example/4 1x 503 \n" +
		"challenge http://site.example/5 1x 200 cloudflare\n" +
		"coding http://site.example/6 1x 200 zstd"
	if got := told(&all[1].Wrong); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if film := all[1].Findings[1]; film.Received != 5 || film.Expected != 50 {
		t.Errorf("of what broke off: %+v", film)
	}
	elsewhere := "failed http://nowhere.example/ 1x 0 no such host"
	if got := told(total.Elsewhere); got != elsewhere || total.Pages != 2 || total.Whole != 1 ||
		total.Unrecorded != 7 {
		t.Errorf("%+v\n%s", total, got)
	}

	one, total := r.each(Selection{Page: "http://site.example/"})
	if len(one) != 1 || told(&one[0].Wrong) != want || total.Elsewhere != nil || total.Pages != 1 {
		t.Errorf("by URL: %+v %+v", one, total)
	}
	if one, _ = r.each(Selection{Page: all[0].ID}); len(one) != 1 || !one[0].Whole {
		t.Errorf("by ID: %+v", one)
	}
	if one, _ = r.each(Selection{From: second(page)}); len(one) != 1 || told(&one[0].Wrong) != want {
		t.Errorf("by time: %+v", one)
	}
}

// TestLateCut: that the whole of something did not come is found long after its page, and belongs to it,
// also if the request named no page; and so does the answer to the recorder that broke off as well.
func TestLateCut(t *testing.T) {
	r := record(t)
	const alone = "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n"
	const torn = "HTTP/1.1 200 x\r\nContent-Length: 50\r\n\r\nhello"
	r.get("http://site.example/", document, answer(200, html))
	r.cut("http://site.example/film", alone, torn, "disconnect")
	r.now = r.now.Add(40 * time.Second)
	x := r.Begin()
	x.URL, x.Method, x.Started, x.Truncated = "http://site.example/film", "GET", r.now, "disconnect"
	x.Completion = "cut"
	io.WriteString(&x.Request, head(alone))
	io.WriteString(&x.Response, strings.Replace(torn, "hello", "world", 1))
	x.Commit()
	r.GapOf(recorder.GapCut, "http://site.example/film", "the whole did not come either", []byte(head(alone)))
	r.GapOf(recorder.GapUpstream, "http://site.example/film", "no answer", []byte(head(alone)))
	all, total := r.each(Selection{})
	if len(all) != 1 || told(&all[0].Wrong) != "cut http://site.example/film 2x 200 the whole did not come either" {
		t.Errorf("%+v", all)
	}
	if got := told(total.Elsewhere); got != "failed http://site.example/film 1x 0 no answer" {
		t.Error(got)
	}
}

// TestLateRedirect: what came behind a redirect to nowhere belongs to the page that is asked for, though
// the page of that redirect is only known later.
func TestLateRedirect(t *testing.T) {
	r := record(t)
	r.get("http://site.example/", document, answer(200, html))
	const ofPage = "Referer: http://site.example/\r\n"
	r.get("http://site.example/go", ofPage, answer(302, "Location: /nowhere\r\n"))
	r.get("http://site.example/a", ofPage, answer(200, ""))
	r.get("http://site.example/many", ofPage, answer(429, ""))
	for _, s := range []Selection{{}, {Page: "http://site.example/"}} {
		if all, _ := r.each(s); len(all) != 1 || all[0].Counts[TooMany] != 1 {
			t.Errorf("%+v: %+v", s, all)
		}
	}
}

// TestGone: what was recorded and cannot be read is missing, and the rest is told all the same.
func TestGone(t *testing.T) {
	r := record(t)
	r.get("http://site.example/", document, answer(200, html))
	r.get("http://site.example/a", image, answer(200, ""))
	reports := r.reports()
	files := readback.New(collection.Dir(t.TempDir()), r.Index())
	defer files.Close()
	reports.files = files
	var got []Report
	if _, err := reports.Each(t.Context(), Selection{}, func(one *Report) error {
		got = append(got, *one)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Counts[Missing] != 2 {
		t.Errorf("%+v", got)
	}
}

// TestSelections: pages that are not there, and what selects none, are errors.
func TestSelections(t *testing.T) {
	r := record(t)
	reports := r.reports()
	for _, s := range []Selection{{Page: "http://site.example/"}, {From: "x"}, {Page: "x", From: "2026"},
		{To: "202"}, {From: "20261399"}} {
		_, err := reports.Each(t.Context(), s, func(*Report) error { return nil })
		if err == nil {
			t.Errorf("%+v is no error", s)
		}
	}
}

// TestLines: the lines of JSON are the pages, and then the total.
func TestLines(t *testing.T) {
	r := record(t)
	r.get("http://site.example/", document, answer(200, html))
	var lines []string
	err := r.reports().Lines(t.Context(), Selection{}, func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	})
	if err != nil || len(lines) != 2 || !json.Valid([]byte(lines[0])) ||
		!strings.Contains(lines[0], `"url":"http://site.example/","ts":"`) ||
		!strings.Contains(lines[0], `"resources":0,"whole":true,"wrong":{},"findings":[]}`) ||
		lines[1] != `{"total":{"pages":1,"whole":1,"elsewhere":{"wrong":{},"findings":[]},`+
			`"unrecorded":0,"untimed":0}}`+"\n" {
		t.Errorf("%q, %v", lines, err)
	}
}

// TestReasons: every reason of a gap has a kind, and each kind is in its list.
func TestReasons(t *testing.T) {
	for _, reason := range recorder.GapReasons {
		if kind, ok := kindsOfGaps[reason]; !ok || reason != recorder.GapPaused && !slices.Contains(Kinds, kind) {
			t.Errorf("%s: %q", reason, kind)
		}
	}
}

// FuzzHead: whatever stands in a head, its coding is found in linear time, or none.
func FuzzHead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: zstd, gzip\r\n\r\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if coding := unknownCoding(head); len(coding) > 3*64 || coding != strings.ToLower(coding) {
			t.Errorf("%q", coding)
		}
	})
}

// TestOddIDs: a list whose IDs have control characters, as an older version took them in, breaks no
// report, and its pages are told.
func TestOddIDs(t *testing.T) {
	for _, id := range []string{`plain`, `a\u0000b`, `\u0000x`, `\u0000`} {
		r := record(t)
		r.get("http://site.example/", document, answer(200, html))
		list := `{"ts":"` + r.now.UTC().Format("2006-01-02T15:04:05.000000Z") +
			`","url":"http://site.example/","id":"` + id + `"}` + "\n"
		if err := os.WriteFile(r.dir.Pages(), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, total := r.each(Selection{}); len(all) != 1 || total.Pages != 1 || !all[0].Whole {
			t.Errorf("%s: %+v", id, all)
		}
	}
}

// TestNamedTwice: of a document that lists call several pages there is one report, whichever of them
// is asked for, with what is wrong with it.
func TestNamedTwice(t *testing.T) {
	r := record(t)
	r.get("http://site.example/", document, answer(200, html))
	ts := r.now.UTC().Format("2006-01-02T15:04:05.000000Z")
	r.get("http://site.example/a.png", image, answer(403, ""))
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := `{"ts":"` + ts + `","url":"http://site.example/","id":"one"}` + "\n" +
		`{"ts":"` + ts + `","url":"http://site.example/#/b","id":"two"}` + "\n"
	if err := os.WriteFile(r.dir.Pages(), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"", "one", "two", "http://site.example/"} {
		all, total := r.each(Selection{Page: page})
		if len(all) != 1 || total.Pages != 1 || all[0].ID != "one" || all[0].Whole ||
			!strings.HasPrefix(told(&all[0].Wrong), "forbidden http://site.example/a.png") {
			t.Errorf("%q: %+v", page, all)
		}
	}
}
