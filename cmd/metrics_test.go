package cmd

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"warcorder/proxy/unused"
)

// odd is an origin that answers in every way that is counted apart.
func odd(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain")
	switch r.URL.Path {
	case "/403", "/429", "/503":
		status, _ := strconv.Atoi(r.URL.Path[1:])
		w.WriteHeader(status)
	case "/challenge":
		h.Set("CF-Mitigated", "challenge")
		w.WriteHeader(http.StatusForbidden)
	case "/coded":
		h.Set("Content-Encoding", "x-unknown")
	case "/cut":
		h.Set("Content-Length", "5000")
	case "/film", "/gone":
		h.Set("Content-Type", "video/mp4")
		h.Set("ETag", `"1"`)
		if r.Header.Get("Range") != "" {
			h.Set("Content-Range", "bytes 0-9/4000")
			w.WriteHeader(http.StatusPartialContent)
			io.WriteString(w, "0123456789")
			return
		}
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
	}
	io.WriteString(w, pageAt(r.URL.Path))
}

// pageAt is a body that is long enough to be an original.
func pageAt(path string) string { return strings.Repeat("page of "+path+" ", 100) }

// TestMetrics: exchanges of every kind, and every counter equals what was done; what /status has too is
// the same there.
func TestMetrics(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.HandlerFunc(odd))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(odd))
	defer secure.Close()
	secure.Config.ErrorLog = nil
	other := startRecording(t)
	other.fetch(plain.URL + "/old")
	if code := other.stop(); code != 0 {
		t.Fatal(other.stderr)
	}
	from := filepath.Join(other.dir, "collections", "default")
	p := startRecording(t, "--dedup-from", from, "--no-record", "localhost", "--deny", "127.0.0.9",
		"--insecure-upstream", "--complete-quiet", "10ms", "--tunnel", "tunnel.example")

	for _, path := range []string{"/1", "/2", "/1", "/old", "/403", "/429", "/503", "/challenge", "/coded"} {
		if got := p.fetch(plain.URL + path); got != pageAt(path) {
			t.Fatalf("%s: %q", path, got)
		}
	}
	p.fetchPart(plain.URL + "/film")
	p.fetchPart(plain.URL + "/gone")
	p.fetchCut(plain.URL + "/cut")
	p.fetch("http://" + unused.Address(t) + "/")
	p.fetch("http://127.0.0.9/")
	p.fetch(strings.Replace(plain.URL, "127.0.0.1", "localhost", 1) + "/1")
	c := &client{proxy: p.address, got: newReceived(), trust: trustOf(t, filepath.Join(p.dir, "ca"))}
	if _, _, err := c.fetch("GET", secure.URL+"/1", nil); err != nil {
		t.Fatal(err)
	}
	c.close()
	distrusts := &client{proxy: p.address, trust: x509.NewCertPool()}
	if err := distrusts.connect(mustParse(t, secure.URL)); err == nil {
		t.Fatal("a client without our root has taken a leaf")
	}
	p.tunnelTo(secure.Listener.Addr().String(), "tunnel.example")
	if _, errs, code := p.run("pause"); code != 0 {
		t.Fatal(errs)
	}
	p.fetch(plain.URL + "/1")
	if _, errs, code := p.run("resume"); code != 0 {
		t.Fatal(errs)
	}
	p.settled(16)

	m := p.scrape()
	for name, want := range map[string]float64{
		// 9 as they come, two parts and their two wholes, one that was cut, one over TLS, and that of /gone
		`exchanges_total{result="recorded"}`: 15, `exchanges_total{result="lost"}`: 0,
		`exchanges_total{result="paused"}`: 1, `exchanges_total{result="no_record"}`: 1,
		`exchanges_total{result="unsent"}`: 2, "exchanges_in_flight": 0,
		"commit_duration_seconds_count": 15, "revisits_total": 3, "captures_total": 16,
		"collection_captures": 16, "collection_revisits": 3, "collection_files": 1,
		`gaps_total{reason="upstream"}`: 1, `gaps_total{reason="blocked"}`: 1,
		`gaps_total{reason="cut"}`: 2, `gaps_total{reason="coding"}`: 1, `gaps_total{reason="refused"}`: 1,
		`gaps_total{reason="tunnelled"}`: 1, `gaps_total{reason="paused"}`: 1,
		`gaps_total{reason="unrecorded"}`: 2, `gaps_total{reason="write"}`: 0,
		`gaps_total{reason="missing"}`: 0, `gaps_total{reason="crash"}`: 0, `gaps_total{reason="other"}`: 0,
		`refusals_total{kind="forbidden"}`: 1, `refusals_total{kind="too_many"}`: 1,
		`refusals_total{kind="unavailable"}`: 1, `refusals_total{kind="challenge"}`: 1,
		`completions_total{result="whole"}`: 1, `completions_total{result="failed"}`: 1,
		`completions_pending{state="waiting"}`: 0, "completions_waiting_limit": 1000,
		"certificates_signed_total": 1, "certificates_cached": 1, "recording": 1, "paused": 0, "ready": 1,
		"queue_bytes": 0, "queue_large_exchanges": 0, "queue_limit_bytes": 64e6, "warc_files_open": 1,
		"client_connections_limit": 10_000, `origin_dials_total{result="failed"}`: 2,
		`dedup_from_found_total{archive="` + from + `"}`:  1,
		`dedup_from_failed_total{archive="` + from + `"}`: 0,
		`dedup_from_up{archive="` + from + `"}`:           1, "log_dropped_lines_total": 0, "panics_total": 0,
		`jobs{kind="removal",state="running"}`: 0, `write_duration_seconds_count{lane="large"}`: 0,
	} {
		m.want(t, name, want)
	}
	m.want(t, "dedup_saved_bytes_total", float64(2*len(pageAt("/1"))+len(pageAt("/old"))))
	for _, name := range []string{"write_duration_seconds", "sync_duration_seconds"} {
		m.wantHistogram(t, name, `lane="small"`)
	}
	m.wantHistogram(t, "index_duration_seconds", "")
	m.wantHistogram(t, "commit_duration_seconds", "")
	if m.values["warcorder_disk_free_bytes"] < 1e6 || m.values["warcorder_disk_until_full_seconds"] <= 0 ||
		m.values["warcorder_origin_connections"] < m.values["warcorder_origin_connections_idle"] {
		t.Errorf("%v", m.values)
	}
	p.wantAsStatus(m)
	p.wantBytes()
	p.wantOthers()
}

