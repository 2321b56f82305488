//go:build unix

package cmd

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"warcorder/store/collection"
)

// TestRunsAtOnce: of commands that begin at the same instant one has the recorder, the others use
// it, and what each fetches is in the index, in whatever order they end.
func TestRunsAtOnce(t *testing.T) {
	plain, _ := greetingSites(t)
	dir := t.TempDir()
	var all sync.WaitGroup
	const many = 5
	for n := range many {
		all.Go(func() {
			cmd := runCommandLine(dir, "--", "curl", "-sSf", "-o", "/dev/null", fmt.Sprint(plain.URL, "/", n))
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%d: %v\n%s", n, err, said)
			}
		})
	}
	all.Wait()
	lines := linesIn(t, dir)
	for n := range many {
		if !strings.Contains(lines, fmt.Sprint(plain.URL, "/", n, `"`)) {
			t.Errorf("%d is not in the index", n)
		}
	}
}

// TestRunBesideDead: what a recorder has left that was killed, whose number is another process's by
// now and whose address is nobody's or another recorder's, is in nobody's way.
func TestRunBesideDead(t *testing.T) {
	plain, _ := greetingSites(t)
	other := startRecording(t)
	for _, address := range []string{"127.0.0.1:1", other.address} {
		dir := t.TempDir()
		at := collection.Dir(filepath.Join(dir, "collections", "default"))
		if err := os.MkdirAll(string(at), 0o700); err != nil {
			t.Fatal(err)
		}
		dead := collection.Running{PID: os.Getpid(), Addresses: []string{address}, Started: time.Now()}
		if err := at.Announce(dead, collection.DefaultMode); err != nil {
			t.Fatal(err)
		}
		ran := runLine(t, dir, "--", "curl", "-sSf", "-o", "/dev/null", plain.URL+"/page")
		if lines := linesIn(t, dir); ran.code != 0 || !strings.Contains(lines, plain.URL+"/page") {
			t.Errorf("%d, %q\n%s", ran.code, lines, ran.stderr)
		}
	}
}

// guestOf starts a command whose recorder belongs to another one, which ends as soon as the guest
// has begun. It returns the two, and what goes to the guest's standard input.
func guestOf(t *testing.T, dir, command string) (owner, guest *started, input io.WriteCloser) {
	t.Helper()
	owner = startRun(t, dir, "sh", "-c", "echo begun; read line")
	guest = startRun(t, dir, "sh", "-c", "echo begun; read line; "+command)
	io.WriteString(owner.in, "end\n")
	return owner, guest, guest.in
}

// started is a warcorder run that has begun its command.
type started struct {
	in     io.WriteCloser
	out    *bufio.Reader
	errs   *bufio.Reader
	signal func(syscall.Signal) error
	wait   func() error
}

func startRun(t *testing.T, dir string, args ...string) *started {
	t.Helper()
	cmd := runCommandLine(dir, append([]string{"--"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	s := &started{
		in: in, out: bufio.NewReader(out), errs: bufio.NewReader(errs), wait: cmd.Wait,
		signal: func(s syscall.Signal) error { return cmd.Process.Signal(s) },
	}
	if line, err := s.out.ReadString('\n'); line != "begun\n" {
		said, _ := io.ReadAll(s.errs)
		t.Fatalf("%q, %v\n%s", line, err, said)
	}
	return s
}

// saysItWaits reads what a command says until it says that it waits for others.
func (s *started) saysItWaits(t *testing.T) {
	t.Helper()
	for {
		line, err := s.errs.ReadString('\n')
		if strings.Contains(line, "still goes through this recorder") {
			return
		}
		if err != nil {
			t.Fatalf("it does not wait: %v", err)
		}
	}
}

// TestRunOutlivedByGuest: a command whose recorder another one uses goes on until that has ended.
func TestRunOutlivedByGuest(t *testing.T) {
	plain, _ := greetingSites(t)
	dir := t.TempDir()
	owner, guest, input := guestOf(t, dir, "curl -sSf -o /dev/null "+plain.URL+"/late")
	owner.saysItWaits(t)
	io.WriteString(input, "fetch\n")
	for who, one := range map[string]*started{"guest": guest, "owner": owner} {
		said, _ := io.ReadAll(one.errs)
		if err := one.wait(); err != nil {
			t.Errorf("%s: %v\n%s", who, err, said)
		}
	}
	if lines := linesIn(t, dir); !strings.Contains(lines, plain.URL+"/late") {
		t.Errorf("the page is not in the index: %q", lines)
	}
}

// TestRunLeavesGuest: a signal ends the waiting for others, and who is killed is not waited for.
func TestRunLeavesGuest(t *testing.T) {
	for name, end := range map[string]func(owner, guest *started) error{
		"signal":          func(owner, _ *started) error { return owner.signal(syscall.SIGINT) },
		"guest is killed": func(_, guest *started) error { return guest.signal(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			owner, guest, input := guestOf(t, t.TempDir(), "true")
			owner.saysItWaits(t)
			if err := end(owner, guest); err != nil {
				t.Fatal(err)
			}
			said, _ := io.ReadAll(owner.errs)
			if err := owner.wait(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
			input.Close()
			said, _ = io.ReadAll(guest.errs)
			if err := guest.wait(); err == nil || name == "signal" &&
				!strings.Contains(string(said), "has ended meanwhile") {
				t.Errorf("the guest: %v\n%s", err, said)
			}
		})
	}
}
