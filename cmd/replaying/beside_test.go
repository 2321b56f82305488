package replaying

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestBesideWithoutAnswer: a request has no answer because its client has gone, or because its body
// broke off, or because the recorder ended one connection: in none of these has the recorder ended.
func TestBesideWithoutAnswer(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	b := &beside{door: &Doorway{Address: ln.Addr().String()}, ended: make(chan struct{})}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		conn.Read(make([]byte, 1))
		cancel() // the client goes while it waits
		io.Copy(io.Discard, conn)
		conn.Close()
	}()
	_, _, err = b.Answer(ctx, "POST", "http://a/", []byte(head), strings.NewReader("123456789"))
	if !errors.Is(err, context.Canceled) || isOver(err) {
		t.Errorf("the client has gone: %v", err)
	}

	body := &again{from: io.MultiReader(strings.NewReader("12"), iotest.ErrReader(io.ErrUnexpectedEOF))}
	_, _, err = b.Answer(t.Context(), "POST", "http://a/", []byte(head), body)
	if !isBrokenOff(err) || isOver(err) {
		t.Errorf("the body broke off: %v", err)
	}

	d, _ := door(t, "") // which goes on listening
	b.door = d
	gone, leave := context.WithTimeout(t.Context(), time.Second)
	defer leave()
	_, _, err = b.Answer(gone, "GET", "http://a/", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), nil)
	if err == nil || isOver(err) {
		t.Errorf("the connection ended alone: %v", err)
	}
	close(b.ended)
	_, _, err = b.Answer(t.Context(), "GET", "http://a/", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), nil)
	if !isOver(err) {
		t.Errorf("the recorder has ended: %v", err)
	}
}

// TestBesideKilledInTheMiddle: the end of a connection is that of an answer which says so, unless the
// recorder was killed.
func TestBesideKilledInTheMiddle(t *testing.T) {
	const head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, c := range map[string]struct {
		listens, final bool
		cut            bool
	}{
		"goes on":          {listens: true},
		"ends as it ought": {final: true},
		"was killed":       {cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			b := &beside{door: &Doorway{Address: ln.Addr().String()}, ended: make(chan struct{})}
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					t.Error(err)
				}
				io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\npart")
				if !c.listens {
					b.final = c.final
					close(b.ended)
					ln.Close()
				}
				conn.Close()
			}()
			_, rest, err := b.Answer(t.Context(), "GET", "http://a/", []byte(head), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer rest.Close()
			body, err := io.ReadAll(rest)
			if string(body) != "part" || errors.Is(err, errShut) != c.cut || err != nil != c.cut {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

// TestGoneTwice: what is in flight when the recorder ends that was to fetch may find another one,
// which ends as well.
func TestGoneTwice(t *testing.T) {
	s := New(Config{Options: Options{Fallback: true}})
	for range 2 {
		b := &beside{door: &Doorway{}, told: io.NopCloser(strings.NewReader("")), final: true}
		s.beside = b
		s.leaveBeside(b)
	}
	<-s.Gone()
}

// TestBesideKilled: of a recorder that ends without a last word the report has what became of requests
// until a moment before.
func TestBesideKilled(t *testing.T) {
	had := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == ReportPath {
			io.WriteString(w, `{"answered": 7}`)
			defer func() { had <- true }()
		}
	}))
	b := &beside{door: &Doorway{Address: server.Listener.Addr().String()}, ended: make(chan struct{}),
		told: io.NopCloser(strings.NewReader(""))}
	followed := make(chan bool)
	go func() { b.follow(); close(followed) }()
	_, rest, err := b.Answer(t.Context(), "GET", "http://a/", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	rest.Close()
	<-had // though nobody has asked for it
	server.Close()
	close(b.ended)
	<-followed
	if report := b.close(); report.Answered != 7 {
		t.Errorf("%+v", report)
	}
}
