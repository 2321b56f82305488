package packing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store/selection"
)

// site records a page with a resource, one that was not found, and bodies that come again.
func site(r *recording) {
	r.visit("https://example.com/a", html("200 OK", "<title>A &amp; B</title><p>seen<p hidden>hidden"))
	r.get("https://example.com/style", "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"+
		strings.Repeat("a { color: red } ", 100))
	r.visit("https://example.com/none", html("404 Not Found", "<title>None</title>"))
	r.get("https://other.example/style", "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"+
		strings.Repeat("a { color: red } ", 100))
}

// write returns what a package writes.
func write(t testing.TB, p *Package) (packed, Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := p.Write(t.Context(), &out, "part")
	if err != nil {
		t.Fatal(err)
	}
	return unpack(t, out.Bytes()), report
}

// TestWrite: a whole collection is in it as it lies, with its pages.
func TestWrite(t *testing.T) {
	r := begin(t, nil)
	site(r)
	p := r.pack()
	p.Text, p.Sign, p.Title = true, true, "all"
	in, report := write(t, p)
	want := []string{"https://example.com/a", "https://example.com/none", "https://example.com/style",
		"https://other.example/style"}
	if got := in.urls(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	names, err := filepath.Glob(r.dir.WARC("*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	file, err := os.ReadFile(names[0])
	if err != nil || !bytes.Equal(in.entries["archive/"+filepath.Base(names[0])], file) {
		t.Error("the file is another", err)
	}
	listed, all := in.pages("pages/pages.jsonl"), in.pages("pages/extraPages.jsonl")
	if len(listed) != 1 || len(all) != 2 || listed[0]["title"] != "A & B" || listed[0]["text"] != "seen" ||
		listed[0]["url"] != "https://example.com/a" || listed[0]["ts"] != "2026-05-01T12:00:01Z" ||
		all[1]["title"] != "None" || all[1]["status"] != 404.0 {
		t.Errorf("pages %v, all %v", listed, all)
	}
	if report.Captures != 4 || report.Pages != 2 || report.Others != 1 || report.Orphans.Number != 0 {
		t.Errorf("%+v", report)
	}
	if !strings.Contains(string(in.entries["datapackage-digest.json"]), `"publicKey"`) {
		t.Error("it is not signed")
	}
}

// TestSelected: what is selected stands alone: the original of another URL is with it, and requests.
func TestSelected(t *testing.T) {
	r := begin(t, nil)
	site(r)
	p := r.pack()
	p.Selection = selection.Selection{URL: "https://other.example/", Match: "host"}
	in, _ := write(t, p)
	want := []string{"https://example.com/style", "https://other.example/style"}
	if got := in.urls(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := in.requests(); n != 2 || in.entries["archive/part-00001.warc.gz"] == nil ||
		len(in.pages("pages/pages.jsonl")) > 0 {
		t.Errorf("%d requests, %d entries", n, len(in.entries))
	}
}

// TestCookies: cookies stand in the index if they are wanted, and only then.
func TestCookies(t *testing.T) {
	r := begin(t, nil)
	site(r)
	p := r.pack()
	for _, p.Cookies = range []bool{false, true} {
		in, _ := write(t, p)
		want := []string{"", "", "", ""}
		if p.Cookies {
			want = []string{`a=1; b="2"`, `a=1; b="2"`, "", ""}
		}
		var got []string
		for _, l := range in.lines() {
			got = append(got, l.Cookie)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCookieIn: the Cookie fields of heads.
func TestCookieIn(t *testing.T) {
	for head, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                                "",
		"GET / HTTP/1.1\r\ncookie:a=1\r\n\r\n":                  "a=1",
		"GET / HTTP/1.1\r\nCookie: a=1\r\nCOOKIE : b=2\r\n\r\n": "a=1; b=2",
		"GET / HTTP/1.1\r\nX-Cookie: a\r\n\r\n":                 "",
		"Cookie: " + strings.Repeat("a", maxCookie+1) + "\r\n":  "",
		"Cookie: " + strings.Repeat("a", maxCookie-1) + "=\r\n": strings.Repeat("a", maxCookie-1) + "=",
	} {
		if got := cookieIn([]byte(head)); got != want {
			t.Errorf("%.50q: %.50q, want %.50q", head, got, want)
		}
	}
}

// TestNothing: what selects nothing makes no file.
func TestNothing(t *testing.T) {
	r := begin(t, nil)
	site(r)
	p := r.pack()
	p.Selection.URL = "https://nowhere.example/"
	dir := t.TempDir()
	for _, p.Split = range []int64{0, 1 << 20} {
		if _, err := p.Files(t.Context(), filepath.Join(dir, "a.wacz"), 0o600); !errors.Is(err, ErrNothing) {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// noise is a body of so many bytes that nothing makes shorter.
func noise(seed string, size int) string {
	var b strings.Builder
	for sum := sha256.Sum256([]byte(seed)); b.Len() < size; sum = sha256.Sum256(sum[:]) {
		b.WriteString(string(sum[:]))
	}
	return b.String()[:size]
}

// TestSplit: parts are as long as they may be, each stands alone, together they have all, and the
// list names them; with many files, with one, and with revisits of what lies in another part.
func TestSplit(t *testing.T) {
	for _, fileSize := range []int64{300 << 10, 1 << 30} {
		r := begin(t, func(cfg *recorder.Config) { cfg.WARCMaxSize = fileSize })
		var want []string
		for i := range 40 {
			url := fmt.Sprintf("https://example.com/%02d", i)
			r.visit(url, html("200 OK", "<p>"+noise(fmt.Sprint(i%35), 60<<10)))
			want = append(want, url)
		}
		p := r.pack()
		p.Split, p.Text = 1<<20, true
		dir := t.TempDir()
		report, err := p.Files(t.Context(), filepath.Join(dir, "News.wacz"), 0o640)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		files := map[string]bool{}
		for i, part := range report.Parts {
			content, err := os.ReadFile(filepath.Join(dir, part.File))
			if err != nil || part.File != fmt.Sprintf("News-%04d.wacz", i+1) || int64(len(content)) != part.Bytes {
				t.Fatal(part.File, err)
			}
			if sum := sha256.Sum256(content); part.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
				t.Errorf("%s has another hash", part.File)
			}
			if part.Bytes > p.Split || part.Bytes < p.Split/8 && i+1 < len(report.Parts) {
				t.Errorf("%s has %d bytes", part.File, part.Bytes)
			}
			in := unpack(t, content)
			got = append(got, in.urls()...)
			for name := range in.entries {
				if strings.HasPrefix(name, "archive/") && strings.Contains(name, "News") && files[name] {
					t.Errorf("two parts have a file %s of their own", name)
				}
				files[name] = true
			}
			for _, page := range in.pages("pages/pages.jsonl") {
				if !slices.Contains(in.urls(), page["url"].(string)) {
					t.Errorf("%s lists %v, and does not have it", part.File, page["url"])
				}
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) || len(report.Parts) < 3 || report.Pages != 40 {
			t.Errorf("%d parts with %d pages have %q", len(report.Parts), report.Pages, got)
		}
		var list struct {
			Profile   string
			Resources []struct{ Path string }
		}
		text, err := os.ReadFile(filepath.Join(dir, "News.json"))
		if err == nil {
			err = json.Unmarshal(text, &list)
		}
		if err != nil || list.Profile != "multi-wacz-package" || len(list.Resources) != len(report.Parts) {
			t.Errorf("%s, %v", text, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != len(report.Parts)+1 || report.TooLong > 0 {
			t.Errorf("%d files, %v, %+v", len(left), err, report)
		}
	}
}

// TestOneSecond: what cannot be divided is longer than it may be, and said to be.
func TestOneSecond(t *testing.T) {
	r := begin(t, nil)
	r.visit("https://example.com/", html("200 OK", noise("x", 3<<20)))
	r.visit("https://example.com/small", html("200 OK", noise("y", 3<<10)))
	p := r.pack()
	p.Split = 1 << 20
	report, err := p.Files(t.Context(), filepath.Join(t.TempDir(), "a.wacz"), 0o600)
	if err != nil || report.TooLong != 1 || len(report.Parts) != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestCancelled: one that is given up, or whose disk is full, leaves what was there.
func TestCancelled(t *testing.T) {
	r := begin(t, nil)
	for i := range 30 {
		r.visit(fmt.Sprintf("https://example.com/%02d", i), html("200 OK", noise(fmt.Sprint(i), 60<<10)))
	}
	p := r.pack()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wacz")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, split := range []int64{0, 1 << 20, 1 << 20} {
		p.Split, p.Text = split, i == 2 // pages come first then
		for _, at := range []string{"pages", "records", "the end"} {
			ctx, cancel := context.WithCancel(t.Context())
			p.Progress = func(what string, done, total int64) {
				if at == "pages" && what == "pages" || at == "records" && total > 0 || done == total {
					cancel()
				}
			}
			if _, err := p.Files(ctx, path, 0o600); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", at, err)
			}
			cancel()
			left, err := os.ReadDir(dir)
			if text, _ := os.ReadFile(path); err != nil || len(left) != 1 || string(text) != "before" {
				t.Errorf("%s: left are %v, %q", at, left, text)
			}
		}
	}
	p.Progress, p.Split, p.Text = nil, 0, false
	if _, err := p.Write(t.Context(), &full{1 << 20}, "a"); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

// TestProgress: one tells of progress at a time, of pages when all is copied: the race detector sees
// whether two do.
func TestProgress(t *testing.T) {
	r := begin(t, nil)
	for i := range 200 {
		r.visit(fmt.Sprintf("https://example.com/%03d", i), html("200 OK", "<title>"+noise(fmt.Sprint(i), 4<<10)))
	}
	p := r.pack()
	copied, total := int64(0), int64(-1)
	p.Progress = func(what string, done, of int64) {
		switch {
		case what != "pages":
			copied, total = done, of
		case copied < total || total < 0:
			t.Errorf("pages are told of when %d bytes of %d are copied", copied, total)
		}
	}
	if _, report := write(t, p); report.Pages != 200 || copied != total {
		t.Errorf("%+v: %d of %d", report, copied, total)
	}
}

// full fails after so many bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}
