package cmd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/objects/gateway"
)

// newsPlace is where the tests of this file upload to.
const newsPlace = "s3://" + gateway.Bucket + "/news"

// files asks for the state of each file: of a person's text, and of JSON, which must say the same.
func (p *program) files() (states map[string]string, report uploadReport) {
	p.t.Helper()
	text, errs, code := p.run("upload", "--status")
	out, errs2, code2 := p.run("upload", "--status", "--json")
	if code != 0 || code2 != 0 || json.Unmarshal([]byte(out), &report) != nil {
		p.t.Fatalf("exit %d %d: %s%s%s", code, code2, errs, errs2, out)
	}
	states = map[string]string{}
	for _, f := range report.Files {
		key := f.Name
		if f.State == fileStale {
			key += " " + fileStale
		}
		states[key] = f.State
		line := ""
		for one := range strings.Lines(text) {
			if strings.HasPrefix(one, f.Name+" ") && strings.Contains(one, " "+f.State+" ") {
				line = one
			}
		}
		if line == "" || !strings.Contains(line, f.Where) || !strings.Contains(text, "\n"+f.State+": ") {
			p.t.Errorf("%+v is not in\n%s", f, text)
		}
	}
	return states, report
}

// finish records an exchange, finishes the file, and returns its name.
func (p *program) finish(target string) string {
	p.t.Helper()
	before, _ := p.files()
	p.fetch(target)
	if _, errs, code := p.run("rotate"); code != 0 {
		p.t.Fatal(errs)
	}
	after, _ := p.files()
	for name, state := range after {
		if was, known := before[name]; state != fileOpen && (!known || was == fileOpen) {
			return name
		}
	}
	p.t.Fatalf("no file was finished: %v", after)
	return ""
}

// archiveDir is the collection.
func (p *program) archiveDir() collection.Dir {
	return collection.Dir(filepath.Join(p.dir, "collections", "default"))
}

// TestUploadStatus: each state that a file can have is told, as text and as JSON, by a recorder and at rest.
func TestUploadStatus(t *testing.T) {
	gateway.Start(t)
	site := newSite(t)
	p := startRecording(t)
	stored := p.finish(site.plain.URL + "/bytes/100")
	away := p.finish(site.plain.URL + "/bytes/200")
	// What is a link stays.
	moved := filepath.Join(t.TempDir(), stored)
	path := p.archiveDir().WARC(stored)
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, path); err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.run("upload", newsPlace, "--keep-local", "0")
	if code != 0 || !strings.Contains(out, "2 files sent") || !strings.Contains(out, "1 local file") ||
		!strings.Contains(errs, "link") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	stale := p.finish(site.plain.URL + "/bytes/300")
	p.done("upload", newsPlace)
	p.done("remove", "--yes", "--url", site.plain.URL+"/bytes/300")
	uploading := p.finish(site.plain.URL + "/bytes/400")
	note := `{"bucket":"` + gateway.Bucket + `","key":"news/` + uploading + `","size":300,"begun":{"bucket":"` +
		gateway.Bucket + `","key":"news/` + uploading + `","uploadID":"x","size":300,"partSize":128,` +
		`"parts":[{"number":1,"size":128,"etag":"e"}]}}`
	if err := p.archiveDir().WriteNote(p.archiveDir().UploadNote(uploading), 0, json.RawMessage(note)); err != nil {
		t.Fatal(err)
	}
	finished := p.finish(site.plain.URL + "/bytes/500")
	lost := p.finish(site.plain.URL + "/bytes/600")
	p.fetch(site.plain.URL + "/bytes/700")
	want := map[string]string{stored: fileStored, away: fileAway, stale: fileFinished, stale + " stale": fileStale,
		uploading: fileUploading, finished: fileFinished, lost: fileFinished}
	judge := func(beside bool) {
		t.Helper()
		states, report := p.files()
		for name, state := range want {
			if states[name] != state {
				t.Errorf("%s is %s, want %s", name, states[name], state)
			}
			delete(states, name)
		}
		for name, state := range states { // the one that was begun last
			if len(states) != 1 || beside != (state == fileOpen) {
				t.Errorf("%s is %s", name, state)
			}
		}
		if beside != (report.Recorder != nil) {
			t.Errorf("%+v", report.Recorder)
		}
		for _, f := range report.Files {
			if f.Name == uploading && (f.Sent != 1 || f.Parts != 3 || f.Where != newsPlace+"/"+uploading) {
				t.Errorf("%+v", f)
			}
		}
	}
	judge(true)
	if text := p.done("upload", "--status"); !strings.Contains(text, "uploading 1/3") {
		t.Error(text)
	}
	p.stop()
	if err := os.Remove(p.archiveDir().WARC(lost)); err != nil {
		t.Fatal(err)
	}
	p.run("recover")
	want[lost] = fileMissing
	judge(false)
}

