package replaying

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/store/collection"
)

// TestAskingHoldsNobodyUp: while a recorder does not say whether it replays, whoever waits for that can
// leave, and what needs no recorder has its answer. One that says so when nobody replays any more is
// left at once.
func TestAskingHoldsNobodyUp(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	asked := make(chan net.Conn)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			asked <- conn
		}
	}()
	dir := collection.Dir(t.TempDir())
	if err := dir.Announce(collection.Running{PID: os.Getpid(), Addresses: []string{ln.Addr().String()},
		Started: time.Now()}, 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Dir: dir, Options: Options{Fallback: true}, Patience: time.Minute,
		Say: func(text string) { t.Error(text) }})
	answered := make(chan error)
	ask := func(ctx context.Context) {
		go func() {
			_, _, err := s.Answer(ctx, "GET", "http://a/", []byte("GET / HTTP/1.1\r\n\r\n"), nil)
			answered <- err
		}()
	}
	first, leave := context.WithCancel(t.Context())
	ask(first)
	recorder := <-asked
	defer recorder.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	ask(gone)
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone: %v", err)
	}
	if s.Recorder() != 0 || s.Report().Answered != 0 || s.Failures().Number != 0 {
		t.Error("somebody has answered")
	}
	leave()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves: %v", err)
	}
	s.Close()
	io.WriteString(recorder, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+
		`{"address": "127.0.0.1:1", "user": "u", "password": "p"}`+"\n")
	recorder.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.Copy(io.Discard, recorder); err != nil {
		t.Errorf("the recorder still replays: %v", err)
	}
}

// TestMadeOnce: a recorder that was to fetch what is missing ends without an answer. What changes
// something is not sent again, since it may have been done; all else is, as is what never went out, or
// would not have gone further.
func TestMadeOnce(t *testing.T) {
	const nothing = ""
	for _, c := range []struct {
		method         string
		live, gone, is bool
	}{
		{"POST", true, false, false}, {"PATCH", true, false, false}, {"BREW", true, false, false},
		{"GET", true, false, true}, {"PUT", true, false, true}, {"DELETE", true, false, true},
		{"POST", false, false, true}, {"POST", true, true, true},
	} {
		d, sent := door(t, nothing)
		if c.gone {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			d.Address = ln.Addr().String()
			ln.Close()
		}
		locked := errors.New("nobody answers")
		s := New(Config{Dir: collection.Dir(t.TempDir()), Options: Options{Fallback: c.live},
			Patience: time.Nanosecond, Say: func(string) {}, Locked: func() error { return locked },
			Wrong: func(err error) error { return err }})
		s.beside = &beside{door: d, told: io.NopCloser(strings.NewReader("")), final: true,
			ended: make(chan struct{})}
		if !c.gone {
			go func(b *beside) { <-sent; close(b.ended) }(s.beside)
		}
		head := c.method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
		_, _, err := s.Answer(t.Context(), c.method, "http://a/", []byte(head), strings.NewReader("abc"))
		if again := errors.Is(err, locked); again != c.is {
			t.Errorf("%s, fetched %v, never sent %v: %v", c.method, c.live, c.gone, err)
		}
	}
}

// TestAskedAgain: a client has its answer from whoever records next, if a recorder ends while it is
// asked to replay.
func TestAskedAgain(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	d, _ := door(t, answer)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	told, err := json.Marshal(Opened(d.Address, d.User, d.Password))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for _, say := range []string{"", "", "HTTP/1.1 200 OK\r\n\r\n" + string(told)} {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
				t.Error(err)
			}
			if io.WriteString(conn, say); say == "" {
				conn.Close()
			}
		}
	}()
	dir := collection.Dir(t.TempDir())
	if err := dir.Announce(collection.Running{PID: os.Getpid(), Addresses: []string{ln.Addr().String()},
		Started: time.Now()}, 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Dir: dir, Options: Options{Fallback: true}, Patience: time.Minute,
		Say: func(string) {}, Wrong: func(err error) error { return err }})
	defer s.Close()
	got, rest, err := s.Answer(t.Context(), "GET", "http://a/", []byte("GET / HTTP/1.1\r\n\r\n"), nil)
	if err != nil || string(got) != answer || s.Failures().Number != 0 {
		t.Fatalf("%q, %v, and failures: %v", got, err, s.Failures())
	}
	rest.Close()
}
