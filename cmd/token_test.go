package cmd

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tokenFile is the path of the token of a program's collection.
func (p *program) tokenFile() string {
	return filepath.Join(p.dir, "collections", "default", "recorder.token")
}

// status is what a page answers, without a token.
func (p *program) status(path string) int {
	p.t.Helper()
	res, err := http.Get("http://" + p.address + path)
	if err != nil {
		p.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// TestReaders: an empty list is told from none, however it is given, and asks everybody for the
// token but for what is for everybody. The command line has the token.
func TestReaders(t *testing.T) {
	for name, c := range map[string]struct {
		args     []string
		variable string
		file     string
		reads    bool
	}{
		"not set":                 {nil, "-", "", true},
		"empty flag":              {[]string{"--readers", ""}, "-", "", false},
		"empty flag, =":           {[]string{"--readers="}, "-", "readers: '@loopback'", false},
		"empty variable":          {nil, "", "", false},
		"empty list":              {nil, "-", "readers: []", false},
		"empty text":              {nil, "-", `readers: ""`, false},
		"null":                    {nil, "-", "readers:", true},
		"others":                  {nil, "-", "readers: [192.0.2.0/24, 2001:db8::1]", false},
		"several":                 {nil, "-", "readers: [192.0.2.0/24, '@loopback']", true},
		"flag twice":              {[]string{"--readers", "127.0.0.1", "--readers", "192.0.2.1"}, "-", "", true},
		"variable over file":      {nil, "127.0.0.1", "readers: []", true},
		"flag over variable":      {[]string{"--readers=127.0.0.0/8"}, "", "readers: []", true},
		"empty flag over a value": {[]string{"--readers="}, "127.0.0.1", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.variable != "-" {
				t.Setenv("WARCORDER_READERS", c.variable)
			}
			args := c.args
			if c.file != "" {
				args = append(args, "--config", writeFile(t, c.file+"\n"))
			}
			p := startRecording(t, args...)
			for path, want := range map[string]bool{"/healthz": true, "/readyz": true, "/ca.pem": true, "/": true,
				"/status": c.reads, "/gaps": c.reads, "/export": c.reads, "/pages": c.reads, "/pages/report": c.reads} {
				if got := p.status(path); (got == 200) != want || !want && got != 401 {
					t.Errorf("%s: %d", path, got)
				}
			}
			for _, command := range [][]string{{"gaps"}, {"export", "-o", "-"}, {"pages"}} {
				if _, stderr, code := p.run(command...); code != 0 {
					t.Errorf("%v: %s", command, stderr)
				}
			}
		})
	}
	if _, stderr, code := (&program{t: t, dir: t.TempDir()}).run("record", "--readers", "everybody"); code == 0 ||
		!strings.Contains(stderr, `"everybody" is no network`) {
		t.Errorf("%s", stderr)
	}
}

// TestTokenFile: each start makes a token of its own, which is for the owner alone, and no end
// leaves it, but for a crash. Nothing tells it.
func TestTokenFile(t *testing.T) {
	p := startRecording(t, "--archive-mode", "0640", "--api-token", "another")
	first, err := os.ReadFile(p.tokenFile())
	if err != nil || len(first) != 65 {
		t.Fatalf("%q %v", first, err)
	}
	if info, err := os.Stat(p.tokenFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	token := strings.TrimSpace(string(first))
	for _, one := range []string{token, "another"} {
		if status, answer := p.post(one, "type=resource&uri=urn:x:"+one[:3], "x"); status != 201 {
			t.Errorf("%d %s", status, answer)
		}
	}
	for _, path := range []string{"/status?token=" + token, "/nothing?token=" + token, "/?token=" + token} {
		p.status(path)
	}
	p.cmd.Process.Kill()
	<-p.ended
	if left, err := os.ReadFile(p.tokenFile()); err != nil || string(left) != string(first) {
		t.Errorf("killed: %q %v", left, err)
	}
	r := launch(t, filepath.Join(p.dir, "collections"), filepath.Join(p.dir, "ca"), "")
	if second, err := os.ReadFile(p.tokenFile()); err != nil || string(second) == string(first) {
		t.Errorf("again: %q %v", second, err)
	}
	r.cmd.Process.Signal(os.Interrupt)
	<-r.ended
	if _, err := os.Stat(p.tokenFile()); !os.IsNotExist(err) {
		t.Errorf("ended: %v", err)
	}
	gaps, _, _ := p.run("gaps", "--json")
	if log := p.stderr.String(); strings.Contains(log+gaps, token) {
		t.Errorf("told: %s %s", log, gaps)
	}
}

// TestTokenThroughItself: a page of ours that is asked for through the proxy, where it is refused,
// tells the token neither to the log nor to the list of gaps.
func TestTokenThroughItself(t *testing.T) {
	for name, args := range map[string][]string{
		"as ourselves": nil,
		"as denied":    {"--listen", "0.0.0.0:0", "--clients", "@loopback"},
	} {
		t.Run(name, func(t *testing.T) {
			p := startRecording(t, args...)
			_, port, err := net.SplitHostPort(p.address)
			if err != nil {
				t.Fatal(err)
			}
			p.address = "127.0.0.1:" + port
			p.fetch("http://" + p.address + "/status?token=the-secret")
			gaps, _, _ := p.run("gaps", "--json")
			p.stop()
			if log := p.stderr.String(); strings.Contains(log+gaps, "secret") ||
				!strings.Contains(log, p.address+"/status\"") || !strings.Contains(gaps, p.address+"/status\"") {
				t.Errorf("%s %s", log, gaps)
			}
		})
	}
}

// TestCommandsWithoutTheToken ask all the same, and say what to do if that is not enough.
func TestCommandsWithoutTheToken(t *testing.T) {
	p := startRecording(t)
	if err := os.Chmod(p.tokenFile(), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := p.run("gaps"); code != 0 {
		t.Errorf("a reader: %s", stderr)
	}
	for range 2 {
		_, stderr, code := p.run("pause")
		if code != 1 || !strings.Contains(stderr, "run this as the user who records") ||
			!strings.Contains(stderr, p.tokenFile()) {
			t.Errorf("%d %s", code, stderr)
		}
		if err := os.Remove(p.tokenFile()); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

// TestPauseAndResume from the command line: what crosses the recorder meanwhile is counted alone.
func TestPauseAndResume(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path)
	}))
	defer origin.Close()
	p := startRecording(t, "--readers=")
	if _, stderr, code := (&program{t: t, dir: t.TempDir()}).run("pause"); code != 1 ||
		!strings.Contains(stderr, "pause: there is no collection default") {
		t.Errorf("no recorder: %d %s", code, stderr)
	}
	p.fetch(origin.URL + "/before")
	said, stderr, code := p.run("pause")
	if code != 0 || !strings.HasPrefix(said, "paused since 2") {
		t.Fatalf("%d %s %s", code, said, stderr)
	}
	if again, _, code := p.run("pause"); code != 0 || again != said {
		t.Errorf("%d %s", code, again)
	}
	p.fetch(origin.URL + "/within")
	token, err := os.ReadFile(p.tokenFile())
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Recording, Paused bool
		PausedSince       string
		Gaps              map[string]int
	}
	eventually(t, "what came is a gap", func() bool {
		page := p.page("/status?token=" + strings.TrimSpace(string(token)))
		if err := json.Unmarshal([]byte(page), &state); err != nil {
			t.Fatal(err, page)
		}
		return state.Gaps["unrecorded"] == 1
	})
	if state.Recording || !state.Paused || state.PausedSince == "" {
		t.Errorf("%+v", state)
	}
	if got := p.status("/readyz"); got != 200 {
		t.Errorf("readyz: %d", got)
	}
	for range 2 {
		if said, stderr, code := p.run("resume"); code != 0 || said != "recording\n" {
			t.Errorf("%d %s %s", code, said, stderr)
		}
	}
	p.fetch(origin.URL + "/behind")
	if _, stderr, code := p.run("pause"); code != 0 {
		t.Error(stderr)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	r := launch(t, filepath.Join(p.dir, "collections"), filepath.Join(p.dir, "ca"), "")
	p.address = r.address // a start records
	if page := p.page("/status"); !strings.Contains(page, `"recording": true`) ||
		!strings.Contains(page, `"paused": false`) {
		t.Error(page)
	}
	lines, _, _ := p.run("export", "-o", "-")
	if strings.Count(lines, "\n") != 2 || strings.Contains(lines, "/within") {
		t.Errorf("%s", lines)
	}
}

// TestShortToken: who lets others in with a token that can be guessed is told so.
func TestShortToken(t *testing.T) {
	for _, c := range []struct {
		listen, token string
		told          bool
	}{
		{"0.0.0.0:0", "secret", true},
		{"127.0.0.1:0", "secret", false},
		{"0.0.0.0:0", strings.Repeat("0123456789abcdef", 4), false},
		{"0.0.0.0:0", "", false},
	} {
		p := startRecording(t, "--listen", c.listen, "--clients", "127.0.0.1", "--api-token="+c.token)
		p.stop()
		told, shown := strings.Contains(p.stderr.String(), "api-token is short"), c.token != "" &&
			strings.Contains(p.stderr.String(), c.token)
		if told != c.told || shown {
			t.Errorf("%+v: %s", c, p.stderr)
		}
	}
}
