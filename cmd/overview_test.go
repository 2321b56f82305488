package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/recorder/tally"
)

// overviewNow asks a recorder for its overview.
func (p *program) overviewNow() (o overview) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.page("/live/overview")), &o); err != nil {
		p.t.Fatal(err)
	}
	return o
}

// TestOverview: what was recorded, in which files, by whom, and what the last verify found; a file
// that has gone is told to be missing by the recorder that follows.
func TestOverview(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	first := p.overviewNow()
	if first.Verify != nil || len(first.Files) != 0 || first.MoreFiles != 0 ||
		first.Recorder.PID != p.cmd.Process.Pid || first.Recorder.Address != p.address ||
		!first.Recorder.Recording || first.Recorder.Paused || first.Disk.Free == nil ||
		first.Disk.MinFree != 1<<30 {
		t.Errorf("%+v", first)
	}
	if len(first.Rates) == 0 || len(first.Day) == 0 || first.ByType == nil || first.ByHost == nil {
		t.Errorf("nothing to draw: %+v", first.Snapshot)
	}
	p.fetch(site.plain.URL + "/text/1/9000")
	p.fetch(site.plain.URL + "/text/1/9000")
	eventually(t, "both are there", func() bool {
		o := p.overviewNow()
		return o.Run.Captures == 2 && o.Run.Revisits == 1 && o.Totals.Captures == 2 &&
			len(o.Files) == 1 && o.Files[0].State == fileOpen && o.Files[0].Size > 0 &&
			o.Files[0].Size == o.Files[0].Indexed && o.Queue.Queued == 0 &&
			len(o.ByHost) == 1 && o.ByHost[0].Captures == 2 && len(o.ByType) == 1 &&
			o.ByType[0].Bytes == 18000
	})
	if out, errs, code := p.run("rotate"); code != 0 {
		t.Fatal(out, errs)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Fatal(out, errs)
	}
	var name string
	eventually(t, "the file is finished, and verified", func() bool {
		o := p.overviewNow()
		name = o.Files[0].Name
		return o.Files[0].State == fileFinished && o.Verify != nil && o.Verify.OK && o.Verify.Files == 1
	})
	p.stop()
	archive := filepath.Join(p.dir, "collections", "default", "archive")
	if err := os.Remove(filepath.Join(archive, name)); err != nil {
		t.Fatal(err)
	}
	p = startRecordingIn(t, p.dir)
	eventually(t, "the file is told to be missing", func() bool {
		o := p.overviewNow()
		return len(o.Files) == 1 && o.Files[0].State == fileMissing && o.Gaps["missing"] > 0
	})
}

// TestOverviewErrors: a page of another site gets nothing.
func TestOverviewErrors(t *testing.T) {
	p := startRecording(t)
	r, err := http.NewRequest("GET", "http://"+p.address+"/live/overview", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://evil.example")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden ||
		!strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
		t.Errorf("%s %s", answer.Status, answer.Header.Get("Content-Type"))
	}
}

// TestOverviewLess: who looks for nothing but whether something is recorded, or knows the samples up
// to a moment, is not told all of it again.
func TestOverviewLess(t *testing.T) {
	began := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	all := tally.New(began)
	now := began.Add(24*time.Hour - time.Second)
	for at := began; at.Before(now); at = at.Add(10 * time.Second) {
		all.Count(at, &tally.Capture{Host: "a.example", MIME: "text/html", Body: 1})
	}
	looks := &lookout[*overviewLook]{interval: time.Hour, patience: time.Hour, look: func() *overviewLook {
		look := overviewLook{overview: overview{At: now, Snapshot: all.Snapshot(now, mostDrawn)}}
		look.whole = func() []byte { return overviewJSON(look.overview) }
		return &look
	}}
	server := httptest.NewServer(overviewPage(looks))
	defer server.Close()
	get := func(query string, code int) (o overview, bytes int) {
		t.Helper()
		answer, err := http.Get(server.URL + "/live/overview" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err == nil {
			err = json.Unmarshal(body, &o)
		}
		if err != nil || answer.StatusCode != code {
			t.Fatalf("%s: %s, %v", query, answer.Status, err)
		}
		return o, len(body)
	}
	if o, n := get("", 200); len(o.Rates) != 360 || len(o.Day) != 1440 || n < 100_000 {
		t.Errorf("all: %d and %d samples, %d bytes", len(o.Rates), len(o.Day), n)
	}
	if o, n := get("?brief=true", 200); o.At != now || len(o.Rates) != 0 || n > 1500 {
		t.Errorf("brief: %d samples, %d bytes", len(o.Rates), n)
	}
	last := now.Truncate(10 * time.Second)
	for _, c := range []struct {
		since      time.Time
		rates, day int
	}{
		{last, 1, 1}, {last.Add(-10 * time.Second), 2, 1}, {last.Add(-time.Minute), 7, 2},
		{last.Add(-59*time.Minute - 50*time.Second), 360, 60}, {began.Add(-time.Hour), 360, 1440}, {now.Add(time.Hour), 1, 1},
	} {
		o, n := get("?since="+c.since.Format(time.RFC3339), 200)
		if len(o.Rates) != c.rates || len(o.Day) != c.day || c.rates < 3 && n > 5000 {
			t.Errorf("since %v: %d and %d samples, %d bytes", c.since, len(o.Rates), len(o.Day), n)
		}
	}
	for _, query := range []string{"?since=now", "?brief=1", "?samples=1"} {
		get(query, 400)
	}
}
