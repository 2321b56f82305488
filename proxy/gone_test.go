package proxy

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestClientGoesAway(t *testing.T) {
	head := text("HTTP/1.1 200 OK", "Content-Length: 10")
	t.Run("before the first byte, cut", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			h := newHouse(t, config())
			asked, ended := make(chan struct{}), make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				close(asked)
				o.readAll() // ends when the proxy gives up the fetch
				close(ended)
			})
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+"/poll HTTP/1.1", "Host: a"))
			<-asked
			client.conn.Close()
			<-ended
			all := h.records()
			if len(of(all, "response")) != 0 || len(of(all, "request")) != 1 {
				t.Errorf("%d responses and %d requests, want 0 and 1", len(of(all, "response")),
					len(of(all, "request")))
			}
		})
	})
	t.Run("in the body, cut", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			h := newHouse(t, config())
			ended := make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				o.send(head + "first")
				o.readAll()
				close(ended)
			})
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			client.readUntil(len(head) + 5)
			client.conn.Close()
			<-ended
			responses := of(h.records(), "response")
			if len(responses) != 1 || string(responses[0].block) != head+"first" ||
				responses[0].header.Get("WARC-Truncated") != "disconnect" {
				t.Errorf("%q", responses)
			}
		})
	})
	t.Run("in the body, finish", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			cfg := config()
			cfg.OnClientAbort = "finish"
			h := newHouse(t, cfg)
			gone := make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				o.send(head + "first")
				<-gone
				for _, c := range "later" { // piece by piece, so that a write to the client fails
					o.send(string(c))
				}
				o.readAll()
			})
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			client.readUntil(len(head) + 5)
			client.conn.Close()
			close(gone)
			responses := of(h.records(), "response")
			if len(responses) != 1 || string(responses[0].block) != head+"firstlater" ||
				responses[0].header.Get("WARC-Truncated") != "" {
				t.Errorf("%q", responses)
			}
		})
	})
	t.Run("in the upload", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			h := newHouse(t, config())
			begun, ended := make(chan struct{}), make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				o.readN(5)
				close(begun)
				o.readAll()
				close(ended)
			})
			client, prefix := h.to(o, secure)
			client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 10") + "first")
			<-begun
			client.conn.Close()
			<-ended
			requests := of(h.records(), "request")
			if len(requests) != 1 || !strings.HasSuffix(string(requests[0].block), "\r\n\r\nfirst") {
				t.Errorf("%q", requests)
			}
		})
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

// TestClientLeavesOnceConnected: nobody waits for an origin that says nothing, at whatever moment
// of the connecting its client has left.
func TestClientLeavesOnceConnected(t *testing.T) {
	cfg := config()
	cfg.Timeout.FirstByte = time.Hour
	h := newHouse(t, cfg)
	o := newOrigin(t, false, func(o *peer) { o.in.WriteTo(io.Discard) })
	for i := range 2000 {
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		for range i % 50 {
			runtime.Gosched()
		}
		client.conn.Close()
	}
	h.untilClients(0)
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
