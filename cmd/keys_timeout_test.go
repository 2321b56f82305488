package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// timeoutKeys say how long each step may take. By default each of them takes so much longer that what
// is slow here comes to its end.
func timeoutKeys() []keyRow {
	return []keyRow{
		{key: "timeout-header", shows: showTimeoutHeader},
		{key: "timeout-connect", shows: showTimeoutConnect},
		{key: "timeout-tls", shows: showTimeoutTLS},
		{key: "timeout-first-byte", shows: showTimeoutFirstByte},
		{key: "timeout-idle", shows: showTimeoutIdle},
		{key: "timeout-total", shows: showTimeoutTotal},
	}
}

const (
	shortTime = 1500 * time.Millisecond
	aShort    = ": 1500ms"
)

// slowly lets do begin something, which ends by itself, but not before shortTime.
func slowly(t *testing.T, do func() string) (got string) {
	t.Helper()
	began := time.Now()
	if got = do(); time.Since(began) < shortTime {
		t.Errorf("it ends after %v: %.300q", time.Since(began), got)
	}
	return got
}

// silent makes an origin that speaks as a script says, and then waits for the end of its connection.
func silent(t *testing.T, script func(net.Conn)) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			running.Go(func() { script(conn); io.Copy(io.Discard, conn); conn.Close() })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, conn := range conns {
			conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return ln.Addr().String()
}

func showTimeoutHeader(t *testing.T, b *keyBench) {
	const head = "GET http://a.invalid/ HTTP/1.1\r\nHost: a\r\n"
	r := b.record(t, "timeout: {header"+aShort+"}")
	got := slowly(t, func() string { return restOf(t, dialed(t, r.address, head)) })
	if !strings.HasPrefix(got, "HTTP/1.1 408 ") || !strings.Contains(got, "timeout-header") {
		t.Errorf("%q", got)
	}
	waits := dialed(t, b.plain.address, "GET "+b.pages.URL+"/slow HTTP/1.1\r\nHost: a\r\n")
	slowly(t, func() string { return restOf(t, dialed(t, r.address, head)) }) // meanwhile
	io.WriteString(waits, "Connection: close\r\n\r\n")
	if got := restOf(t, waits); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("by default: %q", got)
	}
}

func showTimeoutTLS(t *testing.T, b *keyBench) {
	r := b.record(t, "timeout: {tls"+aShort+"}\ninsecure-upstream: true")
	origin := silent(t, func(net.Conn) {})
	var got came
	slowly(t, func() string { got = r.fetch("https://" + origin + "/"); return got.body })
	got.wants(t, 504, "timeout-tls")
	if got := slowly(t, func() string { return restOf(t, halfHello(t, r, origin)) }); len(got) > 100 {
		t.Errorf("a client whose handshake stops gets %q", got)
	}
	waits := halfHello(t, b.plain, origin)
	slowly(t, func() string { return restOf(t, halfHello(t, r, origin)) }) // meanwhile
	waits.SetReadDeadline(time.Now().Add(time.Millisecond))
	if n, err := waits.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("by default: %d %v", n, err)
	}
}

// halfHello is a client that begins a handshake in a tunnel, and says no more.
func halfHello(t *testing.T, r *keyed, origin string) net.Conn {
	t.Helper()
	conn := dialed(t, r.address, "CONNECT "+origin+" HTTP/1.1\r\nHost: a\r\n\r\n")
	in := bufio.NewReaderSize(conn, 16) // behind the head nothing comes
	answer, err := http.ReadResponse(in, &http.Request{Method: "CONNECT"})
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%+v %v", answer, err)
	}
	io.WriteString(conn, "\x16\x03\x01\x02\x00\x01")
	return conn
}

func showTimeoutFirstByte(t *testing.T, b *keyBench) {
	origin, asked, release := heldOrigin(t, "at last")
	r := b.record(t, "timeout: {first-byte"+aShort+"}")
	byDefault := make(chan came, 1)
	go func() { byDefault <- b.plain.fetch(origin) }()
	await(t, asked, "the origin is asked")
	var got came
	slowly(t, func() string { got = r.fetch(origin); return got.body })
	got.wants(t, 504, "timeout-first-byte")
	release()
	await(t, byDefault, "an answer").wants(t, 200, "at last")
}

func showTimeoutIdle(t *testing.T, b *keyBench) {
	f := newFilms(t)
	r := b.record(t, "timeout: {idle"+aShort+"}\ncomplete: never")
	byDefault := make(chan came, 1)
	go func() { byDefault <- b.plain.fetch(f.URL + "/half/a.json") }()
	await(t, f.asked, "the origin is asked")
	target := f.URL + "/half/b.json"
	slowly(t, func() string {
		got := r.fetch(target)
		if got.err == nil || len(got.body) != halfSize {
			t.Errorf("%d bytes, %v", len(got.body), got.err)
		}
		return ""
	})
	r.captured(t, target)
	if got := r.records(t, "response", target); len(got) != 1 || !strings.Contains(got[0],
		"WARC-Truncated: time") {
		t.Errorf("%.1000q", got)
	}
	post := "POST " + b.pages.URL + " HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nfirst"
	got := slowly(t, func() string { return restOf(t, dialed(t, r.address, post)) })
	if !strings.Contains(got, "timeout-idle") {
		t.Errorf("%q", got)
	}
	between := "GET " + b.pages.URL + " HTTP/1.1\r\nHost: a\r\n\r\n" // and no other request
	slowly(t, func() string { return restOf(t, dialed(t, r.address, between)) })
	f.release()
	if got := await(t, byDefault, "an answer"); got.err != nil || len(got.body) != longSize {
		t.Errorf("by default: %d bytes, %v", len(got.body), got.err)
	}
}

func showTimeoutTotal(t *testing.T, b *keyBench) {
	f := newFilms(t)
	r := b.record(t, "timeout: {total"+aShort+"}\ncomplete: never")
	request := fmt.Sprintf("GET %s/drip/a.json HTTP/1.1\r\nHost: a\r\n\r\n", f.URL)
	byDefault := dialed(t, b.plain.address, request)
	await(t, f.asked, "the origin is asked")
	target := f.URL + "/drip/b.json" // never idle
	slowly(t, func() string { r.fetch(target); return "" })
	r.captured(t, target)
	if got := r.records(t, "response", target); len(got) != 1 || !strings.Contains(got[0],
		"WARC-Truncated: time") {
		t.Errorf("%.1000q", got)
	}
	for range 10 { // goes on
		if _, err := io.ReadFull(byDefault, make([]byte, halfSize/10+1)); err != nil {
			t.Fatal(err)
		}
	}
}
