package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// download asks a recorder for a download, and returns the whole of it.
func (p *program) download(query string) (*http.Response, []byte) {
	p.t.Helper()
	answer, err := http.Get("http://" + p.address + "/live/download?" + query)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(query, err)
	}
	return answer, body
}

// under records exchanges of another origin until the test ends, or the returned function is called.
func (p *program) under(load *url.URL) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var loading sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address}),
	}}
	for i := range 4 {
		loading.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				answer, err := client.Get(fmt.Sprintf("%s/%d/%d", load, i, n))
				if err != nil {
					p.t.Error(err)
					return
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
	end = sync.OnceFunc(func() { cancel(); loading.Wait(); client.CloseIdleConnections() })
	p.t.Cleanup(end)
	return end
}

// TestDownload: beside a recorder that has a lot to do, what comes is what the commands write of the
// same selection, under a name that says what it is.
func TestDownload(t *testing.T) {
	site, other := newSite(t), newPages(t)
	p := startRecording(t)
	for _, path := range []string{"/text/1/9000", "/text/1/9000", "/bin/1/700000", "/text/2/100"} {
		p.fetch(site.plain.URL + path)
	}
	load, _ := url.Parse(other.URL)
	end := p.under(load)
	query := "&matchType=prefix&url=" + url.QueryEscape(site.plain.URL+"/")
	flags := []string{"--url", site.plain.URL + "/", "--match", "prefix"}
	got := map[string][]byte{}
	for format, suffix := range map[string]string{"cdxj": ".cdxj", "har": ".har", "warc": ".warc.gz",
		"wacz": ".wacz"} {
		answer, body := p.download("format=" + format + query)
		_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
		if name := params["filename"]; err != nil || answer.StatusCode != 200 ||
			!strings.HasPrefix(name, "127.0.0.1-20") || !strings.HasSuffix(name, suffix) ||
			answer.Trailer.Get(lacksField) != "0" {
			t.Errorf("%s: %s, %q, %v, %v: %.300s", format, answer.Status, name, err, answer.Trailer, body)
		}
		got[format] = body
	}
	end()
	dir := t.TempDir()
	command := func(args ...string) string {
		out, errs, code := p.run(append(args, flags...)...)
		if code != 0 {
			t.Fatalf("%q: %d %s", args, code, errs)
		}
		return out
	}
	if want := command("export", "-o", "-"); string(got["cdxj"]) != want || strings.Count(want, "\n") != 4 {
		t.Errorf("lines\n%s\nwant\n%s", got["cdxj"], want)
	}
	if want := command("har", "-o", "-"); string(got["har"]) != want {
		t.Errorf("a HAR of %d bytes, want %d", len(got["har"]), len(want))
	}
	command("extract", "-o", filepath.Join(dir, "extract"))
	names, _ := filepath.Glob(filepath.Join(dir, "extract", "*.warc.gz"))
	var extracted []byte
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		extracted = append(extracted, content...)
	}
	if !bytes.Equal(got["warc"], extracted) || len(extracted) < 700_000 {
		t.Errorf("records of %d bytes, want %d", len(got["warc"]), len(extracted))
	}
	for format, name := range map[string]string{"warc": "a.warc.gz", "wacz": "a.wacz"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, got[format], 0o600); err != nil {
			t.Fatal(err)
		}
		if format == "warc" {
			if out, errs, code := p.run("verify", path); code != 0 || !strings.Contains(out, "4 request") {
				t.Errorf("%s%s", out, errs)
			}
			continue
		}
		if out, errs, code := p.run("import", "--collection", "other", path); code != 0 {
			t.Errorf("%s%s", out, errs)
		}
		if lines, _, _ := p.run("export", "--collection", "other", "-o", "-"); strings.Count(lines, "\n") != 4 {
			t.Errorf("of the WACZ:\n%s", lines)
		}
	}
}

