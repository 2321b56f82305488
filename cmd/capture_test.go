//go:build unix

package cmd

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// captureSite is the pages of http://site.example/, by path.
var captureSite = map[string]string{
	"/": `<a href="http://site.example/a">a</a> <a href="http://site.example/b#c">b</a>` +
		`<a href="http://other.example/">other</a> <a href="javascript:x">x</a>`,
	"/a":     `<a href="http://site.example/deep">deep</a> <a href="http://site.example/">back</a>`,
	"/b":     "page b",
	"/deep":  "page deep",
	"/polls": "polls",
	"/crash": "crash",
	"/die":   "die",
	"/ends":  "ends",
	"/film":  "a film",
	"/torn":  "needs http://site.example/cut.png",
	"/busy":  "needs http://site.example/busy.png",
	"/holes": "needs http://other.example/picture.png",
}

// installChromium is installBrowser with a browser that can be driven, and with a site behind it.
func installChromium(t *testing.T) *installed {
	t.Helper()
	polled := make(chan struct{}, 100)
	parent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/polls" {
			polled <- struct{}{}
		}
		body, ok := captureSite[r.URL.Path]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.Host == "never.example":
			panic(http.ErrAbortHandler) // gives no answer
		case r.URL.Path == "/cut.png":
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", "1000000")
			io.WriteString(w, "the beginning")
		case r.URL.Path == "/busy.png":
			w.Header().Set("Content-Type", "image/png")
			w.WriteHeader(http.StatusTooManyRequests)
		case r.URL.Path == "/away":
			http.Redirect(w, r, "http://other.example/", http.StatusFound)
		case ok || r.Host == "other.example":
			io.WriteString(w, body)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(parent.Close)
	b := &installed{t: t, dir: t.TempDir(), temp: t.TempDir(), parent: parent.URL, polled: polled}
	b.app = filepath.Join(b.dir, "chromium")
	script := fmt.Sprintf("#!/bin/sh\nunset RUN_AS_WARCORDER\nRUN_AS_CHROMIUM=1 exec '%s' \"$@\"\n", os.Args[0])
	if err := os.WriteFile(b.app, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

// captureLine returns a process of warcorder capture.
func (b *installed) captureLine(args ...string) *exec.Cmd {
	cmd := b.line(append([]string{"--wait", "1ms"}, args...)...)
	cmd.Args[1] = "capture"
	return cmd
}

// capture runs warcorder capture to its end. Nothing is left of its browser.
func (b *installed) capture(stdin string, args ...string) ran {
	b.t.Helper()
	cmd := b.captureLine(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	b.isClean()
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// TestCapture: each page is visited, said to be whole or not and why, and recorded with its pictures
// and its text; the exit status is 0 only if each is whole.
func TestCapture(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte("# pages\n\nhttp://site.example/a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args, stdin string
		out         []string // the beginnings of the lines that begin at the left margin
		said        string   // in them or on standard error
		code        int
	}{
		"one page": {"http://site.example/b", "", []string{"whole    200  http://site.example/b  "}, "", 0},
		"a list": {"http://site.example/b --urls " + list, "",
			[]string{"whole    200  http://site.example/b", "whole    200  http://site.example/a"}, "", 0},
		"standard input": {"--urls -", "http://site.example/b\n", []string{"whole    200  http://site.example/b"},
			"", 0},
		"links": {"--depth 1 http://site.example/", "", []string{"whole    200  http://site.example/ ",
			"whole    200  http://site.example/a", "whole    200  http://site.example/b "}, "", 0},
		"links of links": {"--depth 9 http://site.example/", "", []string{"whole    200  http://site.example/ ",
			"whole    200  http://site.example/a", "whole    200  http://site.example/b ",
			"whole    200  http://site.example/deep"}, "", 0},
		"other hosts": {"--depth 1 --external http://site.example/", "",
			[]string{"whole    200  http://site.example/ ", "whole    200  http://site.example/a",
				"whole    200  http://site.example/b ", "whole    200  http://other.example/"}, "", 0},
		"few": {"--depth 1 --max-pages 2 http://site.example/", "", []string{
			"whole    200  http://site.example/ ", "whole    200  http://site.example/a"},
			"more links than --max-pages 2", 0},
		"not found": {"http://site.example/none http://site.example/b", "",
			[]string{"lacking  404  http://site.example/none", "whole    200  http://site.example/b"},
			"1 of 2 pages not whole", 1},
		"led away": {"http://site.example/away", "", []string{"lacking    -  http://site.example/away"},
			"it leads to http://other.example/, which is not of the given hosts", 1},
		"led away on purpose": {"--external http://site.example/away", "",
			[]string{"whole    200  http://other.example/"}, "", 0},
		"never quiet": {"--at-most 6s http://site.example/polls", "",
			[]string{"lacking  200  http://site.example/polls"}, "still busy after 6s", 1},
		"a picture breaks off": {"http://site.example/torn http://site.example/b", "",
			[]string{"lacking  200  http://site.example/torn", "whole    200  http://site.example/b"},
			"1 of what it asked for broke off", 1},
		"a picture breaks off, to be completed": {
			"--complete auto http://site.example/torn http://site.example/b", "",
			[]string{"lacking  200  http://site.example/torn", "whole    200  http://site.example/b"},
			"1 of what it asked for broke off", 1},
		"a picture may not be fetched": {"--deny other.example http://site.example/holes", "",
			[]string{"lacking  200  http://site.example/holes"}, "without an answer: 1 of what it asked for", 1},
		"a page may not be fetched": {"--deny other.example http://other.example/", "",
			[]string{"lacking  403  http://other.example/"}, "\n    http://other.example/ (", 1},
		"a picture is told of by the report alone": {"http://site.example/busy http://site.example/b", "",
			[]string{"lacking  200  http://site.example/busy", "whole    200  http://site.example/b"},
			"  answered 429: visit it again later, and slower\n    http://site.example/busy.png\n", 1},
		"crashes": {"http://site.example/crash http://site.example/b", "",
			[]string{"lacking  200  http://site.example/crash", "whole    200  http://site.example/b"}, "crashed", 1},
		"a browser that dies": {"http://site.example/die http://site.example/b", "",
			[]string{"lacking  200  http://site.example/die", "whole    200  http://site.example/b"},
			"the browser has ended", 1},
		"a browser that ends between two pages": {"http://site.example/ends http://site.example/b", "",
			[]string{"whole    200  http://site.example/ends", "whole    200  http://site.example/b"}, "", 0},
		"a URL too long to be a name": {"http://site.example/b?" + strings.Repeat("x", longestNamed), "",
			[]string{"lacking  200  http://site.example/b?xx"}, "too long to name its picture", 1},
		"a mark before the list": {"--urls -", "\ufeffhttp://site.example/b\n",
			[]string{"whole    200  http://site.example/b"}, "", 0},
		"unrecorded": {"--no-record site.example http://site.example/b", "",
			[]string{"lacking  200  http://site.example/b"}, "its document was not recorded", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := installChromium(t)
			got := b.capture(c.stdin, strings.Fields(c.args)...)
			var lines []string
			for line := range strings.Lines(got.stdout) {
				if !strings.HasPrefix(line, " ") {
					lines = append(lines, line)
				}
			}
			if got.code != c.code || len(lines) != len(c.out) || !strings.Contains(got.stdout+got.stderr, c.said) {
				t.Fatalf("%d\n%s%s", got.code, got.stdout, got.stderr)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, c.out[i]) {
					t.Errorf("%q, want %q", line, c.out[i])
				}
				if page := strings.Fields(line)[2]; strings.HasPrefix(line, "whole") {
					b.hasRecords(page)
				}
			}
		})
	}
}

// hasRecords looks for what is recorded of a page.
func (b *installed) hasRecords(page string) {
	b.t.Helper()
	lines := linesIn(b.t, b.dir)
	for _, kind := range []string{"", "urn:view:", "urn:fullPage:", "urn:thumbnail:", "urn:text:"} {
		if kind == "urn:text:" && strings.HasPrefix(page, "http://other.example/") {
			continue // which has none
		}
		if n := strings.Count(lines, `"url":"`+kind+page+`"`); n != 1 {
			b.t.Errorf("%d captures of %s%s", n, kind, page)
		}
	}
}

// linesOf are the CDXJ lines of a collection.
func linesOf(t *testing.T, dir, collection string) string {
	t.Helper()
	out, err := command(dir, "export", "--collection", collection, "-o", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestCaptureBeside: a recorder that has the collection open is used, and goes on; one that is paused
// is not.
func TestCaptureBeside(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	recorder := startRecording(t, "--upstream", b.parent, "--deny", "other.example")
	b.dir = recorder.dir
	got := b.capture("", "http://site.example/b")
	if got.code != 0 || !strings.Contains(got.stderr, recorder.address) ||
		strings.Count(linesIn(t, b.dir), "http://site.example/b\"") != 5 {
		t.Errorf("%d, %s%s\n%s", got.code, got.stdout, got.stderr, linesIn(t, b.dir))
	}
	if got := b.capture("", "http://site.example/torn"); got.code != 1 ||
		!strings.Contains(got.stdout, "1 of what it asked for broke off") {
		t.Errorf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
	if got := b.capture("", "http://other.example/"); got.code != 1 ||
		!strings.Contains(got.stdout, "\n    http://other.example/ (") {
		t.Errorf("nothing says why: %d, %s%s", got.code, got.stdout, got.stderr)
	}
	if out, err := command(b.dir, "pause").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	if got := b.capture("", "http://site.example/a"); got.code != 1 ||
		!strings.Contains(got.stderr, "warcorder resume") || strings.Contains(linesIn(t, b.dir), "example/a") {
		t.Errorf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
	if code := recorder.stop(); code != 0 {
		t.Errorf("the recorder ended with %d", code)
	}
}

// TestCaptureWACZ: what a capture has fetched, and nothing that was there before, is in the file; that
// is so of a lacking page too, and beside a recorder.
func TestCaptureWACZ(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	if got := b.capture("", "http://site.example/a"); got.code != 0 {
		t.Fatalf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
	out := filepath.Join(b.dir, "out.wacz")
	got := b.capture("", "-o", out, "http://site.example/b", "http://site.example/none")
	if got.code != 1 || !strings.Contains(got.stderr, "1 of 2 pages not whole") {
		t.Errorf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
	lines := linesInWACZ(t, out)
	for url, want := range map[string]int{"http://site.example/b": 1, "urn:view:http://site.example/b": 1,
		"urn:text:http://site.example/b": 1, "http://site.example/none": 1, "http://site.example/a": 0} {
		if n := strings.Count(lines, `"`+url+`"`); n != want {
			t.Errorf("%d lines of %s", n, url)
		}
	}
	startRecordingIn(t, b.dir, "--upstream", b.parent)
	beside := filepath.Join(b.dir, "beside.wacz")
	if got := b.capture("", "-o", beside, "http://site.example/deep"); got.code != 0 ||
		!strings.Contains(linesInWACZ(t, beside), `"http://site.example/deep"`) ||
		strings.Contains(linesInWACZ(t, beside), `"http://site.example/a"`) {
		t.Errorf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
}

// linesInWACZ are the lines of the index in a WACZ.
func linesInWACZ(t *testing.T, path string) string {
	t.Helper()
	all, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	file, err := all.Open("indexes/index.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCaptureEnded: a signal ends a capture; what came is recorded, and nothing of the browser is left.
func TestCaptureEnded(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := b.captureLine("--at-most", "1h", "http://site.example/b", "http://site.example/polls",
			"http://site.example/a", "--collection", signal.String(), "-o", filepath.Join(b.dir, "ended.wacz"))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-b.polled:
		case <-time.After(patience):
			t.Error("the second page is not asked for")
		}
		cmd.Process.Signal(signal)
		rest, _ := io.ReadAll(out)
		cmd.Wait()
		b.isClean()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(), "what came is recorded") ||
			strings.Contains(string(rest), "example/a") || !strings.Contains(errs.String(), " wacz -o ") {
			t.Errorf("%v: %d, %s, %s", signal, code, rest, errs.String())
		}
		if lines := linesOf(t, b.dir, signal.String()); !strings.Contains(lines, `"urn:text:http://site.example/b"`) {
			t.Errorf("%v: %s", signal, lines)
		}
	}
}

// TestCaptureRoutes: routes of one document are pages, whose texts have one name.
func TestCaptureRoutes(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	got := b.capture("", "http://site.example/b#/1", "http://site.example/b#/2")
	if got.code != 0 || !strings.Contains(got.stdout, "have the name of page 1's") ||
		strings.Count(linesIn(t, b.dir), `"urn:text:http://site.example/b"`) != 2 {
		t.Errorf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
}

// TestCaptureBreaksOff: of a capture that cannot go on it is told what came, and how to pack it.
func TestCaptureBreaksOff(t *testing.T) {
	t.Parallel()
	b := installChromium(t)
	script, err := os.ReadFile(b.app)
	if err != nil {
		t.Fatal(err)
	}
	once := strings.Replace(string(script), "\n", "\n[ -e \"$0.once\" ] && exit 3\n: >\"$0.once\"\n", 1)
	if err := os.WriteFile(b.app, []byte(once), 0o700); err != nil {
		t.Fatal(err)
	}
	got := b.capture("", "-o", filepath.Join(b.dir, "out.wacz"), "http://site.example/die", "http://site.example/b")
	if got.code != 1 || !strings.HasPrefix(got.stdout, "lacking  200  http://site.example/die") ||
		strings.Count(got.stdout, "http://") != 1 || !strings.Contains(got.stderr, " wacz -o ") {
		t.Errorf("%d, %s%s", got.code, got.stdout, got.stderr)
	}
}

// TestCaptureRefuses what cannot work, before anything is made.
func TestCaptureRefuses(t *testing.T) {
	b := installChromium(t)
	firefox := filepath.Join(b.dir, "firefox")
	if err := os.WriteFile(firefox, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(b.dir, "long")
	if err := os.WriteFile(long, bytes.Repeat([]byte("#\n"), mostListed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "capture needs a page"},
		{"--urls " + b.app + ".none", "--urls: open"},
		{"--urls " + long, "it is longer than 16 MiB"},
		{"--max-pages 1 http://a.example/ http://b.example/", "crawlers.md"},
		{"--max-pages 0 http://a.example/", "--max-pages is at least 1"},
		{"--depth=-1 http://a.example/", "--depth no less than 0"},
		{"file:///etc/passwd", "http:// and https://"},
		{"http://a:b@a.example/", "without name and password"},
		{"http://a.example/ -o -", "standard output has the report"},
		{"http://a.example/ -o page.zip", "ends in .wacz"},
		{"http://a.example/ --wait=-1s", "--wait is no less than 0"},
		{"http://a.example/ --browser " + firefox, "Firefox is none"},
		{"http://a.example/ --proxy-users " + someUser, "proxy-users"},
	} {
		got := b.capture("", strings.Fields(c.args)...)
		if got.code != 1 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %d, %s", c.args, got.code, got.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "collections")); err == nil {
		t.Error("a collection was made")
	}
}
