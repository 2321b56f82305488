package proxy

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestTimeouts(t *testing.T) {
	head := text("HTTP/1.1 200 OK", "Content-Length: 10")
	t.Run("idle in the body", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Idle = 400 * time.Millisecond
		h := newHouse(t, cfg)
		o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(head + "first"); o.readAll() })
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		client.readAll()
		if r := of(h.records(), "response"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "time" {
			t.Errorf("%q", r)
		}
	})
	t.Run("total", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Total = 400 * time.Millisecond
		h := newHouse(t, cfg)
		ended := make(chan struct{})
		o := newOrigin(t, false, func(o *peer) {
			o.readHead()
			o.send(text("HTTP/1.1 200 OK"))
			for range time.Tick(20 * time.Millisecond) { // never idle
				if _, err := io.WriteString(o.conn, "x"); err != nil {
					close(ended)
					return
				}
			}
		})
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		client.readAll()
		<-ended
		if r := of(h.records(), "response"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "time" {
			t.Errorf("%q", r)
		}
	})
	t.Run("request head", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Header = 200 * time.Millisecond
		h := newHouse(t, cfg)
		client := h.dial()
		client.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: a\r\n")
		wantFault(t, client.readAll(), "408", "timeout-header")
	})
	t.Run("request body", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Idle = 300 * time.Millisecond
		h := newHouse(t, cfg)
		o := newOrigin(t, false, func(o *peer) { o.readAll() })
		client := h.dial()
		client.send(
			text("POST http://"+o.address+"/ HTTP/1.1", "Host: a", "Content-Length: 10") + "first",
		)
		wantFault(t, client.readAll(), "408", "timeout-idle")
	})
}

// TestDeadlinesOfTheLastExchange: on a connection that is used again nothing is left of how long
// the last answer could take.
func TestDeadlinesOfTheLastExchange(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		asked := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			for i := range 3 {
				head := o.readHead()
				if i > 0 {
					asked <- struct{}{}
					<-asked
				}
				o.send(numbered(i))
				if strings.HasPrefix(head, "POST") {
					o.readN(10)
					asked <- struct{}{}
				}
			}
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/0 HTTP/1.1", "Host: a"))
		client.readUntil(len(numbered(0)))
		client.send(text("GET "+prefix+"/1 HTTP/1.1", "Host: a"))
		<-asked
		time.Sleep(2 * glance) // the wait that is tested
		asked <- struct{}{}
		client.readUntil(2 * len(numbered(0)))
		time.Sleep(2 * glance)
		client.send(text("POST "+prefix+"/2 HTTP/1.1", "Host: a", "Content-Length: 10") + "first")
		<-asked
		asked <- struct{}{}
		client.readUntil(3 * len(numbered(0))) // the answer, before the body has ended
		client.send("later")
		<-asked
		if got, want := client.seen.String(), numbered(0)+numbered(1)+numbered(2); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		h.untilIdle(1)
		if n := len(o.connections()); n != 1 {
			t.Errorf("%d connections, want 1", n)
		}
	})
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
