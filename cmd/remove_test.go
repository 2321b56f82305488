package cmd

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/collection"
)

// TestRemoveCommand: what is selected goes from a running recorder and at rest, once somebody has said
// that it may; a dry run changes nothing, and nobody removes everything by leaving something out.
func TestRemoveCommand(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	for _, path := range []string{"/c", "/a", "/b", "/a"} {
		p.fetch(origin.URL + path)
	}
	settle := func() {
		t.Helper()
		if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	lines := func() int {
		t.Helper()
		out, errs, code := p.run("export", "-o", "-")
		if code != 0 {
			t.Fatal(errs)
		}
		return strings.Count(out, "\n")
	}
	a := []string{"remove", "--url", origin.URL + "/a"}
	for _, test := range []struct {
		args  []string
		code  int
		says  string
		lines int
	}{
		{[]string{"remove", "--yes"}, 1, "say what is to go", 4},
		{[]string{"remove", "--match", "prefix", "--yes"}, 1, "say what is to go", 4},
		{a, 1, "--yes", 4},
		{append(a, "--dry-run"), 0, origin.URL + "/a (2 captures)\n", 4},
		{append(a, "--from", "never", "--yes"), 1, "never", 4},
		{append(a, "--collection", "none", "--yes"), 1, "no collection", 4},
		{append(a, "--yes", "--reason", strings.Repeat("long ", 1000)), 1, "reason", 4},
		{append(a, "--yes", "--reason", "asked for"), 0, "2 captures, 4 records", 2},
		{append(a, "--yes"), 1, "nothing of that", 2},
		{append(a, "--dry-run"), 1, "export -o -", 2},
		{[]string{"remove", "--file", "nosuch.warc.gz", "--yes"}, 1, "nosuch.warc.gz is not in", 2},
		{[]string{"remove", "--url", "", "--to", "2999", "--yes"}, 1, "--url is empty", 2},
		{[]string{"remove", "--url", "nonsense", "--yes"}, 1, "the whole", 2},
		{[]string{"remove", "--to", "202", "--yes"}, 1, "YYYYMMDDhhmmss", 2},
	} {
		out, errs, code := p.run(test.args...)
		if code != test.code || !strings.Contains(out+errs, test.says) {
			t.Errorf("%q: %d %q %q", test.args, code, out, errs)
		}
		if n := lines(); n != test.lines {
			t.Fatalf("%q: %d lines", test.args, n)
		}
	}
	for token, want := range map[string]int{"": 401, "wrong": 401} {
		if status, _ := p.postTo("/remove", token, "url="+origin.URL+"/b"); status != want {
			t.Errorf("with the token %q: %d", token, status)
		}
	}
	r := p.recorder()
	if status, body := p.postTo("/remove", r.Token, ""); status == 200 || !strings.Contains(body, "say what") {
		t.Errorf("everything: %d %s", status, body)
	}
	b := "url=" + origin.URL + "/b"
	for _, form := range []string{b + "&dry-run=1", b + "&dryrun=true", b + "&dry-run=", b + "&forget=yes",
		b + "&" + b, b + "&dry-run=true&dry-run=false", b + "&until=2001", b + "&from=2001&from=2002"} {
		if status, body := p.postTo("/remove", r.Token, form); status != 400 || lines() != 2 {
			t.Errorf("%s: %d %s", form, status, body)
		}
	}
	if status, body := p.postTo("/remove?dry-run=true", r.Token, b); status != 400 || lines() != 2 {
		t.Errorf("in the URL: %d %s", status, body)
	}
	if status, body := p.postTo("/remove", r.Token, b+"&dry-run=true&forget=false"); status != 200 || lines() != 2 {
		t.Errorf("a dry run: %d %s", status, body)
	}
	p.fetch(origin.URL + "/a")
	settle()
	if n := lines(); n != 3 {
		t.Errorf("it does not record on: %d lines", n)
	}
	p.stop()
	before := stateOf(t, p.dir)
	if out, errs, code := p.run("remove", "--to", "2999", "--dry-run"); code != 0 ||
		!strings.Contains(out, "3 captures") || !strings.Contains(out, "  "+origin.URL+"/b (1 capture)\n") ||
		!maps.Equal(stateOf(t, p.dir), before) {
		t.Errorf("a dry run at rest: %d %q %q, or it has written something", code, out, errs)
	}
	if out, errs, code := p.run("remove", "--to", "2999", "--yes", "--forget"); code != 0 ||
		!strings.Contains(out, "3 captures") || lines() != 0 {
		t.Errorf("at rest: %d %q %q", code, out, errs)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Errorf("verify: %d %s %s", code, out, errs)
	}
}

// TestKeepFor: a recorder removes what is too old when it starts, and without the setting nothing.
func TestKeepFor(t *testing.T) {
	dir := t.TempDir()
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	old, err := recorder.Open(cfg, collection.Dir(filepath.Join(dir, "collections", "default")), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	x := old.Begin()
	x.URL, x.Method, x.Started = "https://example.com/old", "GET", time.Now().Add(-100*24*time.Hour)
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, "GET /old HTTP/1.1\r\nHost: example.com\r\n\r\n")
	io.WriteString(&x.Response, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold")
	x.Commit()
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		keep string
		left int
	}{{"0s", 1}, {"101d", 1}, {"99d", 0}} {
		p := startRecordingIn(t, dir, "--keep-for", test.keep)
		for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			out, _, _ := p.run("export", "-o", "-")
			if n := strings.Count(out, "\n"); n == test.left {
				break
			} else if time.Now().After(until) {
				t.Fatalf("with %s there are %d captures: %s", test.keep, n, p.stderr)
			}
		}
		if p.stop() != 0 {
			t.Error(p.stderr)
		}
		if said := strings.Contains(p.stderr.String(), "removed what is older"); said != (test.left == 0) {
			t.Errorf("with %s the log has %s", test.keep, p.stderr)
		}
	}
	for text, want := range map[string]keepTime{
		"0": 0, "0s": 0, "90d": keepTime(90 * 24 * time.Hour), "36h": keepTime(36 * time.Hour),
		"1h30m": keepTime(90 * time.Minute),
	} {
		var k keepTime
		if err := k.UnmarshalText([]byte(text)); err != nil || k != want {
			t.Errorf("%s: %v, %v", text, k, err)
		}
	}
	for _, text := range []string{"", "90", "-1d", "-5h", "1s", "59m", "1.5d", "99999999d", "d", "90 days"} {
		if err := new(keepTime).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if _, errs, code := (&program{t: t, dir: dir}).run("record", "--keep-for", "forever"); code == 0 ||
		!strings.Contains(errs, "90d") {
		t.Errorf("%d %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "collections", "default", "removal.json")); err == nil {
		t.Error("the plan of a removal is left over")
	}
}

// stateOf is what tells the files in a directory from any that were written since.
func stateOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// postTo sends a form to one of the recorder's pages.
func (p *program) postTo(path, token, form string) (status int, answer string) {
	p.t.Helper()
	r, err := http.NewRequest("POST", "http://"+p.address+path, strings.NewReader(form))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}
