package cmd

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/outbackcdx/outbackcdxtest"
)

// TestPush: what is recorded is at an OutbackCDX after a push, what is removed is not, and what it would
// keep otherwise is left out and counted; beside the recorder and at rest.
func TestPush(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	p := startRecording(t)
	record := func(uri string) {
		t.Helper()
		query := "type=resource&date=2026-05-01T12:00:00Z&uri=" + uri
		if status, answer := p.post(p.recorder().Token, query, "text of "+uri); status != http.StatusCreated {
			t.Fatalf("%d %s", status, answer)
		}
	}
	push := func(want ...string) (said string) {
		t.Helper()
		_, errs, code := p.run("push", "--to", "outbackcdx", server.Collection(), "--verbose")
		var paths []string
		for _, line := range server.Lines() {
			paths = append(paths, strings.Fields(line)[2])
		}
		if got := strings.Join(paths, " "); code != 0 || got != strings.Join(want, " ") {
			t.Errorf("%d %s: it has %s, want %s", code, errs, got, want)
		}
		return errs
	}
	for _, uri := range []string{"https://example.com/a", "https://example.com/b", "https://example.com:8443/c"} {
		record(uri)
	}
	if said := push("https://example.com/a", "https://example.com/b"); !strings.Contains(said, "2 lines added") ||
		!strings.Contains(said, "1 line left out") {
		t.Error(said)
	}
	posts := server.Posts()
	push("https://example.com/a", "https://example.com/b")
	if server.Posts() != posts {
		t.Error("it was sent something, and nothing was new")
	}
	if _, errs, code := p.run("remove", "--url", "https://example.com/a", "--yes"); code != 0 {
		t.Fatal(errs)
	}
	record("https://example.com/d")
	push("https://example.com/b", "https://example.com/d")
	if p.stop() != 0 {
		t.Error(p.stderr)
	}
	if _, errs, code := p.run("rebuild"); code != 0 {
		t.Fatal(errs)
	}
	posts = server.Posts()
	push("https://example.com/b", "https://example.com/d")
	if server.Posts() != posts {
		t.Error("after a rebuild it was sent something")
	}
	if _, errs, code := p.run("remove", "--url", "https://example.com/b", "--yes", "--forget"); code != 0 {
		t.Fatal(errs)
	}
	if _, errs, code := p.run("push", "--to", "outbackcdx", server.Collection()); code != 1 ||
		!strings.Contains(errs, "to be forgotten") {
		t.Errorf("%d %s", code, errs)
	}
	push("https://example.com/b", "https://example.com/d") // which is said once
}

// TestPushKilled: what a push that was killed has not sent, the next one does, and nothing again of what
// the server has answered for; so after an error of the server.
func TestPushKilled(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	p := &program{t: t, dir: t.TempDir()}
	const captures = 12000
	fakeIndex(t, collection.Dir(filepath.Join(p.dir, "collections", "default")), captures)
	token := filepath.Join(p.dir, "token")
	args := []string{"push", "--to", "outbackcdx", server.Collection(), "--token-file", token}
	second, ended := make(chan bool), make(chan bool)
	server.SetHook(func(n int, r *http.Request) (int, string) {
		if shown := r.Header.Get("Authorization"); shown != "Bearer secret" {
			t.Errorf("it is shown %q", shown)
		}
		if n == 2 {
			close(second)
			<-ended
			return http.StatusInternalServerError, "too late"
		}
		return 0, ""
	})
	killed := command(p.dir, args...)
	killed.Env = append(killed.Env, "WARCORDER_AUTHORIZATION=Bearer secret")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	<-second
	if _, errs, code := p.run(args...); code != 1 || !strings.Contains(errs, "another push is at work") {
		t.Errorf("beside another push: %d %s", code, errs)
	}
	killed.Process.Kill()
	killed.Wait()
	close(ended)
	if n := len(server.Lines()); n == 0 || n >= captures {
		t.Errorf("%d lines", n)
	}
	isBegun(t, token)
	server.SetHook(func(n int, _ *http.Request) (int, string) {
		if n == 4 {
			return http.StatusBadRequest, "At line: what is wrong\njava.lang.Exception"
		}
		return 0, ""
	})
	if _, errs, code := p.run(args...); code != 1 || !strings.Contains(errs, "what is wrong") {
		t.Errorf("%d %s", code, errs)
	}
	isBegun(t, token)
	server.SetHook(nil)
	if _, errs, code := p.run(append(args, "--verbose")...); code != 0 || len(server.Lines()) != captures ||
		server.Posts() != 5 || !strings.Contains(errs, "2,000 lines added") ||
		!strings.Contains(errs, "10,000 lines there before") {
		t.Errorf("%d %s, %d lines, %d posts", code, errs, len(server.Lines()), server.Posts())
	}
	posts := server.Posts()
	if _, errs, code := p.run(args...); code != 0 || server.Posts() != posts {
		t.Errorf("nothing new: %d %s", code, errs)
	}
	for _, wrong := range [][]string{
		{"push", server.Collection()},
		{"push", "--to", "solr", server.Collection()},
		{"push", "--to", "outbackcdx", "localhost"},
		{"push", "--to", "outbackcdx", server.Collection(), "--token-file", filepath.Join(p.dir, "no", "token")},
		{"push", "--to", "outbackcdx", server.Collection(), "--collection", "none"},
		{"push", "--to", "parquet", filepath.Join(p.dir, "collections", "default", "table")},
		{"push", "--to", "parquet", filepath.Join(p.dir, "table"), "--token-file", token},
	} {
		if _, errs, code := p.run(wrong...); code == 0 || errs == "" {
			t.Errorf("%q: %d %q", wrong, code, errs)
		}
	}
}

