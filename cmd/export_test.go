package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRecordAndExport is the program's life: record, export meanwhile, refuse a second recorder,
// end, export again.
func TestRecordAndExport(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	for i := range 20 {
		path := fmt.Sprintf("/%d", i)
		if got := p.fetch(origin.URL + path); got != "page "+path {
			t.Fatalf("%q", got)
		}
	}
	var while string
	for deadline := time.Now().Add(10 * time.Second); strings.Count(while, "\n") < 20; {
		if time.Now().After(deadline) {
			t.Fatalf("never 20 captures in the index:\n%s", while)
		}
		out, errs, code := p.run("export", "-o", "-")
		if code != 0 {
			t.Fatalf("export while recording: %s", errs)
		}
		if while = out; errs != "" {
			t.Errorf("export says, though nothing is wrong and nobody is there: %q", errs)
		}
	}
	if out, errs, code := p.atTerminal("export", "-o", "-"); code != 0 || out != while ||
		!strings.Contains(errs, "not finished") {
		t.Errorf("export does not tell a person that a file is still open: %d %q", code, errs)
	}
	if res, err := http.Get("http://" + p.address + "/export?pid=1"); err != nil ||
		res.StatusCode != http.StatusConflict {
		t.Errorf("an export meant for another recorder: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	_, errs, code := p.run("record", "--listen", "127.0.0.1:0", "--log", "json")
	if code != 1 ||
		!strings.Contains(errs, fmt.Sprintf("process %d at %s", p.cmd.Process.Pid, p.address)) {
		t.Errorf("a second recorder: %d, %s", code, errs)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
	collection := filepath.Join(p.dir, "collections", "default")
	if open, _ := filepath.Glob(filepath.Join(collection, "archive", "*.open")); len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
	if _, err := os.Stat(filepath.Join(collection, "recorder.json")); !os.IsNotExist(err) {
		t.Errorf("recorder.json is left: %v", err)
	}
	after, errs, code := p.run("export", "-o", "-")
	if code != 0 || after != while {
		t.Errorf("export after the end differs (%d, %s):\n%s\nwhile recording:\n%s", code, errs, after,
			while)
	}
	if _, errs, code := p.run("export"); code != 0 || errs != "" {
		t.Fatal(errs)
	}
	if _, errs, code := p.atTerminal("export"); code != 0 || !strings.Contains(errs, "index.cdxj") {
		t.Errorf("export does not tell a person where its lines are: %d %q", code, errs)
	}
	file, err := os.ReadFile(filepath.Join(collection, "indexes", "index.cdxj"))
	if err != nil || string(file) != after {
		t.Errorf("index.cdxj: %v\n%s", err, file)
	}
	checkLines(t, after, origin.URL)
}

// checkLines reads the lines as anybody else would.
func checkLines(t *testing.T, text, origin string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if !slices.IsSorted(lines) {
		t.Error("not sorted")
	}
	for _, line := range lines {
		parts := strings.SplitN(line, " ", 3)
		var fields map[string]string
		if err := json.Unmarshal([]byte(parts[2]), &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if len(parts[1]) != 14 || fields["status"] != "200" || fields["mime"] != "text/plain" ||
			!strings.HasPrefix(fields["url"], origin+"/") {
			t.Errorf("%s", line)
		}
	}
}

func TestExportSelects(t *testing.T) {
	origin := httptest.NewServer(http.NotFoundHandler())
	defer origin.Close()
	p := startRecording(t)
	for _, path := range []string{"/a", "/a/b", "/ab", "/c"} {
		p.fetch(origin.URL + path)
	}
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	for _, c := range []struct {
		args  []string
		lines int
	}{
		{nil, 4},
		{[]string{"--url", origin.URL + "/a"}, 1},
		{[]string{"--url", origin.URL + "/a", "--match", "prefix"}, 3},
		{[]string{"--url", origin.URL + "/x", "--match", "host"}, 4},
		{[]string{"--url", "http://other.example/", "--match", "domain"}, 0},
		{[]string{"--from", "2000", "--to", "2001"}, 0},
		{[]string{"--from", "2000", "--to", "2999"}, 4},
		{[]string{"--from", "2000-01", "--to", "2999-12-31T23:59:59Z"}, 4},
		{[]string{"--from", "2999-01-01"}, 0},
	} {
		out, errs, code := p.run(append([]string{"export", "-o", "-"}, c.args...)...)
		if n := strings.Count(out, "\n"); code != 0 || n != c.lines {
			t.Errorf("%v: %d lines, want %d (%s)", c.args, n, c.lines, errs)
		}
	}
	for want, args := range map[string][]string{
		"--from: \"yesterday\" is no time: give the first 1 to 14 digits": {"-o", "-", "--from", "yesterday"},
		"there is no collection": {"--collection", "nothing"},
		"--match":                {"-o", "-", "--match", "fuzzy"},
	} {
		if out, errs, code := p.run(append([]string{"export"}, args...)...); code == 0 || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}

// TestExportAtOnce: what a client has got is in the lists that are asked for then.
func TestExportAtOnce(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>A page</title>")
	}))
	defer origin.Close()
	rec := startRecording(t)
	for n := range 30 {
		target := fmt.Sprintf("%s/%d", origin.URL, n)
		rec.fetch(target)
		list := []string{"/export", "/pages", "/pages/report?each=1", "/selection"}[n%4]
		if text := rec.page(list); !strings.Contains(text, fmt.Sprintf("/%d\"", n)) {
			t.Errorf("%s after %s: %s", list, target, text)
		}
	}
}
