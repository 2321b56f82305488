package wayback

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warcorder/recorder"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects/gateway"
)

// TestFile: a file is served under its final name while it is open, when it is finished, and when it is
// away: whole, in parts, and its head alone; and ends where the index does.
func TestFile(t *testing.T) {
	gateway.Start(t)
	r := record(t, "news", nil).serve()
	r.commit("http://example.com/a", page+"hello", 0)
	c := r.captures()[0]
	sent := ""
	for _, state := range []string{"open", "finished", "away"} {
		if state == "finished" {
			if _, err := r.rec.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		known, _ := r.rec.Index().File(c.File)
		path := r.dir.WARC(c.File)
		if state == "open" {
			path += ".open"
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(file, "what is not committed")
			file.Close()
		}
		if state == "away" {
			awaytest.Send(t, r.dir, r.rec.Index(), c.File)
		} else {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sent = string(b[:known.Committed])
		}
		want := sent
		for _, at := range []string{"/warc/", "/news/warc/"} {
			whole := r.ask("GET " + at + c.File)
			if whole.StatusCode != 200 || whole.body != want ||
				whole.Header.Get("Content-Type") != "application/gzip" ||
				whole.ContentLength != int64(len(want)) {
				t.Errorf("%s %s: %s %v, %d bytes of %d", state, at, whole.Status, whole.Header,
					len(whole.body), len(want))
			}
			if head := r.ask("HEAD " + at + c.File); head.StatusCode != 200 || head.body != "" ||
				head.ContentLength != int64(len(want)) {
				t.Errorf("%s: HEAD %s %v", state, head.Status, head.Header)
			}
		}
		checkRanges(t, r, c.File, want)
		if state == "open" {
			if err := os.Truncate(path, known.Committed); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFileUnreadable: where object storage does not give a file that is away, the answer says so, with its
// name and why, whatever part is asked for; what it has is told all the same.
func TestFileUnreadable(t *testing.T) {
	gateway.Start(t)
	r := record(t, "news", nil).serve()
	r.commit("http://example.com/a", page+"hello", 0)
	name := r.captures()[0].File
	if _, err := r.rec.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaytest.Send(t, r.dir, r.rec.Index(), name)
	gateway.Use(t, "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	for _, wanted := range [][]string{nil, {"Range: bytes=20-39"}, {"Range: bytes=-7"}} {
		got := r.ask("GET /warc/"+name, wanted...)
		if got.StatusCode != 502 || !strings.Contains(got.body, name+" is away") ||
			!strings.Contains(got.body, "the storage cannot be reached") {
			t.Errorf("%v: %s %s", wanted, got.Status, got.body)
		}
	}
	if got := r.ask("HEAD /warc/" + name); got.StatusCode != 200 {
		t.Errorf("%s", got.Status)
	}
}

func checkRanges(t *testing.T, r *recording, name, want string) {
	t.Helper()
	size := len(want)
	etag := r.ask("HEAD /warc/" + name).Header.Get("ETag")
	for _, c := range []struct {
		name   string
		fields []string
		status int
		body   string
	}{
		{"first bytes", []string{"Range: bytes=0-9"}, 206, want[:10]},
		{"a record", []string{"Range: bytes=20-39"}, 206, want[20:40]},
		{"to the end", []string{"Range: bytes=20-"}, 206, want[20:]},
		{"suffix", []string{"Range: bytes=-7"}, 206, want[size-7:]},
		{"longer than it is", []string{fmt.Sprintf("Range: bytes=10-%d", size+100)}, 206, want[10:]},
		{"behind the end", []string{fmt.Sprintf("Range: bytes=%d-", size)}, 416, ""},
		{"none that we know", []string{"Range: lines=1-2"}, 416, ""},
		{"the same file", []string{"Range: bytes=0-9", "If-Range: " + etag}, 206, want[:10]},
		{"another file", []string{"Range: bytes=0-9", `If-Range: "other"`}, 200, want},
		{"not changed", []string{"If-None-Match: " + etag}, 304, ""},
	} {
		got := r.ask("GET /warc/"+name, c.fields...)
		if got.StatusCode != c.status || c.body != "" && got.body != c.body {
			t.Errorf("%s: %s, %d bytes, want %d and %d", c.name, got.Status, len(got.body), c.status,
				len(c.body))
		}
	}
}

// TestHostilePaths: nothing but what the index knows is found, whatever a path says; a directory's
// other files are not.
func TestHostilePaths(t *testing.T) {
	r := record(t, "news", nil).serve()
	r.commit("http://example.com/a", page+"hello", 0)
	name := r.captures()[0].File
	for _, beside := range []string{r.dir.WARC("other.warc.gz"), r.dir.WARC("plain"),
		filepath.Join(filepath.Dir(string(r.dir)), name)} {
		if err := os.WriteFile(beside, []byte("not in the index"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		"/warc/", "/warc/other.warc.gz", "/warc/plain", "/warc/..", "/warc/.", "/warc/../index.bolt",
		"/warc/%2e%2e/index.bolt", "/warc/..%2findex.bolt", "/warc/..%5cindex.bolt",
		"/warc/archive/" + name, "/warc//" + name, "/warc/./" + name, "/warc/" + name + "/",
		"/warc/" + name + ".open", "/warc/" + name + "%00", "/warc/%00", "/warc/%2f" + name,
		"/warc/" + strings.ToUpper(name), "/warc/" + name + "%20", "/news/warc/../" + name,
		"/news/../warc/" + name, "/news//warc/" + name, "/other/warc/" + name, "/news/web", "/news/",
		"/news", "/news/index.bolt", "/news/recorder.token", "/news/archive/" + name, "/web", "/web/",
		"/index", "/warc/" + strings.Repeat("a", 4000), "/%6eews%2fwarc/" + name,
	} {
		if got := r.ask("GET " + path); got.StatusCode != 404 || strings.Contains(got.body, "not in") {
			t.Errorf("%s: %s %s", path, got.Status, got.body)
		}
	}
	for _, path := range []string{"/warc/" + name, "/%6eews/warc/" + name, "/warc/%" +
		fmt.Sprintf("%x", name[0]) + name[1:], "/warc/" + name + "?a=b"} {
		if got := r.ask("GET " + path); got.StatusCode != 200 {
			t.Errorf("%s: %s %s", path, got.Status, got.body)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PROPFIND"} {
		if got := r.ask(method + " /warc/" + name); got.StatusCode != 405 ||
			got.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %s", method, got.Status)
		}
	}
}

// TestAway: what is gone is said to be gone; of a file that was cut, what is there can be had.
func TestAway(t *testing.T) {
	r := record(t, "news", nil).serve()
	r.commit("http://example.com/a", page+"hello", 0)
	name := r.captures()[0].File
	path := r.dir.WARC(name) + ".open"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 30); err != nil {
		t.Fatal(err)
	}
	if got := r.ask("GET /warc/" + name); got.StatusCode != 410 ||
		!strings.Contains(got.body, "ends at byte 30") {
		t.Errorf("%s %s", got.Status, got.body)
	}
	if got := r.ask("GET /warc/"+name, "Range: bytes=10-19"); got.StatusCode != 206 ||
		got.body != string(b[10:20]) {
		t.Errorf("%s %q", got.Status, got.body)
	}
	if got := r.ask("GET /warc/"+name, "Range: bytes=30-39"); got.StatusCode != 416 {
		t.Errorf("%s %q", got.Status, got.body)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := r.ask("GET /warc/" + name); got.StatusCode != 410 || !strings.Contains(got.body, "taken out") {
		t.Errorf("%s %s", got.Status, got.body)
	}
}

// TestFilesMeanwhile: while files are written, finished and given their names, each that is asked
// for is a beginning of what it becomes.
func TestFilesMeanwhile(t *testing.T) {
	r := record(t, "news", func(cfg *recorder.Config) { cfg.WARCMaxSize = 20 << 10 }).serve()
	const pages = 60
	var mu sync.Mutex
	seen := map[string]string{} // the longest that was got of a file
	ended := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				files, _ := r.rec.Index().Files()
				for _, f := range files {
					if f.Committed == 0 {
						continue
					}
					got := r.ask("GET /warc/" + f.Name)
					if got.StatusCode != 200 || int64(len(got.body)) < f.Committed {
						t.Errorf("%s: %s, %d bytes of %d", f.Name, got.Status, len(got.body), f.Committed)
					}
					mu.Lock()
					if before := seen[f.Name]; !strings.HasPrefix(got.body, before) &&
						!strings.HasPrefix(before, got.body) {
						t.Errorf("%s: two beginnings", f.Name)
					} else if len(got.body) > len(before) {
						seen[f.Name] = got.body
					}
					mu.Unlock()
				}
			}
		})
	}
	for n := range pages {
		r.commit(fmt.Sprintf("http://example.com/%d", n), page+strings.Repeat(fmt.Sprint(n*7919), 900), float64(n))
	}
	close(ended)
	readers.Wait()
	r.rec.Close()
	if len(seen) < 2 {
		t.Errorf("%d files: none was finished meanwhile", len(seen))
	}
	for name, beginning := range seen {
		b, err := os.ReadFile(r.dir.WARC(name))
		if err != nil || !strings.HasPrefix(string(b), beginning) {
			t.Errorf("%s is not what was got: %v", name, err)
		}
	}
}

// TestReplacedFile: an answer that has begun is of the file that it began with.
func TestReplacedFile(t *testing.T) {
	r := record(t, "news", nil).serve()
	r.commit("http://example.com/a", page+strings.Repeat("0123456789abcdef", 1<<20), 0)
	name := r.captures()[0].File
	path := r.dir.WARC(name) + ".open"
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := r.rec.Index().File(name)
	res, err := http.Get(r.server.URL + "/warc/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	other := path + ".other"
	if err := os.WriteFile(other, make([]byte, len(want)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(res.Body); err != nil || string(got) != string(want[:known.Committed]) {
		t.Errorf("%d bytes of %d, %v", len(got), known.Committed, err)
	}
}
