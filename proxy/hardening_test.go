package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// Each test here is something that once went wrong.

// wantSoon fails if c is not closed in a time that is long for what it waits for.
func wantSoon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(8 * time.Second):
		t.Errorf("%s: not within 8 s", what)
	}
}

// endless sends a body until the connection ends.
func (p *peer) endless() {
	piece := strings.Repeat("x", 1<<16)
	for {
		if _, err := io.WriteString(p.conn, piece); err != nil {
			return
		}
	}
}

// TestNetHTTPKeepsNoConnection: it answers OPTIONS * by itself; what follows must not reach
// goproxy's own fetching.
func TestNetHTTPKeepsNoConnection(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(7)); o.readAll() })
	client := h.dial()
	client.send(
		text("OPTIONS * HTTP/1.1", "Host: a") + text(
			"GET http://"+o.address+"/unrecorded HTTP/1.1",
			"Host: a",
		),
	)
	client.readAll()
	if n := len(o.connections()); n != 0 {
		t.Errorf("the origin was asked %d times, unrecorded", n)
	}
}

// TestAuthenticatedConnectionStaysBound although later requests of its client carry no credentials.
func TestAuthenticatedConnectionStaysBound(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) {
			for o.readHead() != "" {
				o.send(numbered(1))
			}
		})
		a, prefix := h.to(o, secure)
		b, _ := h.to(o, secure)
		ask := func(p *peer, fields ...string) {
			p.send(text(append([]string{"GET " + prefix + "/ HTTP/1.1", "Host: a"}, fields...)...))
			p.readN(len(numbered(1)))
		}
		ask(a, "Authorization: NTLM TlRM") // authenticates the connection
		ask(a)
		ask(a) // now the connection of the second request has been kept
		ask(b, "X-Who: b")
		if strings.Contains(o.connections()[0].seen.String(), "X-Who: b") {
			t.Error("client b's request went over client a's authenticated connection")
		}
	})
}

// TestNothingUnaskedIsAnAnswer: what an origin sends beyond its response, in the same segment but a
// TLS record of its own, must not answer the next request on a kept connection.
func TestNothingUnaskedIsAnAnswer(t *testing.T) {
	poison := text("HTTP/1.1 200 OK", "Content-Length: 6") + "poison"
	for name, c := range map[string]struct{ method, first string }{
		"GET":  {"GET", numbered(1)},
		"HEAD": {"HEAD", text("HTTP/1.1 200 OK", "Content-Length: 45")},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, config())
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go func() {
				for first := true; ; first = false {
					raw, err := ln.Accept()
					if err != nil {
						return
					}
					go func() {
						defer raw.Close()
						gathered := &gather{Conn: raw}
						p := newPeer(t,
							tls.Server(gathered, &tls.Config{Certificates: []tls.Certificate{originCertificate()}}))
						p.readHead()
						if first {
							gathered.hold = true
							p.send(c.first)
							p.send(poison)
							gathered.flush()
							p.readHead()
						}
						p.send(numbered(2))
						p.readAll()
					}()
				}
			}()
			a, b := h.tunnel(ln.Addr().String(), true), h.tunnel(ln.Addr().String(), true)
			a.send(text(c.method+" /a HTTP/1.1", "Host: a"))
			a.readUntil(len(c.first))
			h.untilIdle(1)
			b.send(text("GET /b HTTP/1.1", "Host: b"))
			if got := b.readN(len(numbered(2))); got != numbered(2) {
				t.Errorf("client b asked for /b and got %q", got)
			}
		})
	}
}

// gather holds back what is written, to send it in one piece.
type gather struct {
	net.Conn
	hold bool
	b    []byte
}

func (g *gather) Write(p []byte) (int, error) {
	if g.hold {
		g.b = append(g.b, p...)
		return len(p), nil
	}
	return g.Conn.Write(p)
}

func (g *gather) flush() {
	g.hold = false
	g.Conn.Write(g.b)
}

func TestClientLeavesAfterItsUpload(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		got, ended := make(chan struct{}), make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.readN(200_000)
			close(got)
			o.readAll()
			close(ended)
		})
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 200000"))
		client.send(strings.Repeat("x", 200_000))
		<-got
		client.conn.Close()
		wantSoon(t, "the fetch is stopped", ended)
	})
}

