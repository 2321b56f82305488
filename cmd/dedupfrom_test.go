package cmd

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/proxy/unused"
)

// TestDedupFromKilled: what a recorder that was killed has found in another collection is the same after
// recover and rebuild, and each command that reads it says where its body is.
func TestDedupFromKilled(t *testing.T) {
	t.Parallel()
	site := newSite(t).plain
	other := startRecording(t)
	url := site.URL + "/text/5000"
	body := other.fetch(url)
	if code := other.stop(); code != 0 {
		t.Fatal(other.stderr)
	}
	from := filepath.Join(other.dir, "collections", "default")
	p := startRecording(t, "--dedup-from", from)
	if got := p.fetch(url); got != body {
		t.Errorf("%d bytes", len(got))
	}
	p.settle()
	live, stderr, code := p.run("export", "-o", "-")
	if code != 0 || !strings.Contains(live, "warc/revisit") {
		t.Fatalf("%d %s%s", code, live, stderr)
	}
	status := strings.Join(strings.Fields(p.page("/status")), "")
	if !strings.Contains(status, `"dedupFrom":[{"archive":"`+from+`","found":1,`) {
		t.Errorf("%s", status)
	}
	p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
	for _, mend := range []string{"recover", "rebuild"} {
		if _, stderr, _ := p.run(mend); strings.Contains(stderr, "lost") {
			t.Errorf("%s: %s", mend, stderr)
		}
		if lines, stderr, code := p.run("export", "-o", "-"); code != 0 || lines != live {
			t.Errorf("%s: %d\n%swas\n%s%s", mend, code, lines, live, stderr)
		}
	}
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"verify"}, "1 revisit of records in other archives: warcorder report lists", 0},
		{[]string{"report"}, "needs " + url + " of ", -1}, // the kill left a gap
		{[]string{"report", "--json"}, `"archives":["` + from + `"]`, -1},
		{[]string{"extract", "--url", url, "-o", filepath.Join(t.TempDir(), "x")},
			"the revisit's original is in another archive", 1},
		{[]string{"wacz", "--url", url, "-o", filepath.Join(t.TempDir(), "x.wacz")}, "in " + from, -1},
	} {
		stdout, stderr, code := p.run(c.args...)
		if !strings.Contains(stdout+stderr, c.want) || c.code >= 0 && code != c.code {
			t.Errorf("%q: %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestDedupFromItself: neither the recorder nor its collection is another archive.
func TestDedupFromItself(t *testing.T) {
	t.Parallel()
	p := startRecording(t)
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	for name, want := range map[string]string{
		"http://user:secret@localhost:PORT/cdx":            "leads to this recorder itself",
		"http://127.0.0.1:PORT/{url}":                      "leads to this recorder itself",
		filepath.Join(p.dir, "collections", "default"):     "the collection that is recorded",
		filepath.Join(p.dir, "collections", "default", ""): "the collection that is recorded",
		filepath.Join(p.dir, "nowhere"):                    "nowhere",
		"gopher://example.com/":                            "write the whole address of a CDX server",
	} {
		address := unused.Address(t)
		_, port, _ := strings.Cut(address, ":")
		_, stderr, code := p.run("record", "--listen", address, "--dedup-from",
			strings.Replace(name, "PORT", port, 1))
		if code == 0 || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
	}
}
