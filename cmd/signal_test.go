package cmd

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
)

// TestSecondSignal ends at once what the first one lets finish.
func TestSecondSignal(t *testing.T) {
	asked := make(chan struct{})
	release := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	defer origin.Close()
	defer close(release)
	p := startRecording(t, "--shutdown-timeout", "1h")
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s/ HTTP/1.1\r\nHost: a\r\n\r\n", origin.URL)
	<-asked
	p.cmd.Process.Signal(syscall.SIGTERM)
	for { // the first signal has been taken when it accepts no longer
		probe, err := net.Dial("tcp", p.address)
		if err != nil {
			break
		}
		probe.Close()
	}
	if code := p.stop(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}