// TestClientLeavesWhileConnecting: the request is never sent.
func TestClientLeavesWhileConnecting(t *testing.T) {
	h := newHouse(t, config())
	connected, release := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, false, func(o *peer) { // speaks no TLS until the client is gone
		close(connected)
		o.in.ReadByte()
		<-release
	})
	client := h.dial()
	client.send(text("DELETE https://"+o.address+"/ HTTP/1.1", "Host: a"))
	<-connected
	client.conn.Close()
	defer close(release)
	for deadline := time.Now().Add(8 * time.Second); !strings.Contains(h.log.String(), "canceled"); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("the handshake goes on:\n%s", h.log)
		}
	}
}

// takeAway makes the archive impossible to write.
func (h *house) takeAway() {
	archive := filepath.Join(h.dir, "archive")
	if err := errors.Join(os.Rename(archive, archive+".away"), os.WriteFile(archive, nil, 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

// TestShutdownOnABrokenDisk: it ends although the queue is full and cannot be written.
func TestShutdownOnABrokenDisk(t *testing.T) {
	recording := recorderConfig
	recording.QueueSize = 10_000
	h := newHouseOn(t, config(), recording, "127.0.0.1:0")
	release := make(chan struct{})
	o := newOrigin(t, false,
		func(o *peer) { o.readHead(); <-release; o.send(numbered(1)); o.readAll() })
	var clients []*peer
	for range 20 {
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		clients = append(clients, client)
	}
	for len(o.connections()) < len(clients) {
		runtime.Gosched()
	}
	h.takeAway()
	close(release)
	for _, client := range clients {
		client.readHead()
	}
	ended := make(chan struct{})
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		h.proxy.Shutdown(ctx)
		close(ended)
	}()
	wantSoon(t, "shutdown", ended)
	h.once.Do(func() { <-h.served })
	if err := h.rec.Close(); err == nil || strings.Count(h.log.String(), "lost") == 0 {
		t.Errorf("what is lost is not said: %v\n%s", err, h.log)
	}
}

// TestShutdownDuringAHandshake: one that a client leaves unfinished is cut as an exchange is.
func TestShutdownDuringAHandshake(t *testing.T) {
	cfg := config()
	cfg.Timeout.TLS = time.Hour
	h := newHouse(t, cfg)
	client := h.tunnel("a.example:443", false)
	client.send("\x16\x03\x01\x02\x00\x01")
	c := h.proxy.clients
	until(t, "the handshake begins", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for s := range c.seats {
			if s.client.(*tapConn).host != "" && s.busy {
				return true
			}
		}
		return false
	})
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	go func() {
		h.proxy.Shutdown(ctx)
		close(ended)
	}()
	wantSoon(t, "shutdown", ended)
}

func TestShutdownDoesNotWaitForTunnels(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		hold := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade"))
			<-hold // says nothing and does not react to the end of the client's side
		})
		defer close(hold)
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/ws HTTP/1.1", "Host: a", "Upgrade: echo", "Connection: Upgrade"))
		client.readHead()
		ended := make(chan struct{})
		go func() {
			h.close()
			close(ended)
		}()
		wantSoon(t, "shutdown", ended)
	})
}

// TestFinishedUntilCloseIsComplete: the end of the connection is the end of the body, also when
// nobody reads it any more.
func TestFinishedUntilCloseIsComplete(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := config()
		cfg.OnClientAbort = "finish"
		h := newHouse(t, cfg)
		head := text("HTTP/1.0 200 OK")
		gone := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(head + "first")
			<-gone
			o.send(strings.Repeat("later", 100_000))
		})
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
		client.readUntil(len(head) + 5)
		client.conn.Close()
		close(gone)
		r := of(h.records(), "response")
		if len(r) != 1 || len(r[0].block) != len(head)+5+500_000 ||
			r[0].header.Get("WARC-Truncated") != "" {
			t.Errorf("%d bytes, truncated %q", len(r[0].block), r[0].header.Get("WARC-Truncated"))
		}
	})
}

// TestResetIsNoEnd: a client must not take a body that was cut off for a whole one.
func TestResetIsNoEnd(t *testing.T) {
	h := newHouse(t, config())
	seen := make(chan struct{})
	o := newOrigin(t, false, func(o *peer) {
		o.readHead()
		o.send(text("HTTP/1.1 200 OK") + "half of it")
		<-seen
		o.conn.(*net.TCPConn).SetLinger(0)
	})
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	client.readUntil(len(text("HTTP/1.1 200 OK") + "half of it"))
	close(seen)
	if _, err := client.in.ReadByte(); err == io.EOF {
		t.Error("the client sees a clean end")
	}
}

