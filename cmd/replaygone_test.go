//go:build unix

package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestReplayClientsGo: a client that goes before it has its answer, or in the middle of its body, ends
// its own request alone: the replay goes on, by the files, by a recorder and with what is fetched, and
// nothing is taken for a fault of the archive.
func TestReplayClientsGo(t *testing.T) {
	came, goes := make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			came <- true
			<-goes
		}
		io.WriteString(w, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(goes) })
	rec := startRecording(t)
	rec.fetch(server.URL + "/a")

	half := func(p *program) {
		conn := p.send("POST " + server.URL + "/a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn)
		conn.Close()
	}
	goesOn := func(p *program) {
		t.Helper()
		if status := p.statusOf(server.URL + "/a"); status != 200 {
			t.Errorf("status %d", status)
		}
		if code := p.stop(); code != 0 || strings.Contains(p.stderr.String(), "does not record") {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	}
	p := startReplay(t, rec.dir)
	half(p)
	goesOn(p)

	p = startReplay(t, rec.dir, "--fallback", "live")
	conn := p.send(fmt.Sprintf("GET %s/slow HTTP/1.1\r\nHost: a\r\n\r\n", server.URL))
	<-came
	conn.Close()
	eventually(t, "the request has ended", func() bool {
		return strings.Contains(p.page("/status"), `"inFlight": 0,`)
	})
	half(p)
	goesOn(p)

	rec.stop()
	p = startReplay(t, rec.dir)
	half(p)
	goesOn(p)
}

// send sends a request through it.
func (p *program) send(request string) net.Conn {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, request)
	return conn
}
