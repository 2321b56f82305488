//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/store/collection"
)

// recordUnread starts a recorder whose standard error goes wherever a test has it go.
func recordUnread(t *testing.T, stderr *os.File, args ...string) *program {
	t.Helper()
	return recordThrough(t, "", stderr, args...)
}

// recordThrough starts such a recorder through a shell that does something else before.
func recordThrough(t *testing.T, through string, stderr *os.File, args ...string) *program {
	t.Helper()
	return recordThroughAs(t, through, func(p *program) {
		if stderr != nil {
			p.cmd.Stderr = stderr
		}
	}, args...)
}

// recordThroughAs is recordThrough for who makes the process ready.
func recordThroughAs(t *testing.T, through string, ready func(*program), args ...string) *program {
	t.Helper()
	p := &program{t: t, dir: t.TempDir(), ended: make(chan error, 1)}
	record := []string{"record", "--listen", "127.0.0.1:0", "--min-free-space", "0"}
	p.cmd = command(p.dir, append(record, args...)...)
	if through != "" {
		shell := exec.Command("/bin/sh", append([]string{"-c", through, "sh"}, p.cmd.Args...)...)
		shell.Env, p.cmd = p.cmd.Env, shell
	}
	ready(p)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { p.cmd.Process.Kill() })
	eventually(t, "it records", func() bool {
		who, err := collection.Dir(filepath.Join(p.dir, "collections", "default")).Running()
		if err == nil && who.PID == p.cmd.Process.Pid {
			p.address = who.Addresses[0]
		}
		return p.address != "" || len(p.ended) > 0
	})
	if p.address == "" {
		t.Fatalf("it does not start: %v", <-p.ended)
	}
	return p
}

// fill records n exchanges with long URLs, so that the log grows longer than any pipe and any queue
// is.
func (p *program) fill(n int) {
	p.t.Helper()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, len(r.URL.RawQuery))
	}))
	defer origin.Close()
	proxy := http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})
	client := http.Client{Transport: &http.Transport{Proxy: proxy}, Timeout: patience}
	defer client.CloseIdleConnections()
	for i := range n {
		res, err := client.Get(fmt.Sprintf("%s/%d?%s", origin.URL, i, strings.Repeat("x", 2<<10)))
		if err != nil {
			p.t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			p.t.Fatal(res.Status)
		}
	}
	eventually(p.t, "all is recorded", func() bool {
		return strings.Contains(p.page("/status"), fmt.Sprintf(`"exchanges": %d,`, n))
	})
	if lines := strings.Count(p.page("/export"), "\n"); lines != n {
		p.t.Errorf("%d captures in the index, want %d", lines, n)
	}
}

// end sends a signal, and wants a clean end.
func (p *program) end(signal os.Signal) {
	p.t.Helper()
	p.cmd.Process.Signal(signal)
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Errorf("%v ends it with %v", signal, err)
		}
	case <-time.After(patience):
		p.t.Fatalf("%v does not end it", signal)
	}
	p.leavesNothing(signal)
}

// leavesNothing looks for what a recorder that has ended in peace does not leave.
func (p *program) leavesNothing(signal os.Signal) {
	p.t.Helper()
	collection := filepath.Join(p.dir, "collections", "default")
	for _, pattern := range []string{"archive/*.open", "recorder.json"} {
		if left, _ := filepath.Glob(filepath.Join(collection, pattern)); len(left) > 0 {
			p.t.Errorf("left after %v: %v", signal, left)
		}
	}
}

// memory is the most that a process has had in memory, in bytes; 0 where the system does not tell.
func (p *program) memory() (n int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
		fmt.Sscan(after, &n)
	}
	return n << 10
}

// exchangesForLog are so many that their log lines take 9 MB: more than a pipe and the queue.
const exchangesForLog = 4500

