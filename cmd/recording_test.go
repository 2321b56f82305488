package cmd

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything that must come is waited for.
const patience = 60 * time.Second

// eventually waits until ok is true, and says what it waited for if that does not come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// recording is a warcorder that runs as a process, and what it says in its log. It may end at any
// moment.
type recording struct {
	t       *testing.T
	cmd     *exec.Cmd
	begun   chan string   // gets the address that it listens on
	ended   chan struct{} // closed when it is gone and its log has been read to the end
	address string        // "" if it ended before it recorded

	mu    sync.Mutex
	log   []logLine
	alive time.Time // it surely was at that moment
}

// logLine is a line of the log: the fields that a test reads, and its text.
type logLine struct {
	Level, Message, Address, File, URL, Copy, Fault string
	Cut, Kept, Offset, Length, Whole                int64
	Hit                                             int
	text                                            string
}

// launch lets warcorder record into a directory of collections, and waits until it does or has
// ended before.
func launch(t *testing.T, collections, ca, faults string, args ...string) *recording {
	t.Helper()
	record := []string{"record", "--listen", "127.0.0.1:0", "--insecure-upstream"}
	return launchCommand(t, collections, ca, faults, append(record, args...)...)
}

// launchCommand does the same with another command, which will end by itself.
func launchCommand(t *testing.T, collections, ca, faults string, args ...string) *recording {
	t.Helper()
	return launchAmid(t, []string{"RUN_WITH_FAULT=" + faults}, collections, ca, args...)
}

// launchAmid does the same with more variables in its environment.
func launchAmid(t *testing.T, variables []string, collections, ca string, args ...string) *recording {
	t.Helper()
	r := &recording{t: t, begun: make(chan string, 1), ended: make(chan struct{})}
	r.cmd = exec.Command(os.Args[0], append(args, "--log", "json", "--dir", collections)...)
	r.cmd.Env = append(append(os.Environ(), variables...), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+ca,
		"GORACE=atexit_sleep_ms=0") // else the race detector waits a second at each end
	log, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.cmd.Process.Kill()
		<-r.ended
		if text := r.noise(); strings.Contains(text, "DATA RACE") ||
			strings.Contains(text, "goroutine ") {
			t.Errorf("it raced or panicked: %s", text)
		}
	})
	go r.read(log)
	select {
	case r.address = <-r.begun:
	case <-r.ended:
	case <-time.After(patience):
		t.Fatalf("it neither records nor ends: %s", r.tail())
	}
	return r
}

// read takes the log until the process has ended.
func (r *recording) read(log io.Reader) {
	defer close(r.ended)
	in := bufio.NewReader(log)
	for {
		text, err := in.ReadString('\n')
		if err != nil { // what was cut off by a kill is no line
			break
		}
		line := logLine{text: text}
		json.Unmarshal([]byte(text), &line) // what is not JSON, such as a panic, is kept as text
		if line.Message == "recording" {
			r.begun <- line.Address
		}
		r.mu.Lock()
		r.log = append(r.log, line)
		r.mu.Unlock()
	}
	r.cmd.Wait()
}

// lives notes that the process lived at that moment, or later.
func (r *recording) lives(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.After(r.alive) {
		r.alive = at
	}
}

// lines are the log lines of a message.
func (r *recording) lines(message string) (lines []logLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.log {
		if line.Message == message {
			lines = append(lines, line)
		}
	}
	return lines
}

// tail is the end of the log without its captures.
func (r *recording) tail() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text []string
	for _, line := range r.log {
		if line.Message != "capture" {
			text = append(text, line.text)
		}
	}
	return strings.Join(text[max(0, len(text)-20):], "")
}

// noise is what the process has said that is no line of the log.
func (r *recording) noise() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text strings.Builder
	for _, line := range r.log {
		if line.Message == "" {
			text.WriteString(line.text)
		}
	}
	return text.String()
}

func (r *recording) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// wait waits for the end of the process.
func (r *recording) wait() {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		r.t.Fatalf("it does not end: %s", r.tail())
	}
}

// killed reports an end by SIGKILL.
func (r *recording) killed() bool {
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// kill ends the process as a power cut would, but for what the system has not written.
func (r *recording) kill() {
	r.t.Helper()
	if !r.hasEnded() {
		r.lives(time.Now())
	}
	r.cmd.Process.Kill()
	r.wait()
}

// stop ends the process as its operator would.
func (r *recording) stop() {
	r.t.Helper()
	r.cmd.Process.Signal(syscall.SIGTERM)
	r.wait()
	if !r.killed() && r.cmd.ProcessState.ExitCode() != 0 {
		r.t.Errorf("exit code %d: %s", r.cmd.ProcessState.ExitCode(), r.tail())
	}
}

// get asks for one of the recorder's own pages.
func (r *recording) get(path string) (status int, body string, err error) {
	res, err := http.Get("http://" + r.address + path)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// state is what a test reads of /status.
type state struct {
	code         int
	Recording    bool
	Reason       string
	Lost, Queued int64
	Large        int64
}

// status reads /status, which is 503 as long as nothing is recorded, and says why.
func (r *recording) status() (s state) {
	r.t.Helper()
	code, body, err := r.get("/status")
	if err != nil {
		r.t.Fatalf("/status: %v: %s", err, r.tail())
	}
	if err := json.Unmarshal([]byte(body), &s); err != nil || s.Recording != (code == http.StatusOK) ||
		(s.Reason == "") != s.Recording {
		r.t.Errorf("/status: %v, %d: %s", err, code, body)
	}
	s.code = code
	return s
}
