//go:build unix

package cmd

import (
	"bytes"
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

// fakeBrowser is a program that takes what Chromium is told, as far as a script can: it fetches the
// page, and what a browser asks for by itself, through the proxy. Then it shows its window, until
// somebody closes it.
const fakeBrowser = `#!/bin/sh
for a; do case $a in --proxy-server=*) proxy=${a#*=};; --headless) headless=1;; http*) url=$a;; esac; done
for u in "$url" http://update.googleapis.com/service/update2/json; do
	curl -sS --max-time 60 --noproxy '' --proxy "$proxy" -o /dev/null "$u"
done
echo shown >>"$0.shown"
if [ "$headless$FAKE_STAYS" ]; then exec sleep 1000; fi
exit ${FAKE_STATUS-0}
`

// installed is a folder with the fake browser in it, and with all hosts behind a parent.
type installed struct {
	t              *testing.T
	dir, temp, app string
	parent         string
	polled         chan struct{} // a page that never rests was asked for
}

func installBrowser(t *testing.T) *installed {
	t.Helper()
	parent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		io.WriteString(w, "the page "+r.URL.Path)
	}))
	t.Cleanup(parent.CloseClientConnections)
	t.Cleanup(parent.Close)
	b := &installed{t: t, dir: t.TempDir(), temp: t.TempDir(), parent: parent.URL}
	b.app = filepath.Join(b.dir, "chromium")
	if err := os.WriteFile(b.app, []byte(fakeBrowser), 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

// browserLine returns a process of warcorder browser with a screen.
func (b *installed) line(args ...string) *exec.Cmd {
	cmd := command(b.dir, append([]string{"browser", "--browser", b.app, "--upstream", b.parent}, args...)...)
	cmd.Env = append(cmd.Env, "TMPDIR="+b.temp, "DISPLAY=:none")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// browse runs warcorder browser to its end. Nothing is left of it but the collection.
func (b *installed) browse(env string, args ...string) ran {
	b.t.Helper()
	cmd := b.line(args...)
	cmd.Env = append(cmd.Env, env)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	b.isClean()
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (b *installed) isClean() {
	b.t.Helper()
	if left, err := os.ReadDir(b.temp); err != nil || len(left) > 0 {
		b.t.Errorf("left: %v, %v", left, err)
	}
}

// TestBrowser: what a browser shows is recorded and in the index when its window is closed, and
// what it asks for by itself is not, unless that is wanted.
func TestBrowser(t *testing.T) {
	b := installBrowser(t)
	for _, c := range []struct {
		args    []string
		chatter int
	}{
		{[]string{"http://site.example/window"}, 0},
		{[]string{"--all", "http://site.example/all"}, 1},
		{[]string{"--headless", "--no-record", "bank.example", "http://site.example/none"}, 1},
	} {
		got := b.browse("", c.args...)
		page := c.args[len(c.args)-1]
		if got.code != 0 || got.stdout != "" || !strings.Contains(got.stderr, "capture") {
			t.Errorf("%q: %d, %q, %s", c.args, got.code, got.stdout, got.stderr)
		}
		lines := linesIn(t, b.dir)
		if n := strings.Count(lines, page); n != 1 {
			t.Errorf("%q: %d captures in %s", c.args, n, lines)
		}
		if n := strings.Count(lines, "update.googleapis.com"); n != c.chatter {
			t.Errorf("%q: %d captures of the browser's own", c.args, n)
		}
	}
	if got := b.browse("", "--headless", "site.example"); got.code == 0 {
		t.Error("https:// was not tried, or a fake browser trusted its certificate")
	}
}

// TestBrowserOfRecorder: a browser uses the recorder that has the collection open, which goes on.
func TestBrowserOfRecorder(t *testing.T) {
	b := installBrowser(t)
	recorder := startRecording(t, "--upstream", b.parent)
	b.dir = recorder.dir
	got := b.browse("", "--headless", "http://site.example/beside")
	if got.code != 0 || !strings.Contains(got.stderr, recorder.address) {
		t.Errorf("%d, %s", got.code, got.stderr)
	}
	lines := linesIn(t, b.dir)
	if strings.Count(lines, "http://site.example/beside") != 1 ||
		strings.Count(lines, "update.googleapis.com") != 1 {
		t.Errorf("the recorder's own settings count: %s", lines)
	}
	if code := recorder.stop(); code != 0 {
		t.Errorf("the recorder ended with %d", code)
	}
}

// TestBrowserEnds: a signal ends the browser with all that is its, and what came is recorded; a
// browser that fails says why.
func TestBrowserEnds(t *testing.T) {
	b := installBrowser(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := b.line("http://site.example/" + signal.String())
		cmd.Env = append(cmd.Env, "FAKE_STAYS=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(b.app + ".shown"); err == nil {
				break
			}
		}
		cmd.Process.Signal(signal)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", signal, err)
		}
		b.isClean()
		os.Remove(b.app + ".shown")
		if lines := linesIn(t, b.dir); strings.Count(lines, "http://site.example/"+signal.String()) != 1 {
			t.Errorf("%v: %s", signal, lines)
		}
	}
	if got := b.browse("FAKE_STATUS=3", "http://site.example/"); got.code != 1 ||
		!strings.Contains(got.stderr, "exit status 3") {
		t.Errorf("%d, %s", got.code, got.stderr)
	}
}

// TestBrowserAtMost: a page that never rests is ended.
func TestBrowserAtMost(t *testing.T) {
	b := installBrowser(t)
	got := b.browse("", "--headless", "--at-most", "8s", "http://site.example/endless")
	if got.code != 0 || !strings.Contains(got.stderr, "--at-most") ||
		!strings.Contains(linesIn(t, b.dir), "http://site.example/endless") {
		t.Errorf("%d, %s", got.code, got.stderr)
	}
}

// TestBrowserRefuses what cannot work, before anything is made.
func TestBrowserRefuses(t *testing.T) {
	b := installBrowser(t)
	for _, c := range []struct{ args, want string }{
		{"--headless", "needs a URL"},
		{"file:///etc/passwd", "http:// and https://"},
		{"--browser " + b.app + ".none http://a.example/", "no such file"},
		{"--browser nosuch http://a.example/", "firefox"},
		{"--headless --proxy-users a:$2y$05$abcdefghijklmnopqrstuuxR3tAq4u4xNCYoLJFgWRRbGZgrCbW2u http://a.example/",
			"proxy-users"},
	} {
		got := b.browse("", strings.Fields(c.args)...)
		if got.code != 1 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %d, %s", c.args, got.code, got.stderr)
		}
	}
	cmd := b.line("http://a.example/")
	cmd.Env = append(cmd.Env, "DISPLAY=", "WAYLAND_DISPLAY=")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--headless") {
		t.Errorf("%v, %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "collections")); err == nil {
		t.Error("a collection was made")
	}
}
