package cmd

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestEndCompletes: what a client took a part of is asked for whole when the recorder is to end,
// and is in the collection then; what does not come within shutdown-timeout is a gap.
func TestEndCompletes(t *testing.T) {
	for name, comes := range map[string]bool{"in time": true, "too late": false} {
		t.Run(name, func(t *testing.T) {
			var wholes atomic.Int32
			release := make(chan struct{})
			origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") == "" {
					wholes.Add(1)
					if !comes {
						<-release
					}
				}
				w.Header().Set("Content-Type", "video/mp4")
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("film", 1000)))
			}))
			defer origin.Close()
			defer close(release)
			timeout := map[bool]string{true: "1m", false: "3s"}[comes]
			p := startRecording(t, "--complete-quiet", "1h", "--complete-within", "1h",
				"--shutdown-timeout", timeout)
			p.fetchPart(origin.URL + "/film")
			for !strings.Contains(p.page("/status"), `"waiting": 1`) {
				time.Sleep(10 * time.Millisecond)
			}
			if code := p.stop(); code != 0 || wholes.Load() != 1 {
				t.Errorf("exit code %d, asked for %d times: %s", code, wholes.Load(), p.stderr)
			}
			lines, _, _ := p.run("export", "-o", "-")
			gaps, _, _ := p.run("gaps")
			if strings.Contains(lines, `"status":"200"`) != comes ||
				strings.Contains(gaps, "the whole was asked for, and did not come") == comes {
				t.Errorf("lines:\n%s\ngaps:\n%s", lines, gaps)
			}
			if findings, errors, code := p.run("verify"); code != 0 {
				t.Errorf("verify: %s%s", findings, errors)
			}
			if _, errors, code := p.run("rebuild"); code != 0 {
				t.Errorf("rebuild: %s", errors)
			}
			if again, _, _ := p.run("export", "-o", "-"); again != lines {
				t.Errorf("lines:\n%s\nafter rebuild:\n%s", lines, again)
			}
		})
	}
}

// TestCompletionOutlivesACrash: of a large one that a crash has cut, what came is recorded, and
// that no client had asked for it.
func TestCompletionOutlivesACrash(t *testing.T) {
	release := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		if r.Header.Get("Range") != "" {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("film", 1000)))
			return
		}
		w.Write(make([]byte, 5<<20))
		<-release
	}))
	defer origin.Close()
	defer close(release)
	p := startRecording(t, "--complete-quiet", "10ms")
	p.fetchPart(origin.URL + "/film")
	collection := filepath.Join(p.dir, "collections", "default")
	for size := int64(0); size < 2<<20; time.Sleep(10 * time.Millisecond) {
		names, _ := filepath.Glob(filepath.Join(collection, "spill", "*.response"))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				size = info.Size()
			}
		}
	}
	p.cmd.Process.Kill()
	<-p.ended
	if _, errors, code := p.run("recover"); code != 0 {
		t.Fatalf("recover: %s", errors)
	}
	found := false
	names, _ := filepath.Glob(filepath.Join(collection, "archive", "*.warc.gz"))
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(unzipped)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(text, []byte("\r\ncompletion: part\r\n")) &&
			bytes.Contains(text, []byte("\r\nWARC-Truncated: disconnect\r\n"))
	}
	if !found {
		t.Errorf("nothing says that it was a completion, in %q", names)
	}
	if findings, errors, code := p.run("verify"); code != 0 {
		t.Errorf("verify: %s%s", findings, errors)
	}
}

// fetchPart gets a part of what a URL has, through the proxy.
func (p *program) fetchPart(target string) {
	p.t.Helper()
	proxy := &url.URL{Scheme: "http", Host: p.address}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequest("GET", target, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Range", "bytes=100-199")
	res, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusPartialContent {
		p.t.Fatalf("status %d", res.StatusCode)
	}
}
