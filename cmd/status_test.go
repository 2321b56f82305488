package cmd

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warcorder/recorder"
	"warcorder/store"
)

// TestStatusCommand: a person is told of a recorder that runs, of a collection at rest, of one whose
// recorder was killed, and of none; programs get the same as JSON.
func TestStatusCommand(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/text/1/9000")
	p.fetch(site.plain.URL + "/text/1/9000")
	out := p.statusText()
	for _, want := range []string{"is recording into default", filepath.Join(p.dir, "collections"),
		p.address, "in flight", "15 min", "free"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	var now status
	if err := p.recorder().Work(t.Context(), settlePath, &now); err != nil {
		t.Fatal(err)
	}
	now = status{}
	if err := json.Unmarshal([]byte(p.page("/status")), &now); err != nil {
		t.Fatal(err)
	}
	if now.Version != version || now.PID != p.cmd.Process.Pid || now.Address != p.address ||
		now.Collection != "default" || string(now.Dir) != filepath.Join(p.dir, "collections", "default") ||
		time.Since(now.Started) > time.Hour || now.Totals.Captures != 2 || *now.Totals.Revisits != 1 ||
		now.Captures != 2 || now.Revisits != 1 || now.Disk.Free == nil || now.Exchanges != 2 {
		t.Errorf("%+v", now)
	}
	p.stop()
	rest := p.restingState()
	if rest.Recording || rest.Totals.Captures != 2 || *rest.Totals.Revisits != 1 ||
		rest.Totals.Files != 1 || rest.Last == nil || !rest.Last.Clean || rest.Unindexed != 0 {
		t.Errorf("%+v", rest)
	}
	if out := p.statusText(); !strings.Contains(out, "nobody is recording into default") ||
		!strings.Contains(out, " export --dir ") {
		t.Errorf("at rest:\n%s", out)
	}
	if _, errs, code := p.run("status", "--collection", "other"); code != 1 ||
		!strings.Contains(errs, "holds default") {
		t.Errorf("another: %d %s", code, errs)
	}
}

// statusText is what the command says, all of it within 80 columns but for paths.
func (p *program) statusText() string {
	p.t.Helper()
	out, errs, code := p.run("status")
	if code != 0 || errs != "" {
		p.t.Errorf("status: %d %s", code, errs)
	}
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(line) > screen+1 && !strings.Contains(line, "collection  ") ||
			strings.Contains(line, "\x1b") {
			p.t.Errorf("too wide, or coloured: %q", line)
		}
	}
	return out
}

// restingState is what the command says of a collection at rest, as JSON.
func (p *program) restingState() (r resting) {
	p.t.Helper()
	out, errs, code := p.run("status", "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		p.t.Fatalf("%v %d %s", err, code, errs)
	}
	return r
}

// TestStatusCrashed: of a collection whose recorder was killed it says so, and what to do.
func TestStatusCrashed(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/text/1/9000")
	if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
	p.cmd.Process.Kill()
	<-p.ended
	out := p.statusText()
	rest := p.restingState()
	if !strings.Contains(out, "broke off") || !strings.Contains(out, " recover --dir ") ||
		rest.Last.Clean || len(rest.OpenFiles) != 1 || rest.Totals.Captures != 1 {
		t.Errorf("%+v\n%s", rest, out)
	}
}

// TestStatusHostile: what a page has chosen, the name of a host, neither moves the cursor nor takes
// more than its place, however long it is.
func TestStatusHostile(t *testing.T) {
	revisits, free, until := int64(1<<40), int64(1<<60), int64(1<<62)
	s := status{Version: version, Address: "127.0.0.1:8080", Collection: "news", Dir: "/c/news"}
	s.Recording, s.Started = true, time.Now().Add(-1e6*time.Hour)
	s.Totals.Revisits, s.Disk = &revisits, recorder.Disk{Free: &free, UntilFull: &until}
	s.Totals.Captures, s.InFlight = 1<<50, 1<<50
	for _, name := range []string{"\x1b[31m.example", "\u202egro.elpmaxe", "ｗｉｄｅ.example",
		"e\u0301\u0301\u0301.example", strings.Repeat("a", 1<<20), "\xff\xfe"} {
		s.Refusals.Hosts = append(s.Refusals.Hosts, recorder.RefusingHost{Host: name,
			RefusalCounts: recorder.RefusalCounts{Forbidden: 1 << 60, TooMany: 1 << 60,
				Unavailable: 1 << 60, Challenge: 1 << 60}})
	}
	for line := range strings.Lines(s.text()) {
		for _, r := range strings.TrimSuffix(line, "\n") {
			if (r < ' ' || r > '~') && r != '…' {
				t.Errorf("%q in %q", r, line)
			}
		}
		if utf8.RuneCountInString(line) > screen+1 {
			t.Errorf("too wide: %q", line)
		}
	}
}

// TestStatusPaused: that recording is paused, or off, stands where one looks first.
func TestStatusPaused(t *testing.T) {
	p := startRecording(t)
	p.run("pause")
	if out := p.statusText(); !strings.Contains(out, "has paused recording into default\n") ||
		!strings.Contains(out, "  paused       since ") {
		t.Errorf("%s", out)
	}
	p.run("resume")
	off := startRecording(t, "--min-free-space", "1000000TB")
	if out, _, _ := off.run("status"); !strings.Contains(out, "cannot record into default") ||
		!strings.Contains(out, "less than min-free-space") {
		t.Errorf("%s", out)
	}
}

// TestStatusOfNothing: a collection that has an index and nothing else is told of too.
func TestStatusOfNothing(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	dir := filepath.Join(p.dir, "collections", "default")
	if err := os.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	index, err := store.Open(filepath.Join(dir, "index.bolt"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	index.Close()
	if out := p.statusText(); !strings.Contains(out, "Nothing is recorded yet") {
		t.Errorf("%s", out)
	}
}
