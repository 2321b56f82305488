//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// person is a browser in which somebody has opened the live page.
type person struct {
	t      *testing.T
	at     string // http://host:port
	cookie *http.Cookie
}

// opens opens the live page of a recorder.
func opens(t *testing.T, p *program) *person {
	t.Helper()
	one := &person{t: t, at: "http://" + p.address}
	res := one.ask("GET", "/", "navigate", nil)
	if len(res.Cookies()) != 1 {
		t.Fatalf("%v", res.Header)
	}
	one.cookie = res.Cookies()[0]
	return one
}

// opensVisited records visits to a site of one page, and opens the live page.
func opensVisited(t *testing.T, visits ...string) (site string, p *program, one *person) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>A page</title>")
	}))
	t.Cleanup(s.Close)
	p = startRecording(t)
	p.visits(s.URL, visits...)
	p.settle()
	return s.URL, p, opens(t, p)
}

func (p *person) ask(method, path, mode string, form url.Values) *http.Response {
	p.t.Helper()
	r, err := http.NewRequest(method, p.at+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header = http.Header{"User-Agent": {"Mozilla/5.0"}, "Sec-Fetch-Mode": {mode}, "Sec-Fetch-Site": {"same-origin"},
		"Sec-Fetch-Dest": {"empty"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	if mode == "navigate" {
		r.Header.Set("Sec-Fetch-Dest", "document")
		r.Header.Set("Sec-Fetch-Site", "none")
	}
	if method == "POST" {
		r.Header.Set("Origin", p.at)
	}
	if p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		p.t.Fatal(err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res
}

// does has the page do something, and returns what it is told.
func (p *person) does(want int, path string, form url.Values, told any) string {
	p.t.Helper()
	return p.told(p.ask("POST", path, "cors", form), want, path, told)
}

func (p *person) sees(path string, told any) {
	p.t.Helper()
	p.told(p.ask("GET", path, "cors", nil), 200, path, told)
}

// seesPages waits for a list of so many pages: while the machine is busy there may be an older one.
func (p *person) seesPages(n int) []livePage {
	p.t.Helper()
	var told struct{ Pages []livePage }
	eventually(p.t, "the pages are listed", func() bool {
		told.Pages = nil
		p.sees(livePagesPath, &told)
		return len(told.Pages) == n
	})
	return told.Pages
}

func (p *person) told(res *http.Response, want int, path string, told any) string {
	p.t.Helper()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != want || !json.Valid(body) {
		p.t.Fatalf("%s: %d, want %d: %s", path, res.StatusCode, want, body)
	}
	if told != nil {
		if err := json.Unmarshal(body, told); err != nil {
			p.t.Fatal(err)
		}
	}
	return string(body)
}

// captures are those that the page lists, by their ID.
func (p *person) captures() map[string]captureJob {
	p.t.Helper()
	var list struct{ Jobs []captureJob }
	p.sees(capturesPath, &list)
	all := map[string]captureJob{}
	for _, j := range list.Jobs {
		all[j.ID] = j
	}
	return all
}

func (p *person) wants(form string) (id string) {
	p.t.Helper()
	values, err := url.ParseQuery(form)
	if err != nil {
		p.t.Fatal(err)
	}
	var told struct{ Job string }
	p.does(200, capturePath, values, &told)
	return told.Job
}

// becomes waits until a capture is in a state.
func (p *person) becomes(id, state string) captureJob {
	p.t.Helper()
	eventually(p.t, "capture "+id+" is "+state, func() bool { return p.captures()[id].State == state })
	return p.captures()[id]
}

// startLively starts a recorder on whose machine that browser is.
func (b *installed) startLively(env ...string) *program {
	b.t.Helper()
	cmd := command(b.dir, "record", "--listen", "127.0.0.1:0", "--log", "json", "--upstream", b.parent)
	cmd.Env = append(cmd.Env, "TMPDIR="+b.temp, "DISPLAY=", "PATH="+b.dir+":"+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return startCommand(b.t, b.dir, "recording", cmd)
}

// TestLiveCapture: what the live page wants is captured beside the recorder, one after another, and
// what each says is told; what is wrong with one is told too.
func TestLiveCapture(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	recorder := b.startLively()
	page := opens(t, recorder)
	isRoot := os.Geteuid() == 0 && runtime.GOOS == "linux"
	if told := page.reads(capturesPath); strings.Contains(told, `"unprotected":true`) != isRoot {
		t.Errorf("whether the browser has a sandbox: %s", told)
	}
	whole := page.wants("url=http://site.example/b&depth=1")
	lacks := page.wants("url=http://site.example/torn")
	done := page.becomes(whole, "done")
	text := strings.Join(done.Lines, "\n")
	if done.Exit == nil || *done.Exit != 0 || done.Depth != 1 || done.Began == nil || done.Ended == nil ||
		!strings.Contains(text, "whole    200  http://site.example/b ") {
		t.Errorf("%+v", done)
	}
	failed := page.becomes(lacks, "failed")
	if *failed.Exit != 1 || failed.Began.Before(*done.Ended) ||
		!strings.Contains(strings.Join(failed.Lines, "\n"), "lacking  200  http://site.example/torn") {
		t.Errorf("%+v", failed)
	}
	lines := recorder.page("/export")
	for _, url := range []string{"http://site.example/b", "urn:view:http://site.example/b"} {
		if !strings.Contains(lines, `"url":"`+url+`"`) {
			t.Errorf("%s is not recorded", url)
		}
	}
	if recorder.stop() != 0 {
		t.Error(recorder.stderr)
	}
	b.isClean()
}

// TestLiveCaptureEnds: one is stopped while it runs, and one that waits; the others end with the
// recorder; nothing of a browser is left.
func TestLiveCaptureEnds(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	recorder := b.startLively()
	page := opens(t, recorder)
	polls := page.wants("url=http://site.example/polls")
	waits := page.wants("url=http://site.example/b")
	last := page.wants("url=http://site.example/polls?last")
	<-b.polled
	var stopped captureJob
	if page.does(200, stopPath, url.Values{"job": {waits}}, &stopped); stopped.State != "stopped" {
		t.Errorf("%+v", stopped)
	}
	page.does(200, stopPath+"?job="+polls, nil, nil)
	page.does(404, stopPath, url.Values{"job": {"17"}}, nil)
	page.becomes(last, "running")
	if got := page.captures(); got[polls].State != "stopped" || got[polls].Exit == nil || got[waits].Began != nil {
		t.Errorf("%+v", got)
	}
	for range len(b.polled) + 1 {
		<-b.polled
	}
	if code := recorder.stop(); code != 0 {
		t.Errorf("%d: %s", code, recorder.stderr)
	}
	b.isClean()
}

// TestLiveCaptureRefused: what is no capture, is too much, or could not be done is said to be so at
// once; no URL is ever a flag of the process that is started.
func TestLiveCaptureRefused(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	recorder := b.startLively()
	page := opens(t, recorder)
	for form, why := range map[string]string{
		"":                                            "scheme",
		"url=":                                        "scheme",
		"url=--out=/tmp/x":                            "scheme",
		"url=/etc/passwd":                             "scheme",
		"url=file:///etc/passwd":                      "scheme",
		"url=http://":                                 "no host",
		"url=http://a:b@site.example/":                "password",
		"url=http://a%2500.example/":                  "no URL",
		"url=http://a.example/%00":                    "NUL",
		"url=http://site.example/&depth=-1":           "depth",
		"url=http://site.example/&depth=x":            "depth",
		"url=http://site.example/&depth=10":           "depth",
		"url=http://site.example/&out=x":              "say url",
		"url=http://a.example/&url=http://b.example/": "each once",
		"url=http://site.example/" + strings.Repeat("x", longestURL): "longer",
	} {
		values, err := url.ParseQuery(form)
		if err != nil {
			t.Fatal(err)
		}
		if said := page.does(400, capturePath, values, nil); !strings.Contains(said, why) {
			t.Errorf("%.60s: %s", form, said)
		}
	}
	flag := page.wants("url=http://site.example/--out=x?--depth%3d9")
	page.becomes(flag, "failed") // which is not there
	if text := strings.Join(page.captures()[flag].Lines, "\n"); !strings.Contains(text,
		"lacking  404  http://site.example/--out=x?--depth=9") {
		t.Errorf("%s", text)
	}
	page.wants("url=http://site.example/polls")
	<-b.polled
	for range captureLimits.Waiting {
		page.wants("url=http://site.example/b")
	}
	said := page.does(503, capturePath, url.Values{"url": {"http://site.example/b"}}, nil)
	if !strings.Contains(said, "20 wait already") {
		t.Error(said)
	}
	page.does(200, "/pause", nil, nil)
	said = page.does(503, capturePath, url.Values{"url": {"http://site.example/b"}}, nil)
	if !strings.Contains(said, "paused") {
		t.Error(said)
	}
	curl, err := http.PostForm(page.at+capturePath, url.Values{"url": {"http://site.example/b"}})
	if err != nil || curl.StatusCode != 401 {
		t.Errorf("without the page: %v %v", curl, err)
	}
	curl.Body.Close()
	recorder.stop()
	if log := recorder.stderr.String(); !strings.Contains(log, `"page":"/pause","client":"127.0.0.1:`) {
		t.Errorf("nobody is named: %s", log)
	}
	b.isClean()
}

// TestLiveCaptureWithoutBrowser: where there is none, that is said at once.
func TestLiveCaptureWithoutBrowser(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	page := opens(t, b.startLively("PATH=/nowhere", "HOME="+b.dir))
	said := page.does(503, capturePath, url.Values{"url": {"http://site.example/b"}}, nil)
	if !strings.Contains(said, "on the recorder's machine") || !strings.Contains(said, "no browser is installed") {
		t.Error(said)
	}
}
