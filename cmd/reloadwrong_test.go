package cmd

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReloadWrong: settings that cannot be read or meant change nothing at all, and it is said which
// and where. The recording goes on.
func TestReloadWrong(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	file := configFile(t, "deny: [nowhere.test]\n")
	p := startRecording(t, "--config", file, "--anticache", "never")
	for _, c := range []struct{ name, settings, says string }{
		{"unknown key", "max-body-size: 1\ndany: [x]\n", `line 2: unknown key "dany"`},
		{"many unknown keys", "x1: 1\nx2: 1\nx3: 1\nx4: 1\nx5: 1\nx6: 1\nx7: 1\nx8: 1\nx9: 1\nx10: 1\n" +
			"x11: 1\nx12: 1\nx13: 1\nx14: 1\nx15: 1\nx16: 1\n", `line 16: unknown key "x16"`},
		{"no YAML", "max-body-size: 1\nallow: [\n", "config.yaml"},
		{"wrong value", "max-body-size: 1\ntimeout:\n  idle: soon\n", "line 3"},
		{"cannot be meant", "max-body-size: 1\nmax-connections: 0\n", "max-connections is 0"},
		{"of the recorder", "max-body-size: 1\nwarc-name: x\n", "WARC names"},
		{"a file that is missing", "max-body-size: 1\nupstream-ca: /no/such/file\n", "upstream-ca"},
		{"an authority that is missing", "max-body-size: 1\nca-cert: /no/such/file\nca-key: /no/such/key\n",
			"ca-cert"},
		{"an emptied file", "", "config.yaml has no setting any more"},
		{"a file of comments", "# max-body-size: 1\n", "half written"},
		{"a way to itself", "max-body-size: 1\nupstream: http://" + p.address + "\n", "begins with this recorder"},
	} {
		write(t, file, c.settings)
		out, errs, code := p.run("reload")
		if code != 1 || out != "" || !strings.Contains(errs, c.says) ||
			!strings.HasPrefix(errs, "warcorder: reload: no setting was changed: ") {
			t.Errorf("%s: %d %q %q", c.name, code, out, errs)
		}
		p.fetch(site.plain.URL + "/text/1/1000") // which max-body-size would cut
	}
	gone := filepath.Join(p.dir, "ca")
	if err := os.Rename(gone, gone+".away"); err != nil {
		t.Fatal(err)
	}
	write(t, file, asByDefault)
	if _, errs, code := p.run("reload"); code != 1 || !strings.Contains(errs, "is gone") {
		t.Errorf("without the root: %d %q", code, errs)
	}
	if err := os.Rename(gone+".away", gone); err != nil {
		t.Fatal(err)
	}
	os.Remove(file)
	if _, errs, code := p.run("reload"); code != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("without a file: %d %q", code, errs)
	}
	if out := p.reload(file, "anticache: always\ndeny: [nowhere.test]\n"); out != "no setting has changed\n" {
		t.Errorf("a flag wins over the file: %q", out)
	}
	p.stop()
	if _, errs, code := p.run("reload"); code != 1 || !strings.Contains(errs, "nobody records") {
		t.Errorf("without a recorder: %d %q", code, errs)
	}
	want := `"message":"the configuration was not reloaded: all settings stay as they were"`
	if n := strings.Count(p.stderr.String(), want); n != 13 {
		t.Errorf("%d lines of the log, want 13", n)
	}
}

// TestReloadRestart: what counts only after a restart is said each time, and does not count.
func TestReloadRestart(t *testing.T) {
	t.Parallel()
	file := configFile(t, "")
	p := startRecording(t, "--config", file)
	for range 2 {
		out := p.reload(file, "digest: sha256\nsync: none\nmax-body-size: 1MB\n")
		for _, key := range []string{"digest: sha256 counts only after a restart", "sync: none counts only"} {
			if !strings.Contains(out, key) {
				t.Errorf("it says %q", out)
			}
		}
	}
	shows, _, _ := p.run("config", "show", "--running")
	for _, line := range []string{"max-body-size: 1MB # " + file + ": line 3", "digest: sha1 # default"} {
		if !strings.Contains(shows, line) {
			t.Errorf("config show --running: no %q in %s", line, shows)
		}
	}
	if out := p.reload(file, "max-body-size: 1MB\n"); out != "no setting has changed\n" {
		t.Errorf("when it is taken back: %q", out)
	}
	p.stop()
	if n := strings.Count(p.stderr.String(), `that counts only after a restart"`); n != 4 {
		t.Errorf("%d lines of the log, want 4", n)
	}
}

// TestReloadWaits: a reload waits for another one, and not without end.
func TestReloadWaits(t *testing.T) {
	r := newReloading()
	end, err := r.begin(patience)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.begin(time.Millisecond); !errors.Is(err, errReloads) {
		t.Errorf("while one goes on: %v", err)
	}
	begun := make(chan error)
	go func() {
		_, err := r.begin(patience)
		begun <- err
	}()
	end()
	if err := <-begun; err != nil {
		t.Errorf("when it has ended: %v", err)
	}
}

// TestReloadOthers: a recorder that belongs to a command keeps its settings, and pages without the
// token have none read.
func TestReloadOthers(t *testing.T) {
	t.Parallel()
	p := startRecording(t)
	if status := p.ownStatus("POST", reloadPath, ""); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	p.stop()
}
