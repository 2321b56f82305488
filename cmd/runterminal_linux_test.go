package cmd

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestRunTerminal: the command is in the foreground, what is typed is its own, and Ctrl-C and Ctrl-\
// reach it once each, however often they come, and end nothing of ours.
func TestRunTerminal(t *testing.T) {
	ours, theirs := openTerminal(t)
	defer ours.Close()
	cmd := runCommandLine(t.TempDir(), "sh", "-c",
		"trap 'echo int' INT; trap 'echo quit' QUIT; stty noflsh; echo ready; "+
			"until [ \"$line\" = end ]; do read line; echo \"read $line\"; done; exit 5")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close() // so that the screen ends with the last process
	var shown strings.Builder
	screen := bufio.NewReader(ours)
	until := func(word string) {
		t.Helper()
		for {
			line, err := screen.ReadString('\n')
			shown.WriteString(line)
			if strings.Contains(line, word) {
				return
			}
			if err != nil {
				t.Fatalf("%v: %s", err, shown.String())
			}
		}
	}
	until("ready")
	type key struct{ typed, shows string }
	const times = 20 // two of a signal may become one
	keys := slices.Repeat([]key{{"\x03", "int"}, {"\x1c", "quit"}}, times)
	for _, key := range append(keys, key{"end\n", "read end"}) {
		fmt.Fprint(ours, key.typed)
		until(key.shows)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 5 {
		t.Errorf("exit status %d", code)
	}
	if n := strings.Count(shown.String(), "int\r"); n != times {
		t.Errorf("%d times Ctrl-C: %s", n, shown.String())
	}
}
