package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRemoveAsks: Ctrl-C at the question ends the command, and nothing goes, at rest and beside a
// recorder; so does a no, and a yes removes.
func TestRemoveAsks(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/a")
	p.fetch(origin.URL + "/b")
	if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
	asks := func(name, typed string, want int, says string) {
		t.Helper()
		said, code := p.asked(typed, "remove", "--url", origin.URL, "--match", "prefix")
		if code != want || !strings.Contains(said, says) {
			t.Errorf("%s: %d %q", name, code, said)
		}
	}
	asks("Ctrl-C beside a recorder", "\x03", 1, "nothing was removed")
	p.stop()
	asks("Ctrl-C at rest", "\x03", 1, "nothing was removed")
	asks("no", "n\n", 1, "nothing was removed")
	asks("yes", "y\n", 0, "2 captures")
}

// asked runs warcorder at a terminal, where somebody types an answer to its question.
func (p *program) asked(typed string, args ...string) (said string, code int) {
	p.t.Helper()
	screen, terminal := openTerminal(p.t)
	defer screen.Close()
	cmd := command(p.dir, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	terminal.Close()
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer late.Stop()
	var all bytes.Buffer
	for b := make([]byte, 1<<10); !strings.Contains(all.String(), "[y/N] "); {
		n, err := screen.Read(b)
		all.Write(b[:n])
		if err != nil {
			cmd.Wait()
			return all.String(), cmd.ProcessState.ExitCode()
		}
	}
	fmt.Fprint(screen, typed)
	io.Copy(&all, screen)
	cmd.Wait()
	return all.String(), cmd.ProcessState.ExitCode()
}
