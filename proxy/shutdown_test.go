package proxy

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// TestShutdownFinishesWhatIsInFlight, and takes nothing new.
func TestShutdownFinishesWhatIsInFlight(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		release := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(numbered(0)[:len(numbered(0))-1])
			<-release
			o.send("0")
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		idle := h.dial()
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
		client.readHead()
		closed := make(chan struct{})
		go func() {
			h.close()
			close(closed)
		}()
		idle.readAll() // the idle connection ends at once
		// a connection that is just being accepted ends a moment earlier
		for deadline := time.Now().Add(10 * time.Second); ; {
			conn, err := net.Dial("tcp", h.address)
			if err != nil {
				break
			}
			conn.Close()
			if time.Now().After(deadline) {
				t.Fatal("it still accepts")
			}
		}
		close(release)
		if got := client.readAll(); got != "0" {
			t.Errorf("%q", got)
		}
		<-closed
		if r := of(h.records(), "response"); len(r) != 1 || string(r[0].block) != numbered(0) {
			t.Errorf("%q", r)
		}
	})
}

// TestShutdownCutsVisibly: what is cut does not look like an answer that ends with its connection.
func TestShutdownCutsVisibly(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false,
		func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK") + "endless"); o.readAll() })
	client, prefix := h.to(o, false)
	client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
	client.readHead()
	client.readN(7)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	h.proxy.Shutdown(ctx)
	if rest, err := io.ReadAll(client.in); len(rest) > 0 || err == nil {
		t.Errorf("%q, %v", rest, err)
	}
}

// TestShutdownIsBounded: what does not end is cut, and recorded as cut.
func TestShutdownIsBounded(t *testing.T) {
	cfg := config()
	cfg.OnClientAbort = "finish" // even then
	h := newHouse(t, cfg)
	o := newOrigin(t, true,
		func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK") + "endless"); o.readAll() })
	client, _ := h.to(o, true)
	client.send(text("GET / HTTP/1.1", "Host: a"))
	client.readHead()
	client.readN(7)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	h.proxy.Shutdown(ctx)
	if gaps := h.gaps(); len(gaps) != 1 || gaps[0].Reason != recorder.GapCut ||
		gaps[0].Detail != "the recorder was stopped" {
		t.Errorf("gaps: %v", gaps)
	}
	if r := of(h.records(), "response"); len(r) != 1 ||
		r[0].header.Get("WARC-Truncated") != "disconnect" {
		t.Errorf("%v", r)
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
