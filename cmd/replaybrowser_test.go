//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// look runs warcorder replay with the fake browser to its end. Nothing is left of it.
func (b *installed) look(env string, args ...string) ran {
	b.t.Helper()
	cmd := b.line(args...)
	cmd.Args[1] = "replay"
	cmd.Env = append(cmd.Env, env)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	b.isClean()
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// TestReplayBrowser: a browser that is opened sees what was recorded, with a window and without, while
// somebody records and when nobody does; what it asks for by itself is nobody's miss. What was
// answered and what was missing is said at the end, and the next command by who has recorded.
func TestReplayBrowser(t *testing.T) {
	b := installBrowser(t)
	recorded := b.browse("", "--headless", "http://site.example/page")
	if recorded.code != 0 || !strings.Contains(recorded.stderr, " replay http://site.example/page --dir ") {
		t.Fatalf("%d, %s", recorded.code, recorded.stderr)
	}
	for _, beside := range []bool{false, true} {
		if beside {
			startRecordingIn(t, b.dir)
		}
		file := filepath.Join(t.TempDir(), "report.json")
		for _, args := range [][]string{{"--report", file}, {"--headless", "--report", file}} {
			got := b.look("", append(args, "http://site.example/page")...)
			if got.code != 0 || got.stdout != "" || !strings.Contains(got.stderr, "1 request in ") ||
				!strings.Contains(got.stderr, " 1 answered, 0 missing\n") {
				t.Errorf("%q: %d, %q, %s", args, got.code, got.stdout, got.stderr)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if r := reportIn(t, text); r.Answered != 1 || r.Missed != 0 || r.Quiet != 1 {
				t.Errorf("%q: %s", args, text)
			}
		}
		got := b.look("", "--headless", "http://site.example/none")
		if got.code != 0 || !strings.Contains(got.stderr, " 0 answered, 1 missing\n") ||
			!strings.Contains(got.stderr, "GET http://site.example/none\n") {
			t.Errorf("%d, %s", got.code, got.stderr)
		}
	}
	if got := b.look("FAKE_STATUS=3", "http://site.example/page"); got.code != 1 ||
		!strings.Contains(got.stderr, "exit status 3") {
		t.Errorf("a browser that fails: %d, %s", got.code, got.stderr)
	}
	if lines := linesIn(t, b.dir); strings.Count(lines, "\n") != 1 {
		t.Errorf("a replay has recorded: %s", lines)
	}
}

// TestReplayBrowserUsers: without a window nobody could type a password.
func TestReplayBrowserUsers(t *testing.T) {
	b := installBrowser(t)
	got := b.look("", "--headless", "--proxy-users", someUser, "http://site.example/page")
	if got.code != 1 || !strings.Contains(got.stderr, "--headless does not work with proxy-users") {
		t.Errorf("%d, %s", got.code, got.stderr)
	}
	cmd := b.line("--proxy-users", someUser, "http://site.example/page")
	cmd.Args[1], cmd.Env = "replay", append(cmd.Env, "DISPLAY=", "WAYLAND_DISPLAY=")
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "give --headless") {
		t.Errorf("without a display: %v %s", err, said)
	}
}
