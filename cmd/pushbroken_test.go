package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/outbackcdx/outbackcdxtest"
)

// brokenPush is a recorder, and a server to which a push has sent some of its lines.
type brokenPush struct {
	*program
	server *outbackcdxtest.Server
	token  string
	long   int // long URLs that were recorded
}

// begin records /a, in a file of its own, and /c.
func (p *program) begin(server *outbackcdxtest.Server) *brokenPush {
	p.t.Helper()
	b := &brokenPush{program: p, server: server, token: filepath.Join(p.dir, "token")}
	b.record("https://example.com/a")
	b.must("rotate")
	b.record("https://example.com/c")
	return b
}

// loseAnswer breaks a push: the server adds lines, and its answer does not come.
func (b *brokenPush) loseAnswer() {
	b.t.Helper()
	to, err := url.Parse(b.server.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(res *http.Response) error {
		if res.Request.Method == http.MethodPost && !strings.HasSuffix(res.Request.URL.Path, "/delete") {
			res.StatusCode = http.StatusForbidden
		}
		return nil
	}
	front := httptest.NewServer(proxy)
	defer front.Close()
	_, errs, code := b.run("push", "--to", "outbackcdx", front.URL+"/web", "--token-file", b.token)
	if code != 1 || !strings.Contains(errs, "answered 403") {
		b.t.Fatal(code, errs)
	}
	b.isBegun()
}

func (b *brokenPush) isBegun() {
	b.t.Helper()
	if _, begun, _ := pushedOf(b.t, b.token); begun == "" || len(b.server.Lines()) == 0 {
		b.t.Fatalf("%q, %q", begun, b.server.Lines())
	}
}

// refuseSecond records so many long URLs that they take two requests, and breaks a push: the server
// refuses the second.
func (b *brokenPush) refuseSecond() {
	b.t.Helper()
	for range 20 {
		b.long++
		b.record(fmt.Sprintf("https://example.com/f/%03d/%s", b.long, strings.Repeat("l", 60<<10)))
	}
	before := b.server.Posts()
	b.server.SetHook(func(n int, _ *http.Request) (int, string) {
		if n > before+1 {
			return http.StatusBadRequest, "no more"
		}
		return 0, ""
	})
	if _, errs, code := b.push(); code != 1 || !strings.Contains(errs, "no more") {
		b.t.Fatal(code, errs)
	}
	b.server.SetHook(nil)
	b.isBegun()
}

func (b *brokenPush) record(uri string) {
	b.t.Helper()
	query := "type=resource&date=2026-05-01T12:00:00Z&uri=" + url.QueryEscape(uri)
	if status, answer := b.post(b.recorder().Token, query, "text"); status != http.StatusCreated {
		b.t.Fatalf("%d %s", status, answer)
	}
}

func (b *brokenPush) push(more ...string) (out, errs string, code int) {
	return b.run(append([]string{"push", "--to", "outbackcdx", b.server.Collection(), "--token-file", b.token,
		"--verbose"}, more...)...)
}

// must runs a command that has to do what it is told.
func (b *brokenPush) must(args ...string) (out string) {
	b.t.Helper()
	out, errs, code := b.run(args...)
	if code != 0 {
		b.t.Fatalf("%q: %d %s", args, code, errs)
	}
	return out
}

// isAtServer checks that a push does without an error, and that the server has then what an export has.
func (b *brokenPush) isAtServer() {
	b.t.Helper()
	if _, errs, code := b.push(); code != 0 {
		b.t.Errorf("%d %s", code, errs)
	}
	b.isAll()
}

func (b *brokenPush) isAll() {
	b.t.Helper()
	if got, want := b.server.Lines(), b.exported(); !slices.Equal(got, want) {
		b.t.Errorf("it has %d lines:\n%.300s\nand is to have %d:\n%.300s", len(got), got, len(want), want)
	}
	if _, begun, _ := pushedOf(b.t, b.token); begun != "" {
		b.t.Errorf("something is begun: %s", begun)
	}
}

// exported are the lines of an export, as the server has them.
func (b *brokenPush) exported() (lines []string) {
	b.t.Helper()
	for text := range strings.Lines(b.must("export", "-o", "-")) {
		head, fields, _ := strings.Cut(text, " {")
		var l struct{ URL, Status, Digest, Offset, Filename string }
		if err := json.Unmarshal([]byte("{"+fields), &l); err != nil {
			b.t.Fatal(err)
		}
		lines = append(lines, strings.Join([]string{head, l.URL, cmp.Or(l.Status, "-"),
			strings.TrimPrefix(l.Digest, "sha1:"), l.Offset, l.Filename}, " "))
	}
	slices.Sort(lines)
	return lines
}

// TestPushBroken: whatever happens between a push that breaks off and the next one, the server has then
// what an export has, or it is said that it has not.
func TestPushBroken(t *testing.T) {
	for name, then := range map[string]func(*brokenPush){
		"a removal": func(b *brokenPush) {
			b.refuseSecond()
			if _, _, place := pushedOf(b.t, b.token); place == "" {
				b.t.Error("it has no place")
			}
			b.must("remove", "--url", "https://example.com/a", "--yes")
			b.isAtServer()
		},
		"a removal, at rest": func(b *brokenPush) {
			b.loseAnswer()
			b.must("remove", "--url", "https://example.com/a", "--yes")
			b.record("https://example.com/g")
			b.stop()
			b.isAtServer()
		},
		"a removal from what was given as a whole": func(b *brokenPush) {
			b.isAtServer()
			b.must("rotate")
			b.record("https://example.com/b")
			b.refuseSecond()
			b.must("remove", "--url", "https://example.com/b", "--yes")
			b.must("remove", "--url", "https://example.com/a", "--yes")
			b.isAtServer()
		},
		"two that break off, with removals": func(b *brokenPush) {
			b.loseAnswer()
			b.must("remove", "--url", "https://example.com/a", "--yes")
			b.record("https://example.com/b")
			b.loseAnswer()
			b.must("remove", "--url", "https://example.com/b", "--yes")
			b.isAtServer()
		},
		"what was to be forgotten": func(b *brokenPush) {
			b.loseAnswer()
			b.must("remove", "--url", "https://example.com/a", "--yes", "--forget")
			b.isStale("to be forgotten")
		},
		"a file taken away": func(b *brokenPush) {
			b.loseAnswer()
			b.takeAway(1)
			b.isStale("1 file gone")
		},
		"all files taken away": func(b *brokenPush) {
			b.loseAnswer()
			b.takeAway(2)
			b.isStale("all files are gone")
		},
		// what is stale in what was begun is said, and what has come since is sent all the same
		"what was to be forgotten before": func(b *brokenPush) {
			b.isAtServer()
			b.must("remove", "--url", "https://example.com/a", "--yes", "--forget")
			b.record("https://example.com/d")
			b.loseAnswer()
			b.record("https://example.com/z")
			b.isStale("to be forgotten")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := outbackcdxtest.New()
			defer server.Close()
			then(startRecording(t).begin(server))
		})
	}
}