// TestMetricsUnderLoad: while many record, no counter ever falls from one scrape to the next.
func TestMetricsUnderLoad(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	dir := t.TempDir()
	r := launch(t, dir, filepath.Join(dir, "ca"), "", "--min-free-space", "0")
	l := &load{r: r, site: site, trust: trustOf(t, filepath.Join(dir, "ca")), got: newReceived(),
		serial: new(atomic.Int64), kind: func(n int64) (method, path string, body []byte) {
			return "GET", fmt.Sprintf("/text/%d/%d", n%50, 2000+n%50), nil
		}}
	ended := make(chan struct{})
	go func() { defer close(ended); l.run(8, func() bool { return l.serial.Load() >= 400 }) }()
	var before scraped
	for going := true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		status, text, err := r.get("/metrics")
		if err != nil || status != http.StatusOK {
			t.Fatal(status, err, text)
		}
		now := parseMetrics(t, text)
		for series, was := range before.values {
			if is, there := now.values[series]; now.isCounter(series) && (!there || is < was) {
				t.Errorf("%s was %v, and is %v (there: %v)", series, was, is, there)
			}
		}
		before = now
	}
	eventually(t, "there was load", func() bool { // a revisit counts once it is on disk
		_, text, err := r.get("/metrics")
		if err != nil {
			t.Fatal(err)
		}
		return parseMetrics(t, text).values[`warcorder_revisits_total`] >= 100
	})
}

// TestMetricsReaders: readers have them, as they have /status; others need the token, and a page of
// another site gets nothing.
func TestMetricsReaders(t *testing.T) {
	t.Parallel()
	p := startRecording(t, "--readers", "", "--api-token", "secret")
	for _, c := range []struct {
		name, field, value string
		want               int
	}{
		{"nothing is shown", "", "", http.StatusUnauthorized},
		{"the token", "Authorization", "Bearer secret", http.StatusOK},
		{"another token", "Authorization", "Bearer public", http.StatusUnauthorized},
		{"a page of another site", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
	} {
		r, err := http.NewRequest("GET", "http://"+p.address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.field != "" {
			r.Header.Set(c.field, c.value)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != c.want || strings.Contains(string(body), "warcorder_recording") != (c.want == 200) {
			t.Errorf("%s: %d", c.name, res.StatusCode)
		}
	}
}

// TestBareMetrics: serve and replay tell what they are, and nothing of a recorder.
func TestBareMetrics(t *testing.T) {
	t.Parallel()
	site := newPages(t)
	p := startRecording(t)
	p.fetch(site.URL + "/")
	p.stop()
	for _, c := range []struct{ command, ready string }{{"serve", "serving"}, {"replay", "replaying"}} {
		one := startProgram(t, p.dir, c.ready, c.command, "--listen", "127.0.0.1:0", "--log", "json")
		m := one.scrape()
		for series := range m.values {
			if strings.HasPrefix(series, "warcorder_") && !strings.HasPrefix(series, "warcorder_build_info{") {
				t.Errorf("%s has %s", c.command, series)
			}
		}
		if m.values["go_goroutines"] == 0 || m.types["warcorder_build_info"] != "gauge" {
			t.Errorf("%s: %v", c.command, m.values)
		}
		one.stop()
	}
}