// TestDownloadErrors: each error is JSON that says what to do, before anything that looks like a file;
// who only asks whether a download would begin gets the same.
func TestDownloadErrors(t *testing.T) {
	p := startRecording(t)
	for query, want := range map[string]struct {
		code int
		text string
	}{
		"format=warc":                                        {400, "say what is wanted"},
		"format=zip&url=http://a.example/":                   {400, "say cdxj, wacz, warc or har"},
		"format=har&url=:":                                   {400, "write the whole of it"},
		"format=cdxj&matchType=host&url=a.example":           {404, "nothing that was captured is selected"},
		"format=har&url=http://a.example/&pag=1":             {400, "nothing that a download heeds"},
		"format=har&url=http://a.example/&url=b":             {400, "say it once"},
		"format=har&from=x":                                  {400, ""},
		"format=cdxj&url=http://a.example/":                  {404, "nothing that was captured is selected"},
		"format=warc&url=http://a.example/":                  {404, "nothing that was captured is selected"},
		"format=wacz&url=http://a.example/":                  {404, "nothing that was captured is selected"},
		"format=har&url=http://a.example/":                   {404, "nothing that was captured is selected"},
		"format=har&page=http://a.example/":                  {404, "nothing that was captured is selected"},
		"format=cdxj&page=urn:uuid:no&url=http://a.example/": {404, ""},
	} {
		for _, query := range []string{query, query + "&check=true"} {
			answer, body := p.download(query)
			if answer.StatusCode != want.code || !strings.Contains(string(body), want.text) ||
				!strings.HasPrefix(string(body), `{"error":"`) ||
				answer.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s: %s %s", query, answer.Status, body)
			}
		}
	}
	if answer, body := p.download("format=warc&url=http://a.example/&check=1"); answer.StatusCode != 400 {
		t.Errorf("check=1: %s %s", answer.Status, body)
	}
}

// TestDownloadsAtOnce: two go on at once; who has gone makes room, and leaves no temporary files.
func TestDownloadsAtOnce(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/bin/1/30000000")
	query := "url=" + url.QueryEscape(site.plain.URL+"/bin/1/30000000")
	spill := filepath.Join(p.dir, "collections", "default", "spill")
	if answer, body := p.download("check=true&format=warc&" + query); answer.StatusCode != 200 ||
		answer.Header.Get("Content-Disposition") != "" || string(body) != "{\"selected\":true}\n" {
		t.Errorf("would it begin: %s %.100s", answer.Status, body)
	}
	ctx, leave := context.WithCancel(t.Context())
	for _, format := range []string{"warc", "wacz"} {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://"+p.address+"/live/download?format="+
			format+"&"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != 200 {
			t.Fatal(answer, err)
		}
		defer answer.Body.Close() // of which nothing is read
	}
	for _, query := range []string{query, query + "&check=true"} {
		answer, body := p.download("format=cdxj&" + query)
		if answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(body), "2 downloads go on") {
			t.Errorf("%s: %s %s", query, answer.Status, body)
		}
	}
	leave()
	eventually(t, "there is room", func() bool {
		answer, _ := p.download("format=cdxj&" + query)
		return answer.StatusCode == 200
	})
	eventually(t, "nothing is left", func() bool {
		left, err := os.ReadDir(spill)
		return os.IsNotExist(err) || err == nil && len(left) == 0
	})
}

// TestDownloadDamaged: what cannot be read breaks the connection off.
func TestDownloadDamaged(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/bin/1/900000")
	p.fetch(site.plain.URL + "/bin/2/900000")
	if out, errs, code := p.run("rotate"); code != 0 {
		t.Fatal(out, errs)
	}
	names, _ := filepath.Glob(filepath.Join(p.dir, "collections", "default", "archive", "*.warc.gz"))
	if len(names) != 1 {
		t.Fatal(names)
	}
	f, err := os.OpenFile(names[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := strings.Split(strings.TrimSpace(p.page("/export")), "\n")
	var offset int64
	_, rest, _ := strings.Cut(lines[1], `"offset":"`)
	if _, err := fmt.Sscan(strings.Split(rest, `"`)[0], &offset); err != nil {
		t.Fatal(lines[1], err)
	}
	if _, err := f.WriteAt(make([]byte, 2000), offset); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"warc", "wacz", "har"} {
		answer, err := http.Get("http://" + p.address + "/live/download?format=" + format +
			"&matchType=prefix&url=" + url.QueryEscape(site.plain.URL+"/"))
		if err != nil {
			continue // nothing came at all
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && answer.StatusCode == 200 {
			t.Errorf("%s: %s, %d bytes, as if whole", format, answer.Status, len(body))
		}
	}
}

// TestDownloadName: whatever the URL, the name is one of letters, digits, dots and dashes.
func TestDownloadName(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC)
	for address, want := range map[string]string{
		"https://Example.org/a":              "example.org",
		"http://user@[::1]:80/":              "__1",
		"http://\"; x=\r\n/":                 "collection",
		"http://..%2f..%2fetc/":              "collection",
		"http://.../":                        "collection",
		"http://-rf.example/":                "rf.example",
		"http://ex\u00e4mple.org/":           "ex_mple.org",
		"":                                   "collection",
		"http://" + strings.Repeat("a", 999): strings.Repeat("a", 100),
	} {
		if got := downloadName(address, at); got != want+"-20260501123000" {
			t.Errorf("%q: %q", address, got)
		}
	}
}