// TestUploadNowhere: without an address, upload does what the settings of the recorder say; where nobody says
// it, that is told, and what to do.
func TestUploadNowhere(t *testing.T) {
	gateway.Start(t)
	p := startRecording(t)
	page := newSite(t).plain.URL
	refused := func() {
		t.Helper()
		out, errs, code := p.run("upload")
		if code != 1 || !strings.Contains(errs, "say where files go") || !strings.Contains(errs, "s3://BUCKET") {
			t.Errorf("exit %d, %s%s", code, out, errs)
		}
	}
	first := p.finish(page + "/bytes/100")
	refused()
	p.stop()
	refused()
	p = startRecordingIn(t, p.dir, "--upload", newsPlace, "--keep-local", "0")
	eventually(t, "it is away", func() bool { states, _ := p.files(); return states[first] == fileAway })
	second := p.finish(page + "/bytes/200")
	p.done("upload")
	if states, _ := p.files(); states[second] != fileAway {
		t.Error(states)
	}
	if out, errs, code := p.run("upload", "https://example.com/"); code != 1 && code != 2 && code != 80 ||
		!strings.Contains(errs, "s3://BUCKET/PREFIX") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	p.stop()
	p.done("verify", "--remote")
	empty := &program{t: t, dir: t.TempDir()}
	if _, errs, code := empty.run("upload", newsPlace); code != 1 || !strings.Contains(errs, "no collection") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// TestUploadForm: what nobody would heed is refused by the page, and nothing is done.
func TestUploadForm(t *testing.T) {
	server := gateway.Start(t)
	p := startRecording(t)
	name := p.finish(newSite(t).plain.URL + "/bytes/100")
	token, err := os.ReadFile(filepath.Join(string(p.archiveDir()), "recorder.token"))
	if err != nil {
		t.Fatal(err)
	}
	post := func(form string) int {
		status, _ := p.postTo(uploadPath, strings.TrimSpace(string(token)), form)
		return status
	}
	place := url.QueryEscape(newsPlace)
	for _, wrong := range []string{"to=http://x", "to=s3://", "to=" + place + "&to=" + place, "keep-local=12",
		"to=" + place + "&cdxj=yes", "to=" + place + "&other=1", "keep-local=-1h"} {
		if status := post(wrong); status != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, status)
		}
	}
	if there, _ := filepath.Glob(filepath.Join(server.Dir, gateway.Bucket, "*", "*")); len(there) > 0 {
		t.Errorf("%v is there", there)
	}
	if status := post("to=" + place + "&cdxj=true&keep-local=0"); status != http.StatusOK {
		t.Errorf("%d", status)
	}
	there, _ := filepath.Glob(filepath.Join(server.Dir, gateway.Bucket, "news", "*"))
	if states, _ := p.files(); len(there) != 2 || states[name] != fileAway {
		t.Errorf("%v is there, %v", there, states)
	}
}

// TestUploadMetrics: while the storage is away, /status, /metrics and upload say so, and recording goes on;
// when it is back, they say that too.
func TestUploadMetrics(t *testing.T) {
	server := gateway.Run(t)
	target, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var down atomic.Bool
	down.Store(true)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	gateway.Use(t, front.URL)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	site := newSite(t)
	p := startRecording(t, "--upload", newsPlace, "--keep-local", "1000h")
	has := func(lines ...string) func() bool {
		return func() bool {
			page := p.page("/metrics")
			for _, line := range lines {
				if !strings.Contains(page, "\nwarcorder_upload_"+line) {
					return false
				}
			}
			return true
		}
	}
	eventually(t, "nothing waits", has("up 1\n", "lag_seconds 0\n", `files{state="finished"} 0`))
	p.finish(site.plain.URL + "/bytes/100")
	eventually(t, "it is told", has("up 0\n", "sent_bytes_total 0\n",
		`files{state="finished"} 1`, `files{state="stored"} 0`))
	if page := p.page("/metrics"); strings.Contains(page, "upload_lag_seconds 0\n") ||
		strings.Contains(page, "upload_failures_total 0\n") {
		t.Error("it has no lag, or no failures")
	}
	if _, errs, code := p.run("upload"); code != 1 || !strings.Contains(errs, "cannot be reached") {
		t.Errorf("exit %d, %s", code, errs)
	}
	if status := p.page("/status"); !strings.Contains(status, "cannot be reached") ||
		!strings.Contains(status, `"since"`) {
		t.Error(status)
	}
	p.fetch(site.plain.URL + "/bytes/200")
	down.Store(false)
	eventually(t, "it is told", has("up 1\n", "lag_seconds 0\n",
		`files{state="finished"} 0`, `files{state="stored"} 1`))
	if has("sent_bytes_total 0\n")() || has(`bytes{state="stored"} 0`)() {
		t.Error("nothing was sent")
	}
}
