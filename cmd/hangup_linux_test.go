package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/certs"
)

// recordAlone starts a recorder in a session of its own, which a terminal controls if it is not nil.
// What it says goes to a file in any case.
func recordAlone(t *testing.T, terminal *os.File, through string, args ...string) (*program, *lines) {
	t.Helper()
	said := new(lines)
	p := recordThroughAs(t, through, func(p *program) {
		p.cmd.Stderr = said
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if terminal != nil {
			p.cmd.Stdin = terminal
			p.cmd.SysProcAttr.Setctty = true
		}
	}, append([]string{"--log", "json"}, args...)...)
	return p, said
}

// TestHangup: where a terminal controls the recorder, its end ends the recording, cleanly; it need not
// be where the recorder writes to.
func TestHangup(t *testing.T) {
	t.Parallel()
	screen, terminal := openTerminal(t)
	p, _ := recordAlone(t, terminal, "")
	terminal.Close()
	p.fill(3)
	screen.Close() // which hangs up
	<-p.ended
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	p.leavesNothing(syscall.SIGHUP)
}

// TestHangupIgnored: with nohup SIGHUP does nothing, whether there is a terminal or not.
func TestHangupIgnored(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]bool{"a terminal": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var screen, terminal *os.File
			if at {
				screen, terminal = openTerminal(t)
				defer screen.Close()
			}
			p, said := recordAlone(t, terminal, `trap "" HUP; exec "$@"`)
			p.cmd.Process.Signal(syscall.SIGHUP)
			p.fill(3)
			p.end(syscall.SIGTERM)
			if strings.Contains(said.String(), "reloaded") {
				t.Errorf("it has reloaded: %s", said)
			}
		})
	}
}

// TestHangupReloads: where no terminal controls the recorder, SIGHUP has it read its settings anew,
// and the recording goes on, also if they are wrong.
func TestHangupReloads(t *testing.T) {
	t.Parallel()
	file := configFile(t, "deny: []\n")
	p, said := recordAlone(t, nil, "", "--config", file)
	for _, step := range []struct{ settings, said string }{
		{"deny: [nowhere.test]\n", `"key":"deny","from":"","to":"nowhere.test"`},
		{"dany: []\n", file + `: line 1: unknown key \"dany\"`},
		{"deny: []\n", `"key":"deny","from":"nowhere.test","to":""`},
		{"deny: []\n", `"by":"SIGHUP"`},
	} {
		write(t, file, step.settings)
		p.cmd.Process.Signal(syscall.SIGHUP)
		eventually(t, step.said, func() bool { return strings.Contains(said.String(), step.said) })
	}
	p.fill(3)
	p.end(syscall.SIGTERM)
}

// TestHangupPipe: a configuration that came through a pipe is not there to be read anew. What it said
// counts on, and the recorder ends as ever.
func TestHangupPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "config.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte("deny: [nowhere.test]\n"), 0) }()
	p, said := recordAlone(t, nil, "", "--config", pipe)
	if err := <-written; err != nil {
		t.Error(err)
	}
	p.cmd.Process.Signal(syscall.SIGHUP)
	eventually(t, "it says so", func() bool { return strings.Contains(said.String(), "is a pipe") })
	p.fill(3)
	p.end(syscall.SIGTERM)
}

// TestEndInReload: a reload that waits for a file that does not come to its end, as on a disk that
// does not answer, holds up no end.
func TestEndInReload(t *testing.T) {
	t.Parallel()
	roots, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "roots.pem")
	writeText(t, file, string(roots.PEM()))
	p, said := recordAlone(t, nil, "", "--config", configFile(t, "upstream-ca: "+file+"\n"))
	if err := errors.Join(os.Remove(file), syscall.Mkfifo(file, 0o600)); err != nil {
		t.Fatal(err)
	}
	p.cmd.Process.Signal(syscall.SIGHUP)
	writer, err := os.OpenFile(file, os.O_WRONLY, 0) // which waits for the reload
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	p.end(syscall.SIGTERM)
	if strings.Contains(said.String(), "reloaded") {
		t.Errorf("it has reloaded: %s", said)
	}
}
