package cmd

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"warcorder/recorder"
)

// scraped is an answer of /metrics: values by name with labels, types by name.
type scraped struct {
	values map[string]float64
	types  map[string]string
}

// parseMetrics reads what /metrics answers. Labels are in the order of their names.
func parseMetrics(t *testing.T, text string) scraped {
	t.Helper()
	s := scraped{map[string]float64{}, map[string]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if words := strings.Fields(line); strings.HasPrefix(line, "# TYPE ") {
			s.types[words[2]] = words[3]
		} else if at := strings.LastIndexByte(line, ' '); !strings.HasPrefix(line, "#") {
			n, err := strconv.ParseFloat(line[at+1:], 64)
			if _, twice := s.values[line[:at]]; err != nil || twice {
				t.Fatalf("%q: %v, twice: %v", line, err, twice)
			}
			s.values[line[:at]] = n
		}
	}
	return s
}

func (p *program) scrape() scraped {
	p.t.Helper()
	return parseMetrics(p.t, p.page("/metrics"))
}

// want compares the value of one of warcorder's own.
func (s scraped) want(t *testing.T, name string, want float64) {
	t.Helper()
	if got, there := s.values["warcorder_"+name]; !there || got != want {
		t.Errorf("%s is %v (there: %v), want %v", name, got, there, want)
	}
}

// isCounter reports whether a series must never fall: a counter, or a part of a histogram.
func (s scraped) isCounter(series string) bool {
	name, _, _ := strings.Cut(series, "{")
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if s.types[strings.TrimSuffix(name, part)] == "histogram" {
			return true
		}
	}
	return s.types[name] == "counter"
}

// wantHistogram: the buckets rise to the count, which is above 0.
func (s scraped) wantHistogram(t *testing.T, name, label string) {
	t.Helper()
	before, n := 0.0, 0
	for _, le := range []string{"0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
		"0.5", "1", "2.5", "5", "10", "30", "+Inf"} {
		labels := strings.TrimPrefix(label+`,le="`+le+`"`, ",")
		value, there := s.values["warcorder_"+name+"_bucket{"+labels+"}"]
		if !there || value < before {
			t.Errorf("%s %s: %v behind %v (there: %v)", name, labels, value, before, there)
		}
		before = value
		n++
	}
	if label != "" {
		label = "{" + label + "}"
	}
	count, sum := s.values["warcorder_"+name+"_count"+label], s.values["warcorder_"+name+"_sum"+label]
	if count == 0 || count != before || sum <= 0 {
		t.Errorf("%s%s: %v in %v s, the last bucket has %v", name, label, count, sum, before)
	}
}

// mustParse is url.Parse.
func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// fetchCut gets what breaks off.
func (p *program) fetchCut(target string) {
	p.t.Helper()
	res, err := (&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http",
		Host: p.address})}}).Get(target)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err == nil {
		p.t.Errorf("all of it came: %d bytes", len(body))
	}
}

// tunnelTo opens a tunnel to an address, names a host in it that passes untouched, speaks TLS with whom
// it leads to, and ends it.
func (p *program) tunnelTo(address, name string) {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", address)
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "CONNECT"})
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatal(res, err)
	}
	inside := tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err := inside.Handshake(); err != nil {
		p.t.Fatal(err)
	}
	if name := inside.ConnectionState().PeerCertificates[0].Subject.Organization; len(name) != 1 ||
		name[0] != "Acme Co" { // httptest's
		p.t.Errorf("the tunnel ends at %q", name)
	}
}

// settled waits until nothing is under way, and all is in the index.
func (p *program) settled(captures int64) {
	p.t.Helper()
	var s status
	eventually(p.t, "all is recorded", func() bool {
		if err := p.recorder().Work(p.t.Context(), settlePath, &s); err != nil {
			p.t.Fatal(err)
		}
		c := s.Completions
		return s.InFlight == 0 && s.Queued == 0 && c.Waiting+c.Running+c.Alone == 0 &&
			c.Whole+c.Failed == 2 && s.Captures >= captures && s.Gaps[recorder.GapTunnelled] == 1 &&
			s.Gaps[recorder.GapRefused] == 1
	})
}

// wantAsStatus: what both pages have is the same.
func (p *program) wantAsStatus(m scraped) {
	p.t.Helper()
	var s status
	if err := json.Unmarshal([]byte(p.page("/status")), &s); err != nil {
		p.t.Fatal(err)
	}
	for _, reason := range recorder.GapReasons {
		m.want(p.t, `gaps_total{reason="`+reason+`"}`, float64(s.Status.Gaps[reason]))
		m.want(p.t, `collection_gaps{reason="`+reason+`"}`, float64(s.Totals.Gaps[reason]))
	}
	m.want(p.t, "written_bytes_total", float64(s.Bytes))
	m.want(p.t, "collection_bytes", float64(s.Totals.Bytes))
	m.want(p.t, "captures_total", float64(s.Captures))
	m.want(p.t, "revisits_total", float64(s.Revisits))
	m.want(p.t, `exchanges_total{result="recorded"}`, float64(s.Exchanges))
	m.want(p.t, "disk_min_free_bytes", float64(s.Disk.MinFree))
	m.want(p.t, `dedup_from_asked_total{archive="`+s.DedupFrom[0].Archive+`"}`, float64(s.DedupFrom[0].Asked))
}

// wantBytes: the bytes that were written are those that the finished files have.
func (p *program) wantBytes() {
	p.t.Helper()
	if _, errs, code := p.run("rotate"); code != 0 {
		p.t.Fatal(errs)
	}
	files, err := filepath.Glob(filepath.Join(p.dir, "collections", "default", "archive", "*.warc.gz"))
	if err != nil || len(files) != 1 {
		p.t.Fatal(files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		p.t.Fatal(err)
	}
	m := p.scrape()
	m.want(p.t, "written_bytes_total", float64(info.Size()))
	m.want(p.t, "collection_bytes", float64(info.Size()))
	m.want(p.t, "warc_files_open", 0)
}

// wantOthers: who follows the events, the last verify and a pause show.
func (p *program) wantOthers() {
	p.t.Helper()
	ctx, leave := context.WithCancel(p.t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+p.address+"/events", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	p.scrape().want(p.t, "event_viewers", 1)
	if _, there := p.scrape().values["warcorder_last_verify_ok"]; there {
		p.t.Error("a verify is told of that nobody has begun")
	}
	if out, errs, code := p.run("verify"); code != 0 {
		p.t.Fatal(out, errs)
	}
	p.run("pause")
	eventually(p.t, "the last verify", func() bool { return p.scrape().values["warcorder_last_verify_ok"] == 1 })
	m := p.scrape()
	m.want(p.t, "paused", 1)
	m.want(p.t, "recording", 0)
	m.want(p.t, "ready", 1)
	if m.values["warcorder_last_verify_timestamp_seconds"] < 1.7e9 ||
		m.values["warcorder_authority_expiry_timestamp_seconds"] < 1.7e9 {
		p.t.Errorf("%v", m.values)
	}
}
