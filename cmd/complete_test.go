package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
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
			timeout := map[bool]string{true: "1m", false: "500ms"}[comes]
			p := startRecording(t, "--complete-quiet", "1h", "--complete-within", "1h",
				"--shutdown-timeout", timeout)
			p.fetchPart(origin.URL + "/film")
			status := p.fetchDirect("/status")
			if !strings.Contains(status, `"waiting": 1`) {
				t.Errorf("%s", status)
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
		})
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

// fetchDirect gets one of the proxy's own pages.
func (p *program) fetchDirect(path string) string {
	p.t.Helper()
	res, err := http.Get(fmt.Sprintf("http://%s%s", p.address, path))
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	if err := res.Write(&text); err != nil {
		p.t.Fatal(err)
	}
	return text.String()
}