// TestNobodyReadsTheLog: with standard error stalled, gone, closed or full everything is recorded
// and indexed, /status counts what the log lacks, and the end is clean.
func TestNobodyReadsTheLog(t *testing.T) {
	for _, format := range []string{"json", "text"} {
		t.Run("stalled, "+format, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			t.Setenv("GORACE", "history_size=0") // the race detector's own memory is not what is bounded
			p := recordUnread(t, w, "--log", format, "--verbose")
			w.Close()
			p.fill(exchangesForLog)
			var s struct{ LogDropped int64 }
			if err := json.Unmarshal([]byte(p.page("/status")), &s); err != nil || s.LogDropped == 0 {
				t.Errorf("status: %+v, %v", s, err)
			}
			if n := p.memory(); n > 300<<20 {
				t.Errorf("%d bytes of memory", n)
			}
			p.end(syscall.SIGTERM)
		})
	}
	t.Run("read again", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p := recordUnread(t, w, "--log", "json")
		w.Close()
		p.fill(exchangesForLog)
		said := make(chan []byte)
		go func() {
			all, _ := io.ReadAll(r)
			said <- all
		}()
		p.end(syscall.SIGTERM)
		all := <-said
		if !bytes.Contains(all, []byte("lines of this log were dropped")) ||
			bytes.Count(all, []byte("\n")) < 100 {
			t.Errorf("the log is %d bytes: %s", len(all), all[max(0, len(all)-500):])
		}
	})
	t.Run("its reader has gone", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		head := exec.Command("head", "-n", "1") // as `warcorder 2>&1 | head -1` has it
		head.Stdin = r
		if err := head.Start(); err != nil {
			t.Fatal(err)
		}
		p := recordUnread(t, w, "--log", "json")
		r.Close()
		w.Close()
		if err := head.Wait(); err != nil {
			t.Fatal(err)
		}
		p.fill(20)
		p.end(syscall.SIGINT)
	})
	t.Run("closed", func(t *testing.T) {
		p := recordThrough(t, `exec "$@" 2>&-`, nil, "--log", "json")
		p.fill(20)
		p.end(syscall.SIGTERM)
	})
	t.Run("its disk is full", func(t *testing.T) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer full.Close()
		p := recordUnread(t, full, "--log", "json")
		p.fill(20)
		p.end(syscall.SIGTERM)
	})
}

// TestStalledLogAndError: an error that nobody reads does not keep the process.
func TestStalledLogAndError(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fillPipe(t, w)
	cmd := command(t.TempDir(), "record", "--listen", "127.0.0.1:99999")
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(patience):
		cmd.Process.Kill()
		t.Fatal("it does not end")
	}
}

// fillPipe writes to a pipe until it takes no more.
func fillPipe(t *testing.T, w *os.File) {
	t.Helper()
	w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for {
		if _, err := w.Write(make([]byte, 4<<10)); err != nil {
			break
		}
	}
	w.SetWriteDeadline(time.Time{})
}

// TestQuiet: no line for a capture, in either form; warnings stay. The lines for machines have all
// fields otherwise, and a file gets no colours.
func TestQuiet(t *testing.T) {
	site := newSite(t)
	for _, c := range []struct {
		args []string
		want string // of the capture
	}{
		{nil, `"message":"capture"`},
		{[]string{"--quiet"}, ""},
		{[]string{"--log", "text"}, "\n200 "},
		{[]string{"--log", "text", "--quiet"}, ""},
		{[]string{"--log", "text", "--verbose"}, "offset="},
	} {
		path := filepath.Join(t.TempDir(), "log")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		p := recordUnread(t, file, c.args...)
		file.Close()
		p.fetch(site.plain.URL + "/text/1/1000")
		p.fetch("http://127.0.0.1:1/")
		p.stop()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log := string(b)
		if got := strings.Contains(log, "/text/1/1000"); got != (c.want != "") ||
			!strings.Contains(log, c.want) {
			t.Errorf("%v: %s", c.args, log)
		}
		if !strings.Contains(log, "no answer") || strings.Contains(log, "\x1b") {
			t.Errorf("%v: %s", c.args, log)
		}
	}
}