// isBegun checks that a token file says that nothing was given as a whole, and that more was begun.
func isBegun(t *testing.T, token string) {
	t.Helper()
	if given, begun, place := pushedOf(t, token); given != "" || begun == "" || place == "" {
		t.Errorf("%q %q %q", given, begun, place)
	}
}

// pushedOf is what a token file says: the token of what was given, that of what was begun, and up to
// where; "" of what it does not say.
func pushedOf(t *testing.T, token string) (given, begun, place string) {
	t.Helper()
	text, err := os.ReadFile(token)
	if err != nil {
		t.Fatal(err)
	}
	given, more, _ := strings.Cut(string(text), "\n")
	words := append(strings.Fields(more), "", "", "")
	if words[0] == "more" {
		begun, place = words[1], words[2]
	}
	return given, begun, place
}

// TestPushGoesOn: what was captured since a push broke off comes too; of a collection that has become
// another one all is given again, and it is said that there may be lines of what it was.
func TestPushGoesOn(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	p := &program{t: t, dir: t.TempDir()}
	dir := collection.Dir(filepath.Join(p.dir, "collections", "default"))
	fakeIndex(t, dir, 6000)
	token := filepath.Join(p.dir, "token")
	args := []string{"push", "--to", "outbackcdx", server.Collection(), "--token-file", token}
	server.SetHook(func(n int, _ *http.Request) (int, string) {
		if n > 1 {
			return http.StatusBadRequest, "no more"
		}
		return 0, ""
	})
	if _, errs, code := p.run(args...); code != 1 {
		t.Fatal(code, errs)
	}
	begun, err := os.ReadFile(token)
	if err != nil {
		t.Fatal(err)
	}
	server.SetHook(nil)
	fakeIndex(t, dir, 7000) // another file, whose first captures have the same keys
	if _, errs, code := p.run(args...); code != 0 || len(server.Lines()) != 7000 || server.Posts() != 5 {
		t.Errorf("%d %s, %d lines, %d posts", code, errs, len(server.Lines()), server.Posts())
	}
	other := collection.Dir(filepath.Join(p.dir, "collections", "other"))
	fakeIndex(t, other, 100)
	server.Reset()
	if err := os.WriteFile(token, begun, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := p.run(append(args, "--collection", "other")...); code != 1 ||
		!strings.Contains(errs, "all files are gone") || len(server.Lines()) != 100 {
		t.Errorf("another collection: %d %s, %d lines", code, errs, len(server.Lines()))
	}
}

// fakeIndex makes an index of captures of which no file is there, or adds another file of them.
func fakeIndex(t *testing.T, dir collection.Dir, n int) {
	t.Helper()
	if err := os.MkdirAll(dir.Archive(), 0o700); err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(dir.Index(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := index.AddFile(fmt.Sprintf("%d.warc.gz", n))
	if err != nil {
		t.Fatal(err)
	}
	captures := make([]store.Capture, n)
	for i := range captures {
		captures[i] = store.Capture{
			URLKey: fmt.Sprintf("com,example)/%06d", i), URL: fmt.Sprintf("https://example.com/%06d", i),
			Time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Status: 200, MIME: "text/html",
			Location: store.Location{File: file.Name, Offset: int64(i), Length: 1},
		}
	}
	file.Committed, file.Sealed = int64(n), true
	if err := index.Commit(captures, []store.File{file}); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
}
