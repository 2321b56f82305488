package replaying

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// door is a listener that answers each request in the same way. It gives what it was sent.
func door(t *testing.T, answer string) (d *Doorway, sent chan string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	sent = make(chan string, 10)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			head := ""
			for in := bufio.NewReader(conn); !strings.HasSuffix(head, "\r\n\r\n"); {
				line, err := in.ReadString('\n')
				if head += line; err != nil {
					break
				}
			}
			sent <- head
			io.WriteString(conn, answer)
			conn.Close()
		}
	}()
	return &Doorway{Address: ln.Addr().String(), User: "user", Password: "pass"}, sent
}

// TestForward: a request goes on as a proxy gets it, with the credential of who sends it on in the
// place of its own, and all else as it was; interim answers are not the answer.
func TestForward(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nx-Odd:  as sent\r\n\r\n"
	d, sent := door(t, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"+answer+"the rest")
	head := []byte("GET /path HTTP/1.1\r\nhost: a.test\r\nproxy-authorization: Basic\r\n bXk6b3du\r\nX:  1\r\n\r\n")
	got, rest, err := d.ask(t.Context(), "https://a.test/path", head, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	body, err := io.ReadAll(rest)
	if string(got) != answer || string(body) != "the rest" || err != nil {
		t.Errorf("%q, %q, %v", got, body, err)
	}
	want := "GET https://a.test/path HTTP/1.1\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n" +
		"host: a.test\r\nX:  1\r\n\r\n"
	if is := <-sent; is != want {
		t.Errorf("sent\n%q, want\n%q", is, want)
	}
}

// TestForwardShut: whoever ends before a head is whole has not answered, and who is not there neither;
// a head without an end is none, in bounded memory.
func TestForwardShut(t *testing.T) {
	head := []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, answer := range map[string]string{
		"nothing":        "",
		"half":           "HTTP/1.1 200 OK\r\nX: 1\r\n",
		"no line ends":   strings.Repeat("x", 3*maxAnswer),
		"endless fields": strings.Repeat("X: 1\r\n", maxAnswer/2),
		"endless 1xx":    strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", maxAnswer/10),
	} {
		d, _ := door(t, answer)
		got, rest, err := d.ask(t.Context(), "http://a/", head, nil)
		if !errors.Is(err, errShut) || got != nil || rest != nil {
			t.Errorf("%s: %.50q, %v", name, got, err)
		}
	}
	runtime.ReadMemStats(&after)
	if more := after.TotalAlloc - before.TotalAlloc; more > 40*maxAnswer {
		t.Errorf("%d bytes for heads of %d", more, maxAnswer)
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	d := &Doorway{Address: gone.Addr().String()}
	if _, _, err := d.ask(t.Context(), "http://a/", head, nil); !errors.Is(err, errShut) {
		t.Error(err)
	}
}

// TestForwardStream: what comes is passed on as it comes, and not only when there is much of it; and
// it ends when nobody waits for it any more.
func TestForwardStream(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	more := make(chan string)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for text := range more {
			io.WriteString(conn, text)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	d := &Doorway{Address: ln.Addr().String()}
	go func() { more <- "HTTP/1.1 200 OK\r\n\r\n" }()
	_, rest, err := d.ask(ctx, "http://a/", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	for _, text := range []string{"one", "two"} {
		go func() { more <- text }()
		got, nothing := "", 0
		for b := make([]byte, 10); len(got) < len(text); {
			n, err := rest.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			if got += string(b[:n]); n == 0 {
				nothing++
			}
		}
		if got != text || nothing == 0 {
			t.Errorf("%q, and %d times it said that it waits", got, nothing)
		}
	}
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := io.Copy(io.Discard, rest); err == nil {
		t.Error("nobody waits, and it has come to its end")
	}
	close(more)
}

// TestForwardCut: what the recorder resets was cut.
func TestForwardCut(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	read := make(chan bool)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\nhalf")
		<-read
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}()
	d := &Doorway{Address: ln.Addr().String()}
	_, rest, err := d.ask(t.Context(), "http://a/", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	got := make([]byte, 4)
	_, err = io.ReadFull(rest, got)
	close(read)
	if err == nil {
		_, err = io.Copy(io.Discard, rest)
	}
	if string(got) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAgain: a body is the same when it is read once more, as often as one likes, and one that is too
// long for that says so.
func TestAgain(t *testing.T) {
	text := strings.Repeat("0123456789", maxAgain/10)
	a := &again{from: strings.NewReader(text)}
	for _, n := range []int{0, 100, 70_000, len(text)} {
		got, err := io.ReadAll(io.LimitReader(a, int64(n)))
		if err != nil || string(got) != text[:n] {
			t.Errorf("the first %d bytes: %d, %v", n, len(got), err)
		}
		if !a.rewind() {
			t.Fatalf("%d bytes cannot be read again", n)
		}
	}
	long := &again{from: io.MultiReader(strings.NewReader(text), strings.NewReader("0123456789"))}
	if got, err := io.ReadAll(long); err != nil || len(got) != len(text)+10 || long.rewind() {
		t.Errorf("%d bytes, %v, and it can be read again", len(got), err)
	}
	cut := &again{from: iotest.ErrReader(io.ErrUnexpectedEOF)}
	if _, err := io.ReadAll(cut); !errors.Is(err, io.ErrUnexpectedEOF) || !isBrokenOff(err) {
		t.Errorf("a body that breaks off: %v", err)
	}
	if !(*again)(nil).rewind() {
		t.Error("no body cannot be read again")
	}
}
