package outbackcdx_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warcorder/store/outbackcdx"
	"warcorder/store/outbackcdx/outbackcdxtest"
)

const digest = "AKMCCEPOOWFMGGO5635HFZXGFRLRGWIX"

// line is a line of an export.
func line(key, ts, url, more string) string {
	return fmt.Sprintf("%s %s {\"url\":\"%s\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"sha1:%s\","+
		"\"length\":\"9\",\"offset\":\"7\",\"filename\":\"a.warc.gz\"%s}\n", key, ts, url, digest, more)
}

// feed sends lines, in small pieces.
func feed(t *testing.T, server *outbackcdxtest.Server, lines string) (*outbackcdx.Feed, error) {
	t.Helper()
	to, err := outbackcdx.NewServer(server.Collection(), "")
	if err != nil {
		t.Fatal(err)
	}
	to.Wait = time.Millisecond
	f := outbackcdx.NewFeed(t.Context(), to)
	for r := strings.NewReader(lines); r.Len() > 0; {
		if _, err := io.CopyN(f, r, 31); err != nil && err != io.EOF {
			return f, err
		}
	}
	return f, f.Close()
}

// TestFeed: what is new is there under the keys that lines have, what is void is not, and what would be
// found under another key is left out and counted.
func TestFeed(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	const ts = "20260501120000"
	a := line("com,example)/a", ts, "https://example.com/a", "")
	f, err := feed(t, server, "!removed 0 {\"filename\":\"x\"}\n"+a+
		line("com,example)/a?__wb_method=post&x=1", ts, "https://example.com/a", `,"method":"POST","requestBody":"x=1"`)+
		line("com,example:8080)/a", ts, "https://example.com:8080/a", "")+
		line("com,example)/?&q", ts, "https://example.com/?q&", "")+
		line("com,example)/h", ts, "https://example.com/h", `,"digest":"sha256:ABCD"`)+
		line("com,example)/x", ts, "https://example.com/x",
			`,"digest":"sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"`)+
		line("com,example)/n", ts, "https://example.com/n", `,"filename":"a b.warc"`)+
		line("com,example)/v", ts, "https://example.com/v", ""))
	if err != nil {
		t.Fatal(err)
	}
	want := "com,example)/a " + ts + " https://example.com/a 200 " + digest + " 7 a.warc.gz\n" +
		"com,example)/h " + ts + " https://example.com/h 200 - 7 a.warc.gz\n" +
		"com,example)/v " + ts + " https://example.com/v 200 " + digest + " 7 a.warc.gz\n" +
		"com,example)/x " + ts + " https://example.com/x 200 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ 7 a.warc.gz"
	if got := strings.Join(server.Lines(), "\n"); got != want {
		t.Errorf("it has\n%s\nwant\n%s", got, want)
	}
	if left := fmt.Sprint(f.Done.LeftOut[outbackcdx.OtherMethod], f.Done.LeftOut[outbackcdx.Unsure],
		f.Done.LeftOut[outbackcdx.OtherKey], f.Done.LeftOut[outbackcdx.OtherName]); left != "1 1 1 1" ||
		f.Done.Added != 4 || f.Done.Digests != 1 || len(f.Done.Reasons()) != 4 {
		t.Errorf("%+v", f.Done)
	}
	void := func(key, path string) string {
		return fmt.Sprintf("%s %s {\"url\":\"https://example.com%s\",\"filename\":\"a.warc.gz\",\"removed\":\"2026\"}\n",
			key, ts, path)
	}
	// what is still there of a key and second, before or behind a void line, stays
	f, err = feed(t, server, a+void("com,example)/a", "/a")+void("com,example)/h", "/h")+
		void("com,example)/v", "/v")+line("com,example)/v", ts, "https://example.com/v", "")+
		void("com,example)/x", "/x"))
	got := server.Lines()
	if err != nil || f.Done.Deleted != 2 || f.Done.Added != 2 || len(got) != 2 ||
		!strings.HasPrefix(got[1], "com,example)/v") {
		t.Errorf("%v %+v %q", err, f.Done, got)
	}
}

// TestFeedBatches: a batch has a bound, and a group of one key and second too.
func TestFeedBatches(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	largest := int64(0)
	server.SetHook(func(_ int, r *http.Request) (int, string) {
		largest = max(largest, r.ContentLength)
		return 0, ""
	})
	var lines strings.Builder
	for i := range 12000 {
		lines.WriteString(line(fmt.Sprintf("com,example)/%06d", i), "20260501120000",
			fmt.Sprintf("https://example.com/%06d", i), ""))
	}
	for range 5000 {
		lines.WriteString(line("com,example)/z", "20260501120000", "https://example.com/z", ""))
	}
	f, err := feed(t, server, lines.String())
	if err != nil || len(server.Lines()) != 12001 || server.Posts() != 3 || largest > 2<<20 || f.Done.Added > 13000 {
		t.Errorf("%v %+v %d lines, %d posts, %d bytes", err, f.Done, len(server.Lines()), server.Posts(), largest)
	}
}

