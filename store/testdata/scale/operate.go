package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// operate runs what an operator runs on a collection, and tells what each command takes: its time, of
// the processors too, and its memory at most. What rebuild replaces is removed before, so that the
// disk need not hold two indexes.
func operate(flags *flag.FlagSet, args []string) error {
	a := archiveFlags(flags)
	program := flags.String("program", "warcorder", "the program")
	dir := flags.String("dir", "", "directory that holds the collection")
	name := flags.String("collection", "", "its name")
	skip := flags.Bool("keep-index", false, "does not rebuild the index")
	flags.Parse(args)
	o := operator{*program, []string{"--dir", *dir, "--collection", *name}}
	tell("", "wall", "CPU", "own memory", "and mapped")
	if !*skip {
		if err := os.RemoveAll(filepath.Join(*dir, *name, "index.bolt")); err != nil {
			return err
		}
		if err := o.run("rebuild"); err != nil {
			return err
		}
	}
	if err := errors.Join(o.start("start", syscall.SIGKILL),
		o.start("start after kill -9", syscall.SIGTERM)); err != nil {
		return err
	}
	return errors.Join(o.run("lookup", a.url(1)), o.run("status"), o.run("export", "-o", "-"), o.run("verify"))
}

// operator runs the commands of a program on a collection.
type operator struct {
	program string
	on      []string // its flags
}

// run runs a command, whose output nobody needs.
func (o operator) run(command string, arguments ...string) error {
	cmd := exec.Command(o.program, append(append([]string{command}, o.on...), arguments...)...)
	said := &tail{}
	cmd.Stderr = said
	started := time.Now()
	err := cmd.Start()
	if err != nil {
		return err
	}
	own := watch(cmd.Process.Pid)
	err = cmd.Wait()
	took := time.Since(started)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, said.line)
	}
	report(command, took, own(), cmd)
	return nil
}

// start starts a recorder, and ends it by a signal when it is ready.
func (o operator) start(name string, end syscall.Signal) error {
	cmd := exec.Command(o.program, append([]string{"record", "--listen", "127.0.0.1:0", "--log", "json"},
		o.on...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	own := watch(cmd.Process.Pid)
	took, err := ready(stderr, started)
	err = errors.Join(err, cmd.Process.Signal(end))
	go io.Copy(io.Discard, stderr)
	cmd.Wait()
	report(name, took, own(), cmd)
	return err
}

// ready waits for the line by which a recorder says where it listens.
func ready(log io.Reader, started time.Time) (time.Duration, error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct{ Message, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Address != "" {
			return time.Since(started), nil
		}
	}
	return 0, cmp.Or(lines.Err(), io.ErrUnexpectedEOF)
}

// watch looks at the memory that a process has of its own, until most is asked for, which gives the
// largest in kB. Maxrss has the pages of the index with it, which the system takes back when it likes.
func watch(pid int) (most func() int) {
	ended, largest := make(chan struct{}), make(chan int)
	go func() {
		found, ticker := 0, time.NewTicker(20*time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				found = max(found, anonymous(pid))
			case <-ended:
				largest <- found
				return
			}
		}
	}()
	return func() int { close(ended); return <-largest }
}

// anonymous is the memory in kB that a process has of its own; 0 when it has gone.
func anonymous(pid int) (size int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	fmt.Sscan(rest, &size)
	return size
}

// report prints a row on a process that has ended; own is in kB.
func report(name string, took time.Duration, own int, cmd *exec.Cmd) {
	state := cmd.ProcessState
	mapped := "?"
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		mapped = fmt.Sprintf("%d MB", usage.Maxrss>>10)
	}
	tell(name, took.Round(time.Millisecond), (state.UserTime() + state.SystemTime()).Round(time.Millisecond),
		fmt.Sprintf("%d MB", own>>10), mapped)
}

func tell(row ...any) { fmt.Printf("%-22v %12v %12v %12v %12v\n", row...) }

// tail keeps the end of what a command says.
type tail struct{ line []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.line = append(t.line, p...)
	t.line = t.line[max(0, len(t.line)-500):]
	return len(p), nil
}