func TestTotalEndsAnUploadThatNobodyReads(t *testing.T) {
	cfg := config()
	cfg.Timeout.Total = 500 * time.Millisecond
	h := newHouse(t, cfg)
	hold := make(chan struct{})
	o := newOrigin(t, false, func(o *peer) { o.readHead(); <-hold })
	client := h.dial()
	client.send(text("POST http://"+o.address+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
	go client.endless()
	wantFault(t, client.readAll(), "504", "timeout-total")
	close(hold)
	if r := of(h.records(), "request"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "time" {
		t.Errorf("%d requests, %v", len(r), r[0].header)
	}
}

// TestWhatCannotBeKeptGets503: an upload, and a response head that is too large for memory.
func TestWhatCannotBeKeptGets503(t *testing.T) {
	cfg := config()
	cfg.MaxHeaderSize = 4 << 20
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for method, framing := range map[string]string{"POST": "Content-Length: 1000000000", "GET": "Connection: close"} {
			h := newHouse(t, cfg)
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				if method == "GET" {
					o.send(text("HTTP/1.1 200 OK", "X: "+strings.Repeat("x", 2<<20), "Content-Length: 0"))
				}
				o.readAll()
			})
			spill := filepath.Join(h.dir, "spill")
			// one that is gone would be made again
			if err := errors.Join(os.RemoveAll(spill), os.WriteFile(spill, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			client, prefix := h.to(o, secure)
			client.send(text(method+" "+prefix+"/ HTTP/1.1", "Host: a", framing))
			if method == "POST" {
				go client.endless()
			}
			wantFault(t, client.readAll(), "503", "cannot record")
			if gaps := h.gaps(); len(gaps) != 1 || gaps[0].Reason != recorder.GapWrite ||
				!strings.Contains(gaps[0].Detail, "spill") {
				t.Errorf("gaps: %v", gaps)
			}
			if err := os.Remove(spill); err != nil {
				t.Fatal(err)
			}
			h.close()
		}
	})
}

// TestTargetsInATunnel: nobody files an answer under a place that it did not come from.
func TestTargetsInATunnel(t *testing.T) {
	for _, target := range []string{
		".evil.example/", "@evil.example/", "80/x", "x?u=http://y/", "http://ADDRESS/",
		"https://evil.example/",
	} {
		t.Run(target, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, true, func(o *peer) { o.readAll() })
			client := h.tunnel(o.address, true)
			client.send(text("GET "+strings.ReplaceAll(target, "ADDRESS", o.address)+" HTTP/1.1", "Host: a"))
			wantFault(t, client.readAll(), "400", "refused")
		})
	}
	for target, want := range map[string][2]string{ // as the origin sees it, and in the record
		"*":                {"*", "https://ADDRESS/"},
		"https://ADDRESS/": {"/", "https://ADDRESS/"},
		"/http://x/":       {"/http://x/", "https://ADDRESS/http://x/"},
	} {
		t.Run(target, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, true, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
			client := h.tunnel(o.address, true)
			client.send(
				text("OPTIONS "+strings.ReplaceAll(target, "ADDRESS", o.address)+" HTTP/1.1", "Host: a"))
			client.readUntil(len(numbered(1)))
			all := h.records()
			if got := all[0].header.Get("WARC-Target-URI"); got != strings.ReplaceAll(
				want[1],
				"ADDRESS",
				o.address,
			) {
				t.Errorf("recorded as %s", got)
			}
		})
	}
}

func TestOptionsWithoutPath(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
	client := h.dial()
	client.send(text("OPTIONS http://"+o.address+" HTTP/1.1", "Host: a"))
	client.readUntil(len(numbered(1)))
	if r := of(h.records(), "request"); !strings.HasPrefix(string(r[0].block), "OPTIONS * HTTP/1.1") {
		t.Errorf("%q", r[0].block)
	}
}

