package proxy

import (
	"io"
	"net"
	"strings"
	"testing"
)

// TestEmptyLinesInPieces: empty lines before a head are passed over, also when they come byte by
// byte.
func TestEmptyLinesInPieces(t *testing.T) {
	const head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	var w wire
	rest := "\r\n\n\r\n\r\n" + head
	got, err := w.head(1<<10, func() error {
		w.unread([]byte(rest[:1]))
		rest = rest[1:]
		return nil
	})
	if err != nil || string(got) != head {
		t.Errorf("%q, %v", got, err)
	}
}

// TestWatchOutlivesOldDeadlines: the deadline of the last read is not the watcher's.
func TestWatchOutlivesOldDeadlines(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetReadDeadline(longAgo)
	w := wire{conn: conn}
	gone := make(chan struct{})
	w.watch(func(error) { close(gone) })
	io.WriteString(client, strings.Repeat("pipelined", 1000)) // more than one read
	client.Close()
	wantSoon(t, "the watcher notices", gone)
	w.unwatch()
	if w.buffered() != 9000 || w.err != io.EOF {
		t.Errorf("%d bytes are kept, %v; want 9000 and EOF", w.buffered(), w.err)
	}
}
