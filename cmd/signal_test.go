package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inFlight starts a recording with an exchange in flight, which ends when release is closed.
func inFlight(t *testing.T) (p *program, client net.Conn, release chan struct{}) {
	t.Helper()
	asked := make(chan struct{})
	release = make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	t.Cleanup(origin.Close)
	p = startRecording(t, "--shutdown-timeout", "1h")
	client, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	fmt.Fprintf(client, "GET %s/ HTTP/1.1\r\nHost: a\r\n\r\n", origin.URL)
	<-asked
	return p, client, release
}

// untilClosing waits until the program accepts no longer: a signal has been taken.
func (p *program) untilClosing() {
	for {
		probe, err := net.Dial("tcp", p.address)
		if err != nil {
			return
		}
		probe.Close()
	}
}

// TestSecondSignal ends at once what the first one lets finish.
func TestSecondSignal(t *testing.T) {
	p, _, release := inFlight(t)
	defer close(release)
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.untilClosing()
	again := time.NewTicker(10 * time.Millisecond) // one that comes too soon is the same
	defer again.Stop()
	for {
		select {
		case <-again.C:
			p.cmd.Process.Signal(syscall.SIGTERM)
			continue
		case <-p.ended:
		}
		break
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// TestSameSignal: a signal that comes twice, as timeout(1) sends it, lets what is in flight finish.
func TestSameSignal(t *testing.T) {
	p, client, release := inFlight(t)
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.cmd.Process.Signal(syscall.SIGINT) // two of one kind may be one
	p.untilClosing()
	close(release)
	answer, err := io.ReadAll(client)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
		t.Errorf("%q, %v", answer, err)
	}
	<-p.ended
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0: %s", code, p.stderr)
	}
}
