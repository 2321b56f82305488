package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSilentConns: who connects to where images are shown, and says nothing, makes room for who comes
// later; who is being answered stays.
func TestSilentConns(t *testing.T) {
	s := &silentConns{}
	var ours, theirs []net.Conn
	for range mostSilent + 3 {
		here, there := net.Pipe()
		defer there.Close()
		ours, theirs = append(ours, here), append(theirs, there)
	}
	isOpen := func(i int) bool {
		theirs[i].SetReadDeadline(time.Unix(1, 0)) // a timeout, or the end if there is one
		_, err := theirs[i].Read(make([]byte, 1))
		timeout, is := err.(net.Error)
		return is && timeout.Timeout()
	}
	s.state(ours[0], http.StateNew)
	s.state(ours[0], http.StateActive)
	for _, conn := range ours[1:] {
		s.state(conn, http.StateNew)
	}
	for i, want := range []bool{true, false, false, true} {
		if got := isOpen(i); got != want {
			t.Errorf("connection %d: open is %v", i, got)
		}
	}
	s.state(ours[0], http.StateIdle) // one more that is silent
	if isOpen(3) || !isOpen(0) || !isOpen(len(ours)-1) {
		t.Error("another than the oldest has gone")
	}
	for _, conn := range ours {
		s.state(conn, http.StateClosed)
	}
	if len(s.at) != 0 || s.all.Len() != 0 {
		t.Errorf("%d are still known", len(s.at))
	}
}

// TestPreviewBodies: bodies that never come hold no place where images are shown: as many connections
// as there are places ask with one, and the next is answered.
func TestPreviewBodies(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := previewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, gif) }))
	state, active := server.ConnState, make(chan bool, mostPreviewers+1)
	server.ConnState = func(conn net.Conn, is http.ConnState) {
		if state(conn, is); is == http.StateActive {
			active <- true
		}
	}
	p := &aside{ln: ln}
	p.start(server, mostPreviewers)
	t.Cleanup(func() { p.close() })
	ask := func(head string) net.Conn {
		conn, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "%s\r\nHost: localhost\r\n\r\n", head)
		return conn
	}
	for i := range mostPreviewers {
		ask("POST / HTTP/1.1\r\n" + [...]string{"Content-Length: 1000", "Transfer-Encoding: chunked"}[i%2])
		<-active // so that it has not to go as one that is silent
	}
	conn := ask("GET / HTTP/1.0")
	conn.SetReadDeadline(time.Now().Add(10 * servedBody))
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.0 200 ") || !strings.HasSuffix(string(answer), gif) {
		t.Errorf("%v %q", err, answer)
	}
}
