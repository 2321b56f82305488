//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// lookAt asks a replay of a collection for a page, and ends it.
func lookAt(t *testing.T, dir, page string) (status int, p *program, code int) {
	t.Helper()
	p = startReplay(t, dir)
	status = p.statusOf(page)
	return status, p, p.stop()
}

// TestReplayDamage: a capture that cannot be read is 404, and the exit status and the last words say
// that something is wrong.
func TestReplayDamage(t *testing.T) {
	origin, dir := recorded(t)
	files, err := filepath.Glob(filepath.Join(dir, "collections", "default", "archive", "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"damaged": func() error { return os.WriteFile(files[0], bytes.Repeat([]byte{7}, len(whole)), 0o600) },
		"away":    func() error { return os.Remove(files[0]) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		status, p, code := lookAt(t, dir, origin+"/a")
		if status != 404 || code != 1 || !strings.Contains(p.stderr.String(), "1 capture could not be read") ||
			!strings.Contains(p.stderr.String(), unreadMessage) {
			t.Errorf("%s: status %d, exit code %d: %s", name, status, code, p.stderr)
		}
	}
}

// TestReplayNoIndex: without an index, and with one that is damaged, it says what to do, and begins
// nothing.
func TestReplayNoIndex(t *testing.T) {
	_, dir := recorded(t)
	index := filepath.Join(dir, "collections", "default", "index.bolt")
	for says, change := range map[string]func() error{
		"the index of ": func() error { return os.Rename(index, index+".away") },
		"makes it anew from the WARC files": func() error {
			return os.WriteFile(index, make([]byte, 8192), 0o600)
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		said, err := command(dir, "replay", "--listen", "127.0.0.1:0").CombinedOutput()
		if err == nil || !strings.Contains(string(said), says) ||
			!strings.Contains(string(said), "recover --dir ") {
			t.Errorf("%v: %s, want %q", err, said, says)
		}
	}
}

// TestReplayAfterCrash: what a recorder that was killed has left is said, as by export; what is in
// the index is shown.
func TestReplayAfterCrash(t *testing.T) {
	origin, _, _ := countedPages(t)
	rec := startRecording(t, "--index-interval", "1h", "--commit-interval", "1ms")
	rec.fetch(origin + "/indexed")
	rec.run("export", "-o", "-") // which has it indexed
	rec.fetch(origin + "/left")
	eventually(t, "it is on disk", func() bool {
		return strings.Contains(rec.page("/status"), `"exchanges": 2,`)
	})
	rec.cmd.Process.Kill()
	<-rec.ended
	status, p, code := lookAt(t, rec.dir, origin+"/indexed")
	said := p.stderr.String()
	if status != 200 || code != 1 || !strings.Contains(said, "are not in the index") ||
		!strings.Contains(said, " recover --dir ") {
		t.Errorf("status %d, exit code %d: %s", status, code, p.stderr)
	}
	if _, errors, code := rec.run("recover"); code != 0 {
		t.Fatal(errors)
	}
	if status, p, code := lookAt(t, rec.dir, origin+"/left"); status != 200 || code != 0 {
		t.Errorf("after recover: status %d, exit code %d: %s", status, code, p.stderr)
	}
}

// TestReplayOverRecorders: recorders begin and end, well or not, while clients ask: each request is
// answered, and each is counted once.
func TestReplayOverRecorders(t *testing.T) {
	origin, dir := recorded(t)
	p := startReplay(t, dir)
	var asked atomic.Int64
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if res, body := p.get(origin + "/a"); body != "/a 1" {
					t.Errorf("%s %q", res.Status, body)
				}
				asked.Add(1)
			}
		})
	}
	enough := func() {
		t.Helper()
		most := asked.Load() + 20
		eventually(t, "clients are answered", func() bool { return asked.Load() > most })
	}
	for round := range 3 {
		enough()
		rec := startRecordingIn(t, dir)
		enough()
		if round == 1 { // the index is sound all the same, and clients wait for nothing
			rec.cmd.Process.Kill()
			<-rec.ended
		} else if code := rec.stop(); code != 0 {
			t.Errorf("the recorder: %d %s", code, rec.stderr)
		}
	}
	enough()
	close(stop)
	clients.Wait()
	var now replayStatus
	if err := json.Unmarshal([]byte(p.page("/status")), &now); err != nil {
		t.Fatal(err)
	}
	killed := asked.Load() - now.Answered // what a killed recorder has not told
	if now.Missing != 0 || killed < 0 || killed == asked.Load() {
		t.Errorf("%d were asked for: %+v", asked.Load(), now)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
}

// TestReplayAddressInUse: who cannot listen is told that a replay has the address.
func TestReplayAddressInUse(t *testing.T) {
	_, dir := recorded(t)
	p := startReplay(t, dir)
	said, err := command(dir, "replay", "--listen", p.address).CombinedOutput()
	if err == nil || !strings.Contains(string(said), ", which replays "+filepath.Join(dir, "collections")) ||
		!strings.Contains(string(said), ": set that as the proxy, or give") {
		t.Errorf("%v: %s", err, said)
	}
	said, err = command(t.TempDir(), "record", "--listen", p.address).CombinedOutput()
	if err == nil || !strings.Contains(string(said), ": give another address with --listen ") {
		t.Errorf("for a recorder, which a replay is none: %v: %s", err, said)
	}
}

// TestReplayGreeting: a person is told a page that is there, and a command that shows it as it stands.
func TestReplayGreeting(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<!doctype html><p>a page")
	}))
	rec, page := startRecording(t), server.URL+"/page"
	dir := rec.dir
	rec.fetch(page)
	rec.stop()
	server.Close()
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := command(dir, "replay", "--listen", "127.0.0.1:0", "--log", "text")
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	var greeting string
	eventually(t, "it greets", func() bool {
		b, _ := os.ReadFile(path)
		greeting = string(b)
		return strings.Contains(greeting, "Stop with Ctrl-C.\n")
	})
	_, line, _ := strings.Cut(greeting, strings.Repeat(" ", 10)+"curl ")
	line, _, _ = strings.Cut(line, "\n")
	if !strings.Contains(greeting, " replay "+page) || !strings.HasSuffix(line, " "+page) {
		t.Fatalf("no page that is there: %s", greeting)
	}
	proxy := strings.Fields(line)[1]
	p := program{t: t, dir: dir, address: strings.TrimPrefix(proxy, "http://")}
	if res, body := p.get(page); res.StatusCode != 200 || !strings.Contains(body, "a page") {
		t.Errorf("%s: %v %q", line, res, body)
	}
}
