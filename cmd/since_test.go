package cmd

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warcorder/store/collection"
)

// TestSinceUnderLoad: what one export after another gives while clients load a recorder, and files are
// finished, is what one of all gives at the end: nothing twice, nothing never; also behind a rebuild.
func TestSinceUnderLoad(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	token, all := filepath.Join(p.dir, "token"), ""
	if err := os.WriteFile(token, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	export := func() string {
		out, errs, code := p.run("export", "--since", "@"+token, "--token-file", token, "-o", "-")
		if code != 0 || errs != "" {
			t.Fatalf("%d %s", code, errs)
		}
		all += out
		return out
	}
	var clients sync.WaitGroup
	var fetched, stopped atomic.Int64
	for i := range 4 {
		clients.Go(func() {
			for n := 0; stopped.Load() == 0; n++ {
				p.fetch(fmt.Sprintf("%s/%d/%d", origin.URL, i, n))
				fetched.Add(1)
			}
		})
	}
	deltas := 0
	for i := 0; deltas < 5; i++ {
		if export() != "" {
			deltas++
		}
		if i%3 == 1 {
			if _, errs, code := p.run("rotate"); code != 0 {
				t.Fatal(errs)
			}
		}
	}
	stopped.Store(1)
	clients.Wait()
	if p.stop() != 0 {
		t.Fatal(p.stderr)
	}
	export()
	want, _, _ := p.run("export", "-o", "-")
	lines := slices.Sorted(strings.Lines(all))
	if n := int64(len(lines)); strings.Join(lines, "") != want || n != fetched.Load() {
		t.Errorf("%d lines of %d, in an export %d", n, fetched.Load(), strings.Count(want, "\n"))
	}
	if _, errs, code := p.run("rebuild"); code != 0 {
		t.Fatal(errs)
	}
	if out := export(); out != "" {
		t.Errorf("after a rebuild: %s", out)
	}
}

// TestSinceFlags: what cannot be is said before anything is written, and a token only of what is safe.
func TestSinceFlags(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/a")
	p.stop()
	at := func(name string) string { return filepath.Join(p.dir, name) }
	if out, errs, code := p.run("export", "--token-file", at("token"), "-o", at("lines")); code != 0 || out != "" {
		t.Fatalf("%d %s", code, errs)
	}
	token, _ := os.ReadFile(at("token"))
	word := strings.TrimSpace(string(token))
	full, _ := os.ReadFile(at("lines"))
	if out, errs, code := p.run("export", "--since", "", "-o", "-"); code != 0 || out != string(full) {
		t.Errorf("the beginning: %d %s %s", code, out, errs)
	}
	if out, errs, code := p.run("export", "--since", word, "-o", "-"); code != 0 || out+errs != "" {
		t.Errorf("nothing new: %d %q %q", code, out, errs)
	}
	for want, args := range map[string][]string{
		"no token":      {"--since", "nonsense", "-o", "-"},
		"not all of":    {"--since", word[:len(word)-2], "-o", "-"},
		"no such file":  {"--since", "@" + at("none"), "-o", "-"},
		"needs -o":      {"--since", word},
		"--format cdxj": {"--since", word, "--format", "warc-0.9", "-o", at("old")},
		"is not there":  {"--since", word, "-o", "-", "--token-file", at("none/token")},
	} {
		out, errs, code := p.run(append([]string{"export"}, args...)...)
		if code == 0 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: %d %q %q", args, code, out, errs)
		}
	}
	before, _ := os.ReadFile(at("token"))
	if _, _, code := p.run("export", "--since", "", "-o", "/dev/full", "--token-file", at("token")); code == 0 {
		t.Log("there is no /dev/full")
	} else if after, _ := os.ReadFile(at("token")); string(after) != string(before) {
		t.Error("a token of what was not written")
	}
	if res, err := http.Get("http://" + p.address + "/export?since=x"); err == nil {
		res.Body.Close()
		t.Error("it still runs")
	}
}

// TestFeeding: what doc/feeding.md has for a sorted file brings it up to date.
func TestFeeding(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no awk")
	}
	awk, err := exec.LookPath("awk")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../doc/feeding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(page), "\nawk ")
	script, _, _ = strings.Cut(script, "\n```")
	script = strings.ReplaceAll("AWK "+script, "AWK", awk)
	origin := newPages(t)
	p := startRecording(t)
	at := func(name string) string { return filepath.Join(p.dir, name) }
	for _, name := range []string{"last", "index.cdxj"} {
		if err := os.WriteFile(at(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	step := func(what string) {
		t.Helper()
		if err := workOf(t.Context(), collection.Dir(at("collections/default")), settlePath, new(status)); err != nil {
			t.Fatal(err)
		}
		_, errs, code := p.run("export", "--since", "@"+at("last"), "--token-file", at("last"), "-o", at("new.cdxj"))
		shell := exec.Command("sh", "-c", script)
		shell.Dir = p.dir
		out, err := shell.CombinedOutput()
		if code != 0 || err != nil {
			t.Fatalf("%s: %d %s %v %s", what, code, errs, err, out)
		}
		got, _ := os.ReadFile(at("index.cdxj"))
		if want, _, _ := p.run("export", "-o", "-"); string(got) != want {
			t.Errorf("%s:\n%swant\n%s", what, got, want)
		}
	}
	for _, path := range []string{"/a", "/b", "/c"} {
		p.fetch(origin.URL + path)
	}
	step("all")
	p.fetch(origin.URL + "/b")
	step("more")
	if _, errs, code := p.run("remove", "--url", origin.URL+"/b", "--yes"); code != 0 {
		t.Fatal(errs)
	}
	p.fetch(origin.URL + "/d")
	step("a removal")
	if p.stop() != 0 {
		t.Error(p.stderr)
	}
}
