package cdxserver

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	short  = 50 * time.Millisecond
	longer = 500 * time.Millisecond // in which one who answers does so, also on a machine that is busy
)

// listener takes connections, and hands them to serve.
func listener(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			go serve(conn)
		}
	}()
	return ln.Addr().String()
}

// TestSilent: a recorder that takes the connection and says nothing is an error, and not a wait
// without end.
func TestSilent(t *testing.T) {
	address := listener(t, func(net.Conn) {})
	recorder := Recorder{PID: 1, Address: address, Patience: short}
	if _, err := recorder.ask(http.MethodGet, "/gaps", url.Values{}); !errors.Is(err, ErrSilent) {
		t.Errorf("got %v", err)
	}
}

// TestSilentInTheMiddle: so is one that has begun to answer, and answers nothing else.
func TestSilentInTheMiddle(t *testing.T) {
	first := make(chan bool, 1)
	first <- true
	address := listener(t, func(conn net.Conn) {
		select {
		case <-first:
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
				t.Error(err)
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
		default:
		}
	})
	res, err := (Recorder{PID: 1, Address: address, Patience: longer}).ask(http.MethodGet, "/export", url.Values{})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "part" || !errors.Is(err, ErrSilent) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestSlowAnswer: an answer may take longer than that, while the recorder answers other questions.
func TestSlowAnswer(t *testing.T) {
	asked := make(chan bool, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/status" {
			asked <- true
			return
		}
		http.NewResponseController(w).Flush()
		for range 3 { // as long as the recorder has been asked so often whether it is there
			<-asked
		}
		io.WriteString(w, "lines")
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	res, err := (Recorder{PID: 1, Address: address, Patience: longer}).ask(http.MethodGet, "/export", url.Values{})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "lines" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestReachable: whoever listens on all addresses is asked at one that each machine has; others where
// they listen.
func TestReachable(t *testing.T) {
	for _, on := range []string{"0.0.0.0:0", "[::]:0", "127.0.0.1:0"} {
		ln, err := net.Listen("tcp", on)
		if err != nil && on == "[::]:0" {
			continue // no IPv6 here
		}
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		at := reachable(ln.Addr().String())
		if host, _, _ := net.SplitHostPort(at); host != "127.0.0.1" {
			t.Errorf("who listens on %s is asked at %s", on, at)
		}
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Errorf("who listens on %s does not answer at %s: %v", on, at, err)
			continue
		}
		conn.Close()
	}
	for _, elsewhere := range []string{"192.0.2.7:8080", "[2001:db8::7]:8080"} {
		if at := reachable(elsewhere); at != elsewhere {
			t.Errorf("who listens on %s is asked at %s", elsewhere, at)
		}
	}
}

// TestReplayCut: a recorder that ends while it is asked to replay, be it killed or not, is nobody any
// more, however the connection tells so, as is what is no recorder. One that refuses is somebody.
func TestReplayCut(t *testing.T) {
	const reads, resets = 1, 2
	for name, c := range map[string]struct {
		does   int
		says   string
		nobody bool
	}{
		"ends at once":         {0, "", true},
		"resets at once":       {resets, "", true},
		"ends":                 {reads, "", true},
		"resets":               {reads | resets, "", true},
		"ends in a line":       {reads, "HTTP/1.1 2", true},
		"ends in its head":     {reads, "HTTP/1.1 200 OK\r\nContent-", true},
		"resets in its head":   {reads | resets, "HTTP/1.1 200 OK\r\n", true},
		"is no recorder":       {reads, "SSH-2.0-x\r\n", true},
		"says that it is over": {reads, "HTTP/1.1 503 Ends\r\nContent-Length: 0\r\n\r\n", true},
		"refuses":              {reads, "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n", false},
		"is older":             {reads, "HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			address := listener(t, func(conn net.Conn) {
				if c.does&reads != 0 {
					request, err := http.ReadRequest(bufio.NewReader(conn))
					if err != nil {
						t.Error(err)
						return
					}
					io.Copy(io.Discard, request.Body)
				}
				io.WriteString(conn, c.says)
				if c.does&resets != 0 {
					conn.(*net.TCPConn).SetLinger(0)
				}
				conn.Close()
			})
			_, err := (Recorder{PID: 1, Address: address}).Replay(url.Values{"at": {"2026"}})
			if err == nil || errors.Is(err, ErrNobody) != c.nobody {
				t.Errorf("got %v", err)
			}
		})
	}
}
