//go:build unix

package cmd

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"warcorder/store/replay"
)

// startReplay starts a replay of what is recorded below dir.
func startReplay(t *testing.T, dir string, args ...string) *program {
	t.Helper()
	line := append([]string{"replay", "--listen", "127.0.0.1:0", "--log", "json"}, args...)
	return startProgram(t, dir, "replaying", line...)
}

// get asks for a URL through the proxy, whose certificate it trusts.
func (p *program) get(target string, fields ...string) (*http.Response, string) {
	p.t.Helper()
	transport := &http.Transport{
		Proxy:             http.ProxyURL(&url.URL{Scheme: "http", Host: p.address}),
		DisableKeepAlives: true,
	}
	if strings.HasPrefix(target, "https:") {
		transport.TLSClientConfig = &tls.Config{RootCAs: trustOf(p.t, filepath.Join(p.dir, "ca"))}
	}
	client := http.Client{Timeout: patience, Transport: transport}
	req, err := http.NewRequest("GET", target, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res, string(body)
}

// status is the status of what a URL gets through the proxy.
func (p *program) statusOf(target string) int {
	p.t.Helper()
	res, _ := p.get(target)
	return res.StatusCode
}

// countedPages is an origin that answers with its path and how often it was asked.
func countedPages(t *testing.T) (at string, asked *atomic.Int64, server *httptest.Server) {
	asked = &atomic.Int64{}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %d", r.URL.Path, asked.Add(1))
	}))
	t.Cleanup(server.Close)
	return server.URL, asked, server
}

// recorded is a collection with the pages /a and /b of an origin that is gone, and its folder.
func recorded(t *testing.T) (origin, dir string) {
	t.Helper()
	origin, _, server := countedPages(t)
	p := startRecording(t)
	p.fetch(origin + "/a")
	p.fetch(origin + "/b")
	if code := p.stop(); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.stderr)
	}
	server.Close()
	return origin, p.dir
}

