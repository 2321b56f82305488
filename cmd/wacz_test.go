package cmd

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/replay/rules"
)

// waczIndex returns the plain index of a WACZ.
func waczIndex(t *testing.T, wacz []byte) string {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(wacz), int64(len(wacz)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := in.Open("indexes/index.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWACZ: what was recorded is packed, all of it or what is selected, while it is recorded and at
// rest, into a file and into a pipe.
func TestWACZ(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	for _, path := range []string{"/a", "/b"} {
		p.fetch(origin.URL + path)
	}
	const pageless = "the WACZ names no page: whoever opens it has to type a URL\n"
	file := filepath.Join(p.dir, "all.wacz")
	packs := func(when string, want int, args ...string) {
		t.Helper()
		out, errs, code := p.run(append([]string{"wacz", "-o", file}, args...)...)
		wacz, err := os.ReadFile(file)
		if code != 0 || out+errs != pageless || err != nil {
			t.Fatalf("%s: %d, %q, %q, %v", when, code, out, errs, err)
		}
		if index := waczIndex(t, wacz); strings.Count(index, "\n") != want {
			t.Errorf("%s: %d captures wanted, the index is %s", when, want, index)
		}
	}
	if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
	packs("beside the recorder", 2)
	packs("a page beside the recorder", 1, "--url", origin.URL+"/a")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	packs("at rest", 2, "--text", "--sign", "--title", "x", "--cookies")
	packs("a page", 1, "--url", origin.URL+"/b")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	out, errs, code := p.run("wacz", "-o", "-")
	if code != 0 || errs != pageless || strings.Count(waczIndex(t, []byte(out)), "\n") != 2 {
		t.Errorf("%d, %q", code, errs)
	}
	stale := filepath.Join(p.dir, "all-0002.wacz")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := p.atTerminal("wacz", "-o", file, "--split", "10MB"); code != 0 ||
		!strings.Contains(errs, "2 captures and") || !strings.Contains(errs, "all.json") ||
		!strings.Contains(errs, stale+", and parts behind it, are of an earlier package") {
		t.Errorf("%d, %q", code, errs)
	}
	for _, name := range []string{"all-0001.wacz", "all.json"} {
		if _, err := os.Stat(filepath.Join(p.dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestWACZRules: own rules of replay are in the WACZ, as whoever gets it can set them.
func TestWACZRules(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/a")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	const own = `[{name: a, host: a.example, query: {x: any},
  same: [["http://a.example/?x=1", "http://a.example/?x=2"]]}]`
	const asked = "http://a.example/?x=3"
	file := filepath.Join(p.dir, "all.wacz")
	for _, config := range []struct{ text, want string }{
		{"replay-rules: " + own + "\n", "a"}, {"replay-rules: []\n", ""}, {"", ""},
	} {
		if _, errs, code := p.run("wacz", "-o", file, "--config", writeFile(t, config.text)); code != 0 {
			t.Fatalf("%q: %d, %s", config.text, code, errs)
		}
		z, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		written, err := fs.ReadFile(z, "fuzzy.json")
		if config.want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %q, %v", config.text, written, err)
			}
			continue
		}
		set, err := rules.Parse(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		found := set.For(&rules.Asked{Method: "GET", URL: asked})
		if len(found) == 0 || found[0].Rule != config.want || bytes.Contains(written, []byte(`"line"`)) {
			t.Errorf("%s: %v", written, found)
		}
		if p, err := fs.ReadFile(z, "datapackage.json"); !bytes.Contains(p, []byte(`"path": "fuzzy.json"`)) {
			t.Errorf("%s, %v", p, err)
		}
	}
}

// TestWACZRefused: what cannot be meant is refused, and leaves what is there.
func TestWACZRefused(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/a")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	file := filepath.Join(p.dir, "a.wacz")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"ends in .wacz", []string{"-o", filepath.Join(p.dir, "a.zip")}},
		{"is a directory", []string{"-o", p.dir}},
		{"no collection", []string{"-o", file, "--collection", "none"}},
		{"at least 1MB", []string{"-o", file, "--split", "1KB"}},
		{"--split needs a file", []string{"-o", "-", "--split", "1GB"}},
		{"--url is empty", []string{"-o", file, "--url", ""}},
		{"--page is empty", []string{"-o", file, "--page="}},
		{"--file is empty", []string{"-o", file, "--file", ""}},
		{"nothing of that is in the collection", []string{"-o", file, "--url", "https://nowhere.example/"}},
		{"never", []string{"-o", file, "--from", "never"}},
		{"match host is for a URL", []string{"-o", file, "--match", "host"}},
		{"none is not there: make it", []string{"-o", filepath.Join(p.dir, "none", "a.wacz")}},
	} {
		out, errs, code := p.run(append([]string{"wacz"}, c.args...)...)
		if code != 1 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d, %q, %q", c.args, code, out, errs)
		}
	}
	left, err := filepath.Glob(filepath.Join(p.dir, "*.wacz*"))
	if text, _ := os.ReadFile(file); err != nil || len(left) != 1 || string(text) != "before" {
		t.Errorf("left are %q, %q", left, text)
	}
}
