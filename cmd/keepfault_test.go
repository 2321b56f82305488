//go:build faults

package cmd

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/store/fault"
)

// TestKeepForPanics: a removal by age that panics ends no recording, and is tried again.
func TestKeepForPanics(t *testing.T) {
	dir := t.TempDir()
	oldCapture(t, dir, time.Now().Add(-100*24*time.Hour))
	record := command(dir, "record", "--listen", "127.0.0.1:0", "--log", "json", "--keep-for", "90d")
	record.Env = append(record.Env, fault.Variable+"=panic remove-index 1-1")
	p := startCommand(t, dir, "what is older than keep-for could not be removed: it is tried again in an hour",
		record)
	if code := p.stop(); code != 0 || !strings.Contains(p.stderr.String(), "makeIndex") {
		t.Errorf("exit code %d, %s", code, p.stderr)
	}
	p = startProgram(t, dir, "removed what is older than keep-for", "record", "--listen", "127.0.0.1:0", "--log",
		"json", "--keep-for", "90d")
	if p.stop() != 0 {
		t.Error(p.stderr)
	}
}

// TestSecondSignalRemoving: a second signal ends a recorder at once that waits for a removal.
func TestSecondSignalRemoving(t *testing.T) {
	dir := t.TempDir()
	c := oldCapture(t, dir, time.Now().Add(-100*24*time.Hour))
	record := command(dir, "record", "--listen", "127.0.0.1:0", "--log", "json", "--keep-for", "90d")
	record.Env = append(record.Env, fault.Variable+"=slow remove-copy 1h")
	p := startCommand(t, dir, "recording", record)
	defer p.cmd.Process.Kill()
	tick, end := time.NewTicker(10*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if begun, _ := filepath.Glob(c.Rewritten("*")); len(begun) > 0 {
				p.cmd.Process.Signal(syscall.SIGINT)
			}
			continue
		case <-end:
			t.Fatal("the recorder still waits for its removal")
		case <-p.ended:
		}
		break
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.stderr.String(), "second signal") {
		t.Errorf("exit code %d, %s", code, p.stderr)
	}
}
