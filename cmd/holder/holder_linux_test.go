package holder

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOf: a process that holds a lock is named with its command; one that waits for it is not, and
// neither is who asks.
func TestOf(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if names := Of(file.Name()); len(names) != 0 {
		t.Errorf("nobody holds it, and it is %q", names)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if names := Of(file.Name()); len(names) != 0 {
		t.Errorf("who asks holds it, and it is %q", names)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "TestHold$")
	cmd.Env = append(os.Environ(), "HOLD="+file.Name()+".2")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close() // which ends it
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	names := Of(file.Name(), file.Name()+".2")
	want := "process " + strconv.Itoa(cmd.Process.Pid) + " (" + os.Args[0]
	if len(names) != 1 || !strings.HasPrefix(names[0], want[:min(len(want), maxCommand)]) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// TestHold is the process that TestOf starts: it holds a lock until its standard input ends.
func TestHold(t *testing.T) {
	path := os.Getenv("HOLD")
	if path == "" {
		t.Skip("it is for TestOf")
	}
	file, err := os.Create(path)
	if err == nil {
		err = unix.Flock(int(file.Fd()), unix.LOCK_SH)
	}
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("held")
	os.Stdin.Read(make([]byte, 1))
}

func TestParseLock(t *testing.T) {
	for line, want := range map[string]struct {
		pid   int
		inode string
		ok    bool
	}{
		"1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF\n":    {4711, "1234", true},
		"1: -> FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF\n": {0, "", false},
		"2: OFDLCK ADVISORY  READ  -1 00:2f:77 0 0\n":          {-1, "77", false},
		"3: FLOCK  ADVISORY  WRITE 0 fd:01:1234 0 EOF\n":       {0, "1234", false},
		"": {0, "", false},
	} {
		if pid, inode, ok := parseLock(line); ok != want.ok ||
			ok && (pid != want.pid || inode != want.inode) {
			t.Errorf("%q: %d %q %t", line, pid, inode, ok)
		}
	}
}
