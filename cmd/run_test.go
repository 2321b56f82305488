//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ran is a warcorder run that has ended, with what it printed.
type ran struct {
	stdout, stderr string
	code           int
}

// runCommandLine returns a process of warcorder run, which keeps all it writes below dir, apart from
// any terminal of ours.
func runCommandLine(dir string, args ...string) *exec.Cmd {
	cmd := command(dir, "run")
	cmd.Args = append(cmd.Args, append([]string{"--insecure-upstream"}, args...)...)
	cmd.Env = append(cmd.Env, "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// runLine runs warcorder run to its end. Nothing of ours may be left of it but the collection.
func runLine(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	cmd := runCommandLine(dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	left, err := filepath.Glob(filepath.Join(dir, "warcorder-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// greetingSites are an HTTP and an HTTPS server, whose pages say that they are theirs.
func greetingSites(t *testing.T) (plain, secure *httptest.Server) {
	t.Helper()
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "the page "+r.URL.Path+"\n")
	})
	plain, secure = httptest.NewServer(page), httptest.NewTLSServer(page)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	return plain, secure
}

// linesIn are the lines of the index of the collection in dir.
func linesIn(t *testing.T, dir string) string {
	t.Helper()
	cmd := command(dir, "export", "--all", "-o", "-")
	lines, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(lines)
}

// TestRun: what a command fetches is in the index when run ends, over HTTP and HTTPS and on
// loopback, and standard output is the command's alone.
func TestRun(t *testing.T) {
	plain, secure := greetingSites(t)
	dir := t.TempDir()
	for _, args := range [][]string{
		{"--", "curl", "-sS", plain.URL + "/first", secure.URL + "/second"},
		{"curl", "-sS", plain.URL + "/first", secure.URL + "/second"},
	} {
		got := runLine(t, dir, args...)
		if got.code != 0 || got.stdout != "the page /first\nthe page /second\n" {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	lines := linesIn(t, dir)
	for _, url := range []string{plain.URL + "/first", secure.URL + "/second"} {
		if n := strings.Count(lines, `"`+url+`"`); n != 2 {
			t.Errorf("%s: %d captures", url, n)
		}
	}
}

// TestRunQuietly: nothing of ours is on standard error, but what is wrong.
func TestRunQuietly(t *testing.T) {
	plain, _ := greetingSites(t)
	dir := t.TempDir()
	got := runLine(t, dir, "--quiet", "sh", "-c", "curl -sS "+plain.URL+"/first; echo theirs >&2")
	if got.stderr != "theirs\n" || got.stdout != "the page /first\n" {
		t.Errorf("%+v", got)
	}
	if got := runLine(t, dir, "--quiet", "true"); !strings.Contains(got.stderr, "asked for nothing") {
		t.Errorf("%+v", got)
	}
	p := startRecording(t)
	got = runLine(t, p.dir, "--quiet", "curl", "-sS", plain.URL+"/first")
	if got.stderr != "" || got.stdout != "the page /first\n" {
		t.Errorf("%+v", got)
	}
}

// TestRunNoAnswer: a command whose origin gives no answer has not gone past the recorder, and is not
// said to have.
func TestRunNoAnswer(t *testing.T) {
	got := runLine(t, t.TempDir(), "curl", "-sS", "-o", os.DevNull, "http://127.0.0.1:1/")
	if got.code != 0 || !strings.Contains(got.stderr, "1 gap") ||
		strings.Contains(got.stderr, "asked for nothing") {
		t.Errorf("%+v", got)
	}
}

// TestRunBesideRecorder: a recorder that has the collection open is used, and goes on.
func TestRunBesideRecorder(t *testing.T) {
	plain, secure := greetingSites(t)
	p := startRecording(t, "--insecure-upstream")
	got := runLine(t, p.dir, "curl", "-sS", plain.URL+"/first", secure.URL+"/second")
	if got.code != 0 || got.stdout != "the page /first\nthe page /second\n" {
		t.Fatalf("%+v", got)
	}
	if lines := linesIn(t, p.dir); strings.Count(lines, secure.URL+"/second") != 1 {
		t.Errorf("the index: %s", lines)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the recorder ended with %d", code)
	}
}

// TestRunPasswords: a recorder that asks for a password is no way for a command, and says so before
// the command has run.
func TestRunPasswords(t *testing.T) {
	p := startRecording(t, "--proxy-users", "anna:$2a$04$"+strings.Repeat("a", 53))
	got := runLine(t, p.dir, "echo", "has run")
	if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "proxy-users") {
		t.Errorf("%+v", got)
	}
}

// TestRunStatus: the exit status is that of shells, whatever was recorded.
func TestRunStatus(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"well":                {[]string{"true"}, 0, "asked for nothing"},
		"not well":            {[]string{"--", "sh", "-c", "exit 3"}, 3, ""},
		"by a signal":         {[]string{"sh", "-c", "kill -TERM $$"}, 128 + 15, ""},
		"not there":           {[]string{"no-such-command"}, 127, "no such command"},
		"a path of nothing":   {[]string{"./no-such-command"}, 127, "no such command"},
		"may not be executed": {[]string{script}, 126, "may not be executed"},
		"no command":          {[]string{}, 1, "warcorder run -- curl"},
		"none behind --":      {[]string{"--"}, 1, "warcorder run -- curl"},
		"a flag of nobody's":  {[]string{"--nonsense", "true"}, 1, "nonsense"},
		"its own flags":       {[]string{"sh", "-c", "exit $#", "--dir", "--help", "--"}, 2, ""},
		"with passwords": {[]string{"--proxy-users", "anna:$2a$04$" + strings.Repeat("a", 53), "true"},
			1, "proxy-users"},
	} {
		t.Run(name, func(t *testing.T) {
			got := runLine(t, t.TempDir(), c.args...)
			if got.code != c.code || !strings.Contains(got.stderr, c.says) || got.stdout != "" {
				t.Errorf("%+v, want %d and %q", got, c.code, c.says)
			}
		})
	}
}

// TestRunSignals: a signal that only we get is passed on, and what becomes of it is the command's
// matter.
func TestRunSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := runCommandLine(t.TempDir(), "sh", "-c",
				"trap 'echo got it; exit 7' TERM INT HUP; echo ready; while :; do sleep 0.01; done")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := bufio.NewReader(out)
			if line, err := said.ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			cmd.Process.Signal(signal)
			rest, _ := io.ReadAll(said)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 7 || string(rest) != "got it\n" {
				t.Errorf("status %d, and %q", code, rest)
			}
		})
	}
}

// TestRunPipes: a command has standard input and output, and dies of a pipe that nobody reads as it
// does without us.
func TestRunPipes(t *testing.T) {
	cmd := runCommandLine(t.TempDir(), "sh", "-c", "cat; yes | head -n 1")
	cmd.Stdin = strings.NewReader("from outside\n")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil || out.String() != "from outside\ny\n" || strings.Contains(errs.String(), "roken pipe") {
		t.Errorf("%v: %q, %q", err, out.String(), errs.String())
	}
}