// takeAway takes the first files away, and has the index made anew.
func (b *brokenPush) takeAway(n int) {
	b.t.Helper()
	b.stop()
	files, err := filepath.Glob(filepath.Join(b.dir, "collections", "default", "archive", "*.warc.gz"))
	if err != nil || len(files) != 2 {
		b.t.Fatal(files, err)
	}
	for _, file := range files[:n] {
		if err := os.Remove(file); err != nil {
			b.t.Fatal(err)
		}
	}
	if _, errs, code := b.run("rebuild"); code != 1 || !strings.Contains(errs, "is missing") {
		b.t.Fatal(code, errs)
	}
}

// isStale checks that a push sends all, and says why the server has more than that; and that it has not
// once it is fed anew.
func (b *brokenPush) isStale(why string) {
	b.t.Helper()
	_, errs, code := b.push()
	if code != 1 || !strings.Contains(errs, why) || !strings.Contains(errs, "push again") {
		b.t.Errorf("%d %s", code, errs)
	}
	has := b.server.Lines()
	for _, line := range b.exported() {
		if !slices.Contains(has, line) {
			b.t.Errorf("it has not %.100s", line)
		}
	}
	b.server.Reset()
	if err := os.Remove(b.token); err != nil {
		b.t.Fatal(err)
	}
	b.isAtServer()
}

// TestPushBrokenPart: the line of a part that was sent is void when its whole has come, though something
// was removed too.
func TestPushBrokenPart(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	defer server.Close()
	origin := originOfParts(t)
	const site = "http://example.com/b"
	p := startRecording(t, "--upstream", origin.URL)
	p.fetchPart(site)
	b := p.begin(server)
	b.loseAnswer()
	parts := func() (n int) {
		for _, line := range server.Lines() {
			n += strings.Count(line, " 206 ")
		}
		return n
	}
	if parts() != 1 {
		t.Fatal(server.Lines())
	}
	p.fetch(site)
	b.must("remove", "--url", "https://example.com/a", "--yes")
	b.isAtServer()
	if parts() != 0 {
		t.Error("it has the part")
	}
}

// TestPushUnread: an error of the collection, as opposed to a removal, changes nothing of what is begun.
func TestPushUnread(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	defer server.Close()
	b := startRecording(t).begin(server)
	b.refuseSecond()
	b.stop()
	begun, err := os.ReadFile(b.token)
	if err != nil {
		t.Fatal(err)
	}
	dir := collection.Dir(filepath.Join(b.dir, "collections", "default"))
	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(dir.Index(), aside); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Index(), []byte("no index"), 0o600); err != nil {
		t.Fatal(err)
	}
	posts := server.Posts()
	_, errs, code := b.push()
	if kept, err := os.ReadFile(b.token); code != 1 || server.Posts() != posts || err != nil ||
		string(kept) != string(begun) {
		t.Errorf("%d %s, %d posts more, %v", code, errs, server.Posts()-posts, err)
	}
	if err := os.Rename(aside, dir.Index()); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := b.push(); code != 0 || !strings.Contains(errs, "there before") {
		t.Errorf("%d %s", code, errs)
	}
	b.isAll()
}