// TestFeedGoesOn: what the server has answered for is told, and not sent again; what is counted is the same.
func TestFeedGoesOn(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	to, err := outbackcdx.NewServer(server.Collection(), "")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	const ts = "20260501120000"
	for i := range 5400 {
		key, address := fmt.Sprintf("com,example)/%06d", i), fmt.Sprintf("https://example.com/%06d", i)
		lines.WriteString(line(key, ts, address, ""))
		if i%10 == 0 {
			lines.WriteString(line(key+"?__wb_method=post", ts, address, `,"method":"POST"`))
		}
	}
	place, begun := "", 0
	f := outbackcdx.NewFeed(t.Context(), to)
	f.Sends = func() error {
		begun++
		if server.Posts() > 0 {
			t.Error("it has sent something")
		}
		return nil
	}
	f.Confirmed = func(behind string) error {
		place = behind
		return io.ErrUnexpectedEOF
	}
	if _, err := io.WriteString(f, lines.String()); err != io.ErrUnexpectedEOF || len(server.Lines()) != 5000 ||
		!strings.HasPrefix(place, "com,example)/004999 ") || begun != 1 {
		t.Fatalf("%v, %d lines, up to %q, begun %d times", err, len(server.Lines()), place, begun)
	}
	f = outbackcdx.NewFeed(t.Context(), to)
	f.Behind = place
	if _, err := io.WriteString(f, lines.String()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil || len(server.Lines()) != 5400 || server.Posts() != 2 || f.Done.Added != 400 ||
		f.Done.Before != 5000 || f.Done.LeftOut[outbackcdx.OtherMethod] != 540 {
		t.Errorf("%v, %d lines, %d posts, %+v", err, len(server.Lines()), server.Posts(), f.Done)
	}
}

// TestFeedFails: who is not well is asked again; what is wrong is quoted, once, and nothing secret is.
func TestFeedFails(t *testing.T) {
	a := line("com,example)/a", "20260501120000", "https://example.com/a", "")
	for name, test := range map[string]struct {
		hook  func(n int, r *http.Request) (int, string)
		posts int
		says  string // "" is nothing wrong
	}{
		"well the third time": {func(n int, _ *http.Request) (int, string) {
			if n < 3 {
				return 503, "busy"
			}
			return 0, ""
		}, 3, ""},
		"never well": {func(int, *http.Request) (int, string) { return 500, "out of\nmemory\nat" }, 5,
			`answered 500: "out of memory" (tried 5 times)`},
		"a bad line": {func(int, *http.Request) (int, string) { return 400, "At line: x\njava\n\tat y" }, 1,
			`answered 400: "At line: x java"`},
		"a password":    {func(int, *http.Request) (int, string) { return 401, "no" }, 1, `answered 401: "no"`},
		"a secondary":   {func(int, *http.Request) (int, string) { return 403, "secondary mode" }, 1, "secondary mode"},
		"a redirect":    {func(int, *http.Request) (int, string) { return 302, "" }, 1, "answered 302"},
		"something":     {func(int, *http.Request) (int, string) { return 200, "<html>" }, 1, "is that an OutbackCDX?"},
		"another count": {func(int, *http.Request) (int, string) { return 200, "Added 0 records\n" }, 1, "was sent 1 lines"},
	} {
		server := outbackcdxtest.New()
		server.SetHook(test.hook)
		_, err := feed(t, server, a)
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) ||
			server.Posts() != test.posts {
			t.Errorf("%s: %v, %d posts", name, err, server.Posts())
		}
		server.Close()
	}
	server := outbackcdxtest.New()
	defer server.Close()
	shown := ""
	server.SetHook(func(_ int, r *http.Request) (int, string) {
		shown = r.Header.Get("Authorization")
		return 401, "no"
	})
	for _, test := range [][3]string{
		{"anna:geheim@", "", "Basic YW5uYTpnZWhlaW0="}, {"", "Bearer geheim", "Bearer geheim"},
	} {
		address := strings.Replace(server.Collection(), "://", "://"+test[0], 1)
		to, err := outbackcdx.NewServer(address, test[1])
		if err != nil {
			t.Fatal(err)
		}
		f := outbackcdx.NewFeed(t.Context(), to)
		io.WriteString(f, a)
		if err := f.Close(); err == nil || strings.Contains(err.Error()+to.String(), "geheim") || shown != test[2] {
			t.Errorf("%v %s, it was shown %q", err, to, shown)
		}
	}
	for _, address := range []string{"", "http://h", "http://h/", "ftp://h/c", "http://h/c?x", "h/c",
		"http://a:geheim@%zz/c"} {
		if _, err := outbackcdx.NewServer(address, ""); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, text := range []string{"a line\n", "a 2 {\n", "com,example)/a 20260501120000 {\"url\":\"x"} {
		if _, err := feed(t, server, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestKeepsOne: the version of the index says how lines are kept; where there is none, as at first.
func TestKeepsOne(t *testing.T) {
	server := outbackcdxtest.New()
	defer server.Close()
	to, err := outbackcdx.NewServer(server.Collection(), "")
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[int]bool{0: true, 3: true, 4: false, 5: false} {
		server.Version = version
		if one, err := to.KeepsOne(t.Context()); err != nil || one != want {
			t.Errorf("%d: %v %v", version, one, err)
		}
	}
	answers := []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusUnauthorized}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[0])
		io.WriteString(w, `{"featureFlags":{"indexVersion":5}}`)
		answers = answers[1:]
	}))
	defer front.Close()
	if to, err = outbackcdx.NewServer(front.URL+"/web", ""); err != nil {
		t.Fatal(err)
	}
	to.Wait = time.Millisecond
	if one, err := to.KeepsOne(t.Context()); err != nil || one {
		t.Errorf("not well at first: %v %v", one, err)
	}
	if _, err := to.KeepsOne(t.Context()); err == nil {
		t.Error("who may not ask is told that it is of an old version")
	}
}
