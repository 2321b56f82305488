package cmd

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
// that has gone is told to be away by the recorder that follows.
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
	if o := p.overviewNow(); len(o.Files) != 1 || o.Files[0].State != fileAway || o.Gaps["missing"] == 0 {
		t.Errorf("%+v", o)
	}
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
