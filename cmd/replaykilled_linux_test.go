package cmd

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplayKilled: of a replay that is killed nothing stays open in the recorder, and a replay whose
// recorder is killed goes on.
func TestReplayKilled(t *testing.T) {
	origin, dir := recorded(t)
	rec := startRecordingIn(t, dir)
	listening := func() int { return strings.Count(listenersOf(t, rec.cmd.Process.Pid), "\n") }
	alone := listening()
	one, two := startReplay(t, dir), startReplay(t, dir)
	one.get(origin + "/a")
	two.get(origin + "/a")
	if n := listening(); n != alone+2 {
		t.Errorf("the recorder listens on %d addresses, want %d", n, alone+2)
	}
	one.cmd.Process.Kill()
	eventually(t, "the recorder listens for the other one alone", func() bool {
		return listening() == alone+1
	})
	rec.cmd.Process.Kill()
	<-rec.ended
	if _, body := two.get(origin + "/a"); body != "/a 1" {
		t.Errorf("after the recorder: %q", body)
	}
	if code := two.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, two.stderr)
	}
}

// listenersOf are the sockets of a process that listen, a line each.
func listenersOf(t *testing.T, pid int) (lines string) {
	t.Helper()
	own := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(fds) == 0 {
		t.Fatalf("nothing tells what process %d has open: %v", pid, err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			own[to] = true
		}
	}
	for _, name := range []string{"tcp", "tcp6"} {
		table, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", pid, name))
		if err != nil {
			continue
		}
		defer table.Close()
		for in := bufio.NewScanner(table); in.Scan(); {
			fields := strings.Fields(in.Text())
			if len(fields) > 9 && fields[3] == "0A" && own["socket:["+fields[9]+"]"] {
				lines += fields[1] + "\n"
			}
		}
	}
	return lines
}
