//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"warcorder/store/collection"
)

// TestReplayBeside: a replay begins while somebody records, and goes on when that one has ended and
// another one has begun. What a client has had from the recorder is there at once, the whole time is
// in one report, and whoever answers is said.
func TestReplayBeside(t *testing.T) {
	origin, _, _ := countedPages(t)
	rec := startRecording(t)
	rec.fetch(origin + "/a")
	p := startReplay(t, rec.dir, "--report", filepath.Join(rec.dir, "report.json"))
	for n := range 20 {
		page := fmt.Sprint(origin, "/", n)
		want := rec.fetch(page)
		if res, body := p.get(page); res.StatusCode != 200 || body != want {
			t.Errorf("%d: %s, %q, want %q", n, res.Status, body, want)
		}
	}
	again := rec.fetch(origin + "/a")
	if _, body := p.get(origin + "/a"); body != again {
		t.Errorf("%q, want the later one, %q", body, again)
	}
	p.get(origin + "/none")
	if !strings.Contains(p.page("/status"), fmt.Sprintf(`"recorder": %d`, rec.cmd.Process.Pid)) {
		t.Errorf("%s", p.page("/status"))
	}
	if code := rec.stop(); code != 0 {
		t.Errorf("the recorder: %d %s", code, rec.stderr)
	}
	if _, body := p.get(origin + "/a"); body != again {
		t.Errorf("by the files: %q", body)
	}
	next := startRecordingIn(t, rec.dir)
	later := next.fetch(origin + "/later")
	if _, body := p.get(origin + "/later"); body != later {
		t.Errorf("by the next recorder: %q, want %q", body, later)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
	text, err := os.ReadFile(filepath.Join(rec.dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if r := reportIn(t, text); r.Answered != 23 || r.Missed != 1 || r.Documents[0].Misses[0].URL != origin+"/none" {
		t.Errorf("%s", text)
	}
	said := p.stderr.String()
	if strings.Count(said, missingMessage) != 1 || strings.Count(said, "and answers for it") != 2 ||
		strings.Count(said, "the files answer again") != 1 {
		t.Errorf("%s", said)
	}
	if code := next.stop(); code != 0 || strings.Contains(next.stderr.String(), `"level":"error"`) {
		t.Errorf("the next recorder: %d %s", code, next.stderr)
	}
}

// TestReplaysAtOnce: of one collection, with and without a recorder, there are as many as one likes.
func TestReplaysAtOnce(t *testing.T) {
	origin, dir := recorded(t)
	for _, beside := range []bool{false, true} {
		if beside {
			startRecordingIn(t, dir)
		}
		one, two := startReplay(t, dir), startReplay(t, dir, "--explain")
		var all sync.WaitGroup
		for range 10 {
			for _, p := range []*program{one, two} {
				all.Go(func() {
					if res, body := p.get(origin + "/a"); body != "/a 1" ||
						(res.Header.Get("X-Warcorder-Rule") != "") != (p == two) {
						t.Errorf("beside a recorder %v: %q %v", beside, body, res.Header)
					}
				})
			}
		}
		all.Wait()
		for _, p := range []*program{one, two} {
			if code := p.stop(); code != 0 || !strings.Contains(p.stderr.String(), `"answered":10`) {
				t.Errorf("exit code %d: %s", code, p.stderr)
			}
		}
	}
}

// TestReplayListen: a recorder replays what it records on its second address, where nothing is
// recorded, and ends both in order. An address that is taken is refused before anything is made.
func TestReplayListen(t *testing.T) {
	origin, asked, _ := countedPages(t)
	rec := startRecording(t, "--replay-listen", "127.0.0.1:0")
	var now status
	look := func() {
		t.Helper()
		if err := json.Unmarshal([]byte(rec.page("/status")), &now); err != nil || now.Replay == nil {
			t.Fatalf("%v: %+v", err, now.Replay)
		}
	}
	look()
	second := &program{t: t, address: now.Replay.Address}
	who, err := collection.Dir(filepath.Join(rec.dir, "collections", "default")).Running()
	if err != nil || who.Replay != second.address {
		t.Errorf("%v: recorder.json says %+v", err, who)
	}
	for n := range 20 {
		page := fmt.Sprint(origin, "/", n)
		want := rec.fetch(page)
		if _, body := second.get(page); body != want {
			t.Errorf("%q, want %q", body, want)
		}
	}
	if code := second.statusOf(origin + "/none"); code != 404 || asked.Load() != 20 {
		t.Errorf("status %d, the origin was asked %d times", code, asked.Load())
	}
	look()
	if now.Replay.Answered != 20 || now.Replay.Missing != 1 || now.Exchanges != 20 {
		t.Errorf("%+v, %d exchanges", now.Replay, now.Exchanges)
	}
	if !strings.Contains(second.page("/report"), "/none") {
		t.Error("the miss is not in the report")
	}
	if code := rec.stop(); code != 0 || strings.Contains(rec.stderr.String(), `"level":"error"`) ||
		!strings.Contains(rec.stderr.String(), `"replay":"`+second.address+`"`) {
		t.Errorf("exit code %d: %s", code, rec.stderr)
	}
	if lines := linesIn(t, rec.dir); strings.Count(lines, "\n") != 20 {
		t.Errorf("%s", lines)
	}
	dir := t.TempDir()
	taken := newPages(t).Listener.Addr().String()
	said, err := command(dir, "record", "--listen", "127.0.0.1:0", "--replay-listen", taken).CombinedOutput()
	made, _ := os.ReadDir(dir)
	if err == nil || !strings.Contains(string(said), "with --replay-listen") || len(made) != 0 {
		t.Errorf("%v: %s, made %v", err, said, made)
	}
	said, err = command(dir, "record", "--listen", "127.0.0.1:0", "--replay-listen", "0.0.0.0:0").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "--replay-listen \"0.0.0.0:0\" lets other machines in") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestReplayFallback: what is missing is fetched and recorded, once, by the recorder of the
// collection, or by one that ends with the replay.
func TestReplayFallback(t *testing.T) {
	for _, beside := range []bool{false, true} {
		origin, asked, _ := countedPages(t)
		rec := startRecording(t)
		dir := rec.dir
		rec.fetch(origin + "/a")
		if !beside {
			rec.stop()
		}
		p := startReplay(t, dir, "--fallback", "live", "--report", filepath.Join(dir, "report.json"))
		for range 2 {
			for page, want := range map[string]string{"/a": "/a 1", "/b": "/b 2"} {
				if _, body := p.get(origin + page); body != want {
					t.Errorf("beside %v: %q, want %q", beside, body, want)
				}
			}
		}
		if n := asked.Load(); n != 2 {
			t.Errorf("beside %v: the origin was asked %d times", beside, n)
		}
		if code := p.stop(); code != 0 {
			t.Errorf("beside %v: exit code %d: %s", beside, code, p.stderr)
		}
		said := p.stderr.String()
		if n := strings.Count(said, `"message":"replayed"`); n != 4 ||
			strings.Contains(said, `"user":"replay-`) == beside { // the recorder tells of captures
			t.Errorf("beside %v: %d lines of 4 answers: %s", beside, n, said)
		}
		text, err := os.ReadFile(filepath.Join(dir, "report.json"))
		if err != nil {
			t.Fatal(err)
		}
		if r := reportIn(t, text); r.Answered != 3 || r.Missed != 1 || r.FellBack != 1 {
			t.Errorf("beside %v: %s", beside, text)
		}
		if beside {
			if code := rec.stop(); code != 0 {
				t.Errorf("the recorder: %d %s", code, rec.stderr)
			}
		}
		if lines := linesIn(t, dir); strings.Count(lines, "\n") != 2 || !strings.Contains(lines, origin+"/b") {
			t.Errorf("beside %v: %s", beside, lines)
		}
		if findings, errors, code := rec.run("verify"); code != 0 {
			t.Errorf("verify: %s%s", findings, errors)
		}
	}
}

// TestReplayFallbackEnds: a replay that fetches ends when the recorder does that records for it, and
// says so; the report is written all the same.
func TestReplayFallbackEnds(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		origin, _, _ := countedPages(t)
		rec := startRecording(t)
		file := filepath.Join(rec.dir, "report.json")
		p := startReplay(t, rec.dir, "--fallback", "live", "--report", file)
		p.get(origin + "/a")
		rec.cmd.Process.Signal(signal)
		<-p.ended
		text, err := os.ReadFile(file)
		if code := p.cmd.ProcessState.ExitCode(); code != 1 || err != nil ||
			!strings.Contains(p.stderr.String(), "the recorder has ended") {
			t.Errorf("%v: %d, %v, %s\n%s", signal, code, err, text, p.stderr)
		}
	}
}

// TestReplayUsers: whoever shows no password of the replay's gets nothing, whoever answers; and who
// asks the recorder's listener of another process's replay neither.
func TestReplayUsers(t *testing.T) {
	origin, dir := recorded(t)
	for _, beside := range []bool{false, true} {
		if beside {
			startRecordingIn(t, dir)
		}
		p := startReplay(t, dir, "--proxy-users", someUser)
		if code := p.statusOf(origin + "/a"); code != 407 {
			t.Errorf("without a password: %d", code)
		}
		if _, body := p.get(origin+"/a", "Proxy-Authorization", "Basic YW5uYTpzZWNyZXQ="); body != "/a 1" {
			t.Errorf("beside %v: %q", beside, body)
		}
		strangers := startReplay(t, dir, "--clients", "192.0.2.0/24")
		if code := strangers.statusOf(origin + "/a"); code != 403 {
			t.Errorf("a stranger: %d", code)
		}
	}
}

// TestReplayRefused: a recorder that does not replay for whoever asks is said at the start, and why.
func TestReplayRefused(t *testing.T) {
	_, dir := recorded(t)
	old := httptest.NewServer(http.NotFoundHandler())
	defer old.Close()
	at := collection.Dir(filepath.Join(dir, "collections", "default"))
	unlock, err := at.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	who := collection.Running{PID: os.Getpid(), Addresses: []string{old.Listener.Addr().String()}}
	if err := at.Announce(who, collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	if _, err := at.MakeToken(); err != nil {
		t.Fatal(err)
	}
	said, err := command(dir, "replay", "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "of an older version, which cannot replay") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestReplayPage: POST /replay needs the token, and its listener the password that it tells, whether
// the recorder has users or none.
func TestReplayPage(t *testing.T) {
	origin, dir := recorded(t)
	rec := startRecordingIn(t, dir)
	res, err := http.Post("http://"+rec.address+"/replay", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 401 {
		t.Errorf("without the token: %s", res.Status)
	}
	token, err := collection.Dir(filepath.Join(dir, "collections", "default")).Token()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(query string) *http.Response {
		req, err := http.NewRequest("POST", "http://"+rec.address+"/replay?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	for _, wrong := range []string{"at=yesterday", "rules=%7B", "pid=1"} {
		if res := ask(wrong); res.StatusCode != 400 && res.StatusCode != 409 {
			said, _ := io.ReadAll(res.Body)
			t.Errorf("%s: %s %s", wrong, res.Status, said)
		}
	}
	var told struct{ Address, User, Password string }
	if err := json.NewDecoder(ask("").Body).Decode(&told); err != nil {
		t.Fatal(err)
	}
	host, _, err := net.SplitHostPort(told.Address)
	if err != nil || host != "127.0.0.1" {
		t.Errorf("%q %v", told.Address, err)
	}
	p := &program{t: t, address: told.Address}
	if code := p.statusOf(origin + "/a"); code != 407 {
		t.Errorf("without the password: %d", code)
	}
	if code := rec.stop(); code != 0 {
		t.Errorf("the recorder: %d %s", code, rec.stderr)
	}
}

// TestReplayManyRules: own rules count beside a recorder too, however many there are.
func TestReplayManyRules(t *testing.T) {
	file := strings.Builder{}
	file.WriteString("replay-rules:\n")
	for n := range 2000 {
		fmt.Fprintf(&file, "  - name: rule-%d\n    host: n%d.example\n    query: {seen: any}\n", n, n)
	}
	file.WriteString("  - name: last\n    host: 127.0.0.1\n    query: {seen: any}\n")
	origin, _, _ := countedPages(t)
	rec := startRecording(t)
	want := rec.fetch(origin + "/a?seen=1")
	p := startReplay(t, rec.dir, "--config", writeFile(t, file.String()))
	if _, body := p.get(origin + "/a?seen=2"); body != want {
		t.Errorf("%q, want %q: %s", body, want, p.stderr)
	}
}
