//go:build faults && linux

package cmd

import (
	"net/http"
	"path/filepath"
	"testing"
)

// TestMetricsOnStalledDisk: a disk that does not answer holds up no scrape, which tells that an exchange
// waits.
func TestMetricsOnStalledDisk(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	dir := t.TempDir()
	r := launch(t, dir, filepath.Join(dir, "ca"), "slow warc-sync 1h", "--min-free-space", "0",
		"--shutdown-timeout", "1s")
	c := &client{proxy: r.address, got: newReceived()}
	defer c.close()
	if _, _, err := c.fetch("GET", site.plain.URL+"/text/1/9000", nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a batch is written", func() bool {
		status, text, err := r.get("/metrics")
		if err != nil || status != http.StatusOK {
			t.Fatal(status, err, text)
		}
		m := parseMetrics(t, text)
		return m.values["warcorder_queue_bytes"] > 9000 &&
			m.values[`warcorder_write_duration_seconds_count{lane="small"}`] == 1 &&
			m.values[`warcorder_sync_duration_seconds_count{lane="small"}`] == 0 &&
			m.values[`warcorder_exchanges_total{result="recorded"}`] == 0
	})
	r.kill()
}

// TestMetricsOfLost: an exchange that is lost is counted as that, and the fault that lost it.
func TestMetricsOfLost(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	dir := t.TempDir()
	r := launch(t, dir, filepath.Join(dir, "ca"), "panic record 1-1", "--min-free-space", "0")
	c := &client{proxy: r.address, got: newReceived()}
	defer c.close()
	for _, path := range []string{"/text/1/2000", "/text/2/2000"} {
		if _, _, err := c.fetch("GET", site.plain.URL+path, nil); err != nil {
			t.Fatal(err)
		}
	}
	var m scraped
	eventually(t, "one is lost, one recorded", func() bool {
		_, text, err := r.get("/metrics")
		if err != nil {
			t.Fatal(err)
		}
		m = parseMetrics(t, text)
		return m.values[`warcorder_exchanges_total{result="recorded"}`] == 1 &&
			m.values[`warcorder_exchanges_total{result="lost"}`] > 0 &&
			m.values[`warcorder_gaps_total{reason="write"}`] > 0
	})
	m.want(t, `exchanges_total{result="lost"}`, 1)
	m.want(t, `gaps_total{reason="write"}`, 1)
	m.want(t, "panics_total", 1)
	m.want(t, "recording", 1)
	r.kill()
}