// reportIn reads a report.
func reportIn(t *testing.T, text []byte) (r replay.Report) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&r); err != nil || in.More() {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

// TestReplay: what was recorded is answered, what was not is 404 and no failure, and both are in the
// report, in /status and at the end of the log. Nothing of the collection has changed.
func TestReplay(t *testing.T) {
	origin, dir := recorded(t)
	before := treeOf(t, filepath.Join(dir, "collections"))
	file := filepath.Join(t.TempDir(), "report.json")
	p := startReplay(t, dir, "--report", file)
	for range 2 {
		if res, body := p.get(origin + "/a"); res.StatusCode != 200 || body != "/a 1" {
			t.Errorf("%s: %q", res.Status, body)
		}
	}
	if res, body := p.get(origin+"/none", "Referer", origin+"/a"); res.StatusCode != 404 || body != "" ||
		res.Header.Get("X-Warcorder-Miss") != "" {
		t.Errorf("%s: %q", res.Status, body)
	}
	p.get(origin+"/none", "Referer", origin+"/a")
	eventually(t, "the last request has ended", func() bool {
		return strings.Contains(p.page("/status"), `"inFlight": 0,`)
	})
	var now replayStatus
	if err := json.Unmarshal([]byte(p.page("/status")), &now); err != nil {
		t.Fatal(err)
	}
	if now.Mode != "replay" || now.Answered != 2 || now.Missing != 2 || now.Address != p.address ||
		now.Rules["exact"] != 2 || now.Recorder != 0 || now.Collection != "default" {
		t.Errorf("%+v", now)
	}
	page := p.page("/report")
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
	written, err := os.ReadFile(file)
	if err != nil || string(written) != page {
		t.Errorf("%v: %s\nthe page: %s", err, written, page)
	}
	report := reportIn(t, written)
	if len(report.Documents) != 1 || report.Documents[0].URL != origin+"/a" ||
		report.Documents[0].Misses[0].Count != 2 || report.Answered != 2 || report.Missed != 2 {
		t.Errorf("%s", written)
	}
	said := p.stderr.String()
	if n := strings.Count(said, missingMessage); n != 1 || !strings.Contains(said, `"missed":2`) {
		t.Errorf("%d lines of a miss in %s", n, said)
	}
	if after := treeOf(t, filepath.Join(dir, "collections")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// treeOf tells of all files below a folder.
func treeOf(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all += fmt.Sprintln(path, info.Size(), info.Mode(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReplayAt: the capture that is nearest to a time answers, and a field of the request wins over
// the flag.
func TestReplayAt(t *testing.T) {
	origin, _, _ := countedPages(t)
	rec := startRecording(t)
	before := time.Now()
	rec.fetch(origin + "/a")
	rec.fetch(origin + "/a")
	rec.stop()
	moment := before.UTC().Format(time.RFC3339Nano)
	for _, c := range []struct{ at, asked, want string }{
		{"1", "", "/a 1"},
		{"2001-01-01T00:00:00Z", "", "/a 1"},
		{moment, "", "/a 1"},
		{moment, "Thu, 31 Dec 2099 23:59:59 GMT", "/a 2"},
		{"9999-12-31", "", "/a 2"},
		{"9999-12-31", "Mon, 01 Jan 2001 00:00:00 GMT", "/a 1"},
	} {
		p := startReplay(t, rec.dir, "--at", c.at, "--explain")
		var fields []string
		if c.asked != "" {
			fields = []string{"Accept-Datetime", c.asked}
		}
		res, body := p.get(origin+"/a", fields...)
		if body != c.want || res.Header.Get("Memento-Datetime") == "" ||
			!strings.Contains(res.Header.Get("X-Warcorder-Capture"), ".warc.gz:") {
			t.Errorf("%+v: %v %q", c, res.Header, body)
		}
		if !strings.Contains(p.page("/status"), `"at": "`) {
			t.Errorf("--at %s: /status does not say it", c.at)
		}
		p.stop()
	}
}

// TestReplayRefuses: what cannot be meant is said before anything is opened, in words that say what
// to do.
func TestReplayRefuses(t *testing.T) {
	_, dir := recorded(t)
	taken := newPages(t).Listener.Addr().String()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--at", "20241301"}, "--at \"20241301\" is no time: 13 is no month"},
		{[]string{"--at", "yesterday"}, "--at \"yesterday\" is no time: give the first"},
		{[]string{"--collection", "none"}, "there is no collection none: "},
		{[]string{"--collection", "../default"}, "--collection"},
		{[]string{"--fallback", "pywb"}, "--fallback"},
		{[]string{"--headless"}, "--headless needs a URL"},
		{[]string{"--browser", "firefox"}, "--browser needs a URL"},
		{[]string{"--at-most", "3s"}, "--at-most needs a URL"},
		{[]string{"--listen", ":8091"}, "write 127.0.0.1:8091, or 0.0.0.0:8091 to"},
		{[]string{"--listen", "8091"}, "write 127.0.0.1:8091, or 0.0.0.0:8091 to"},
		{[]string{"--listen", "localhost"}, "write it as 127.0.0.1:8090"},
		{[]string{"--listen", "0.0.0.0:0"}, "--listen \"0.0.0.0:0\" lets other machines in"},
		{[]string{"--listen", taken}, "give another address with --listen"},
		{[]string{"--report", filepath.Join(dir, "none", "r.json")}, "none is no directory: make it"},
		{[]string{"--report", filepath.Join(os.Args[0], "r.json")}, "is no directory"},
		{[]string{"--report", filepath.Join(dir, "collections", "default", "index.bolt")},
			"has the name of the index of a collection: name another file"},
		{[]string{"--report", dir}, "is a directory: name a file"},
		{[]string{"--browser", "netscape", "https://example.org/"}, "netscape"},
		{[]string{"file:///etc/passwd"}, "file:"},
	} {
		cmd := command(dir, append([]string{"replay"}, c.args...)...)
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) || strings.Count(string(said), "\n") > 2 {
			t.Errorf("%q: %v: %s", c.args, err, said)
		}
	}
	if _, err := os.Stat("/proc/self"); err == nil { // root may write into any other folder
		said, err := command(dir, "replay", "--report", "/proc/r.json").CombinedOutput()
		if err == nil || !strings.Contains(string(said), "nothing can be written into /proc") {
			t.Errorf("%v: %s", err, said)
		}
	}
	window := command(dir, "replay", "--browser", os.Args[0], "https://example.org/")
	window.Env = append(window.Env, "DISPLAY=", "WAYLAND_DISPLAY=")
	if said, err := window.CombinedOutput(); err == nil {
		t.Errorf("without a display: %s", said)
	}
}

// TestReplaySignals: a signal lets what is being answered come to its end, a second one does not; the
// report is written in any case.
func TestReplaySignals(t *testing.T) {
	origin := oddOrigin(t)
	rec := startRecording(t)
	rec.fetch(origin + "/large")
	rec.stop()
	file := filepath.Join(rec.dir, "report.json")
	p := startReplay(t, rec.dir, "--shutdown-timeout", "1h", "--report", file)
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s/large HTTP/1.1\r\nHost: a\r\n\r\n", origin)
	if _, err := conn.Read(make([]byte, 10)); err != nil { // and nothing more
		t.Fatal(err)
	}
	p.cmd.Process.Signal(syscall.SIGINT)
	eventually(t, "it accepts nobody any more", func() bool {
		other, err := net.Dial("tcp", p.address)
		if err == nil {
			other.Close()
		}
		return err != nil
	})
	select {
	case <-p.ended:
		t.Errorf("it does not wait: %s", p.stderr)
	case <-time.After(2 * sameSignal):
	}
	p.cmd.Process.Signal(syscall.SIGINT)
	<-p.ended
	text, err := os.ReadFile(file)
	if code := p.cmd.ProcessState.ExitCode(); code != 0 || err != nil || reportIn(t, text).Answered != 1 {
		t.Errorf("%d, %v, %s: %s", code, err, text, p.stderr)
	}
}

// TestReplayStandardOutput: - has the report on standard output, after each signal that ends it, and
// nothing else.
func TestReplayStandardOutput(t *testing.T) {
	origin, dir := recorded(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := command(dir, "replay", "--listen", "127.0.0.1:0", "--log", "json", "--report", "-")
		var out bytes.Buffer
		cmd.Stdout = &out
		p := startCommand(t, dir, "replaying", cmd)
		p.get(origin + "/b")
		p.cmd.Process.Signal(signal)
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%v: exit code %d: %s", signal, code, p.stderr)
		}
		if r := reportIn(t, out.Bytes()); r.Answered != 1 || r.Missed != 0 {
			t.Errorf("%v: %s", signal, out.String())
		}
	}
}
