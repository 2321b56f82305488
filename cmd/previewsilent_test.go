package cmd

import (
	"net"
	"net/http"
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