// TestTotalBoundsConnecting: the origin accepts and never speaks TLS.
func TestTotalBoundsConnecting(t *testing.T) {
	cfg := config()
	cfg.Timeout.Total, cfg.Timeout.TLS = 300*time.Millisecond, time.Hour
	h := newHouse(t, cfg)
	o := newOrigin(t, false, func(o *peer) { o.readAll() })
	client := h.dial()
	client.send(text("GET https://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	wantFault(t, client.readAll(), "504", "")
}

// TestFirstByteBoundsTheWholeHead, however the origin dribbles.
func TestFirstByteBoundsTheWholeHead(t *testing.T) {
	cfg := config()
	cfg.Timeout.FirstByte = 400 * time.Millisecond
	h := newHouse(t, cfg)
	o := newOrigin(t, false, func(o *peer) {
		o.readHead()
		for range time.Tick(50 * time.Millisecond) {
			if _, err := io.WriteString(o.conn, "\r\n"); err != nil {
				return
			}
		}
	})
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	wantFault(t, client.readAll(), "504", "timeout-first-byte")
}

// TestOwnAddressWithAZone is our own address.
func TestOwnAddressWithAZone(t *testing.T) {
	if ln, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("this machine has no IPv6 loopback: ", err)
	} else {
		ln.Close()
	}
	h := newHouseOn(t, config(), recorderConfig, "[::1]:0")
	_, port, _ := net.SplitHostPort(h.address)
	client := h.dial()
	client.send(text("CONNECT [::1%25lo]:"+port+" HTTP/1.1", "Host: a"))
	client.readHead()
	client.send(text("GET /export HTTP/1.1", "Host: 127.0.0.1", "Connection: close"))
	if page := client.readAll(); strings.Contains(page, "admin") {
		t.Errorf("%q", page)
	}
}

// TestEarlyAnswerIsRecordedAtOnce although the origin has stopped reading in the middle of the
// upload.
func TestEarlyAnswerIsRecordedAtOnce(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		answer := text("HTTP/1.1 413 Content Too Large", "Connection: close", "Content-Length: 3") + "big"
		hold := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.readN(1 << 20)
			o.send(answer)
			<-hold
		})
		defer close(hold)
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
		go client.endless()
		client.readUntil(len(answer))
		deadline := time.Now().Add(8 * time.Second)
		for !strings.Contains(h.log.String(), `"capture"`) {
			time.Sleep(time.Millisecond)
			if time.Now().After(deadline) {
				t.Fatal("not recorded within 8 s")
			}
		}
		client.conn.Close()
	})
}

// TestBadChunkBehindAnAnswer leaves evidence too.
func TestBadChunkBehindAnAnswer(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false,
		func(o *peer) { o.readHead(); o.readN(8); o.send(numbered(1)); o.readAll() })
	client := h.dial()
	client.send(
		text(
			"POST http://"+o.address+"/ HTTP/1.1",
			"Host: a",
			"Transfer-Encoding: chunked",
		) + "3\r\nabc\r\n",
	)
	client.readUntil(len(numbered(1)))
	client.send("zz\r\nGET /hidden HTTP/1.1\r\n\r\n")
	client.readAll()
	all := h.records()
	if facts := of(all, "metadata"); len(facts) != 1 ||
		!strings.Contains(string(facts[0].block), "ambiguous") {
		t.Errorf("%q", facts)
	}
	if !strings.Contains(h.log.String(), `begins with 'z'`) {
		t.Errorf("no evidence in the log:\n%s", h.log)
	}
}

// TestShutdownDuringARequestOnAKeptConnection: what was sent is recorded.
func TestShutdownDuringARequestOnAKeptConnection(t *testing.T) {
	h := newHouse(t, config())
	second := make(chan struct{})
	o := newOrigin(t, false, func(o *peer) {
		o.readHead()
		o.send(numbered(1))
		o.readHead()
		close(second)
		o.readAll()
	})
	client := h.dial()
	client.send(text("GET http://"+o.address+"/one HTTP/1.1", "Host: a"))
	client.readUntil(len(numbered(1)))
	client.send(text("GET http://"+o.address+"/two HTTP/1.1", "Host: a"))
	<-second
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	h.proxy.Shutdown(ctx)
	if r := of(h.records(), "request"); len(r) != 2 {
		t.Errorf("%d requests are recorded, 2 were sent; log:\n%s", len(r), h.log)
	}
}

// TestMalformedConnects get an answer, and no tunnel.
func TestMalformedConnects(t *testing.T) {
	h := newHouse(t, config())
	for _, target := range []string{"/x", "*", "a:0", "a:99999", "a:b", "::1:443", "[::1", ":443", "http://a/"} {
		client := h.dial()
		client.send(text("CONNECT "+target+" HTTP/1.1", "Host: a.example:443"))
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 4") {
			t.Errorf("%s: %.100q", target, got)
		}
	}
}

func TestConfigCheck(t *testing.T) {
	good := config()
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	bad := config()
	bad.Timeout.FirstByte = 0
	if err := bad.Check(); err == nil || !strings.Contains(err.Error(), "timeout-first-byte") {
		t.Errorf("%v", err)
	}
}
