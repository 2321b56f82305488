package proxy

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warcorder/recorder"
)

// fragile is a listener whose connections panic when a magic word passes: a fault in whatever of
// ours reads or writes it.
type fragile struct{ net.Listener }

const magicWord = "xyzzy"

func (l fragile) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return fragileConn{conn}, nil
}

type fragileConn struct{ net.Conn }

func (c fragileConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	breakAt(p[:n])
	return n, err
}

func (c fragileConn) Write(p []byte) (int, error) {
	breakAt(p)
	return c.Conn.Write(p)
}

func (c fragileConn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

func breakAt(p []byte) {
	if bytes.Contains(p, []byte(magicWord)) {
		panic("a fault, injected")
	}
}

func newFragileHouse(t *testing.T) *house {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return newHouseAt(t, config(), recorderConfig, fragile{ln})
}

// panicCase is a place at which a session breaks.
type panicCase struct {
	name    string
	origin  func(*peer)
	client  func(c *peer, target string)
	records int    // of this exchange
	where   string // in the stack
	url     bool   // the gap has the URL
}

func (c *panicCase) check(t *testing.T, h *house, o *originServer) {
	var writes []string
	until(t, "a gap", func() bool { return len(h.gaps()) > 0 }) // the client's connection ends before
	for _, gap := range h.gaps() {
		if gap.Reason == recorder.GapWrite {
			writes = append(writes, gap.URL+" "+gap.Detail)
		}
	}
	if len(writes) != 1 || strings.HasPrefix(writes[0], "http://"+o.address+"/x ") != c.url ||
		!strings.Contains(writes[0], "a fault, injected") {
		t.Errorf("gaps: %q", writes)
	}
	if log := h.log.String(); strings.Count(log, `"stack":"`) != 1 || !strings.Contains(log, c.where) {
		t.Errorf("the log has no stack with %s: %s", c.where, log)
	}
	records := 0
	for _, r := range h.records() {
		if r.header.Get("WARC-Target-URI") == "http://"+o.address+"/x" &&
			r.header.Get("WARC-Type") != "metadata" {
			records++
		}
	}
	if records != c.records {
		t.Errorf("%d records, want %d", records, c.records)
	}
}

// TestPanics: wherever a session breaks, its connections end, a gap and the log with a stack say
// so, what had come is recorded, and others go on.
func TestPanics(t *testing.T) {
	upgrade := text("HTTP/1.1 101 Switching Protocols", "Upgrade: x", "Connection: upgrade")
	for _, c := range []panicCase{
		{"in a head", silent,
			func(c *peer, target string) {
				c.send("GET " + target + " HTTP/1.1\r\n" + magicWord)
			}, 0, "readHead", false},
		{"in a request's body", func(p *peer) { p.readHead(); p.reached <- struct{}{}; p.readAll() },
			func(c *peer, target string) {
				c.send(text("POST "+target+" HTTP/1.1", "Host: a", "Content-Length: 100"))
				<-c.reached
				c.send(magicWord)
			}, 1, "(*upload).run", true},
		{"while the origin is silent", func(p *peer) { p.readHead(); p.reached <- struct{}{}; p.readAll() },
			func(c *peer, target string) {
				c.send(text("GET "+target+" HTTP/1.1", "Host: a"))
				<-c.reached
				c.send(magicWord)
			}, 1, "(*wire).readAhead", true},
		{"in a response's head", sends(text("HTTP/1.1 200 OK", "Content-Length: 0", "A: "+magicWord)),
			func(c *peer, target string) {
				c.send(text("GET "+target+" HTTP/1.1", "Host: a"))
			}, 2, "relayResponse", true},
		{"in a response's body", func(p *peer) {
			p.readHead()
			p.send(text("HTTP/1.1 200 OK", "Content-Length: 100") + "begins")
			<-p.reached
			p.send(magicWord)
			p.readAll()
		},
			func(c *peer, target string) {
				c.send(text("GET "+target+" HTTP/1.1", "Host: a"))
				c.readHead()
				c.readN(6)
				c.reached <- struct{}{}
			}, 2, "relayResponse", true},
		{"in a tunnel, from the origin", func(p *peer) {
			p.readHead()
			p.send(upgrade)
			p.readN(1)
			p.send(magicWord)
			p.readAll()
		},
			func(c *peer, target string) {
				c.send(text("GET "+target+" HTTP/1.1", "Host: a", "Upgrade: x", "Connection: upgrade"))
				c.readHead()
				c.send("1")
			}, 2, "relayBytes", true},
		{"in a tunnel, from the client", func(p *peer) { p.readHead(); p.send(upgrade); p.readAll() },
			func(c *peer, target string) {
				c.send(text("GET "+target+" HTTP/1.1", "Host: a", "Upgrade: x", "Connection: upgrade"))
				c.readHead()
				c.send(magicWord)
			}, 2, "relayBytes", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			reached := make(chan struct{})
			o := newOrigin(t, false, func(p *peer) { p.reached = reached; c.origin(p) })
			h := newFragileHouse(t)
			client := h.dial()
			client.reached = reached
			c.client(client, "http://"+o.address+"/x")
			client.readAll()
			h.untilClients(0)
			beside := newOrigin(t, false, sends(numbered(1)))
			other := h.dial()
			other.send(text("GET http://"+beside.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
			if got := other.readAll(); got != numbered(1) {
				t.Errorf("another client gets %q", got)
			}
			h.untilClients(0)
			c.check(t, h, o)
		})
	}
}

// TestTooManyPanics: what breaks five times within a minute breaks for everybody. The proxy says so
// and ends in order, with what was in flight.
func TestTooManyPanics(t *testing.T) {
	o := newOrigin(t, false, func(p *peer) { p.readHead(); <-p.reached; p.send(numbered(1)) })
	h := newFragileHouse(t)
	inFlight := h.dial()
	inFlight.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	until(t, "a request is in flight", func() bool { return len(o.connections()) == 1 })
	for range 5 {
		c := h.dial()
		c.send("GET http://" + magicWord)
		c.readAll()
	}
	err := <-h.served
	if err == nil || !strings.Contains(err.Error(), "5 times within a minute") {
		t.Errorf("serve: %v", err)
	}
	h.served <- nil // close wants to see how it ended
	close(o.connections()[0].reached)
	if got := inFlight.readN(len(numbered(1))); got != numbered(1) {
		t.Errorf("what was in flight: %q", got)
	}
	if n := len(of(h.records(), "response")); n != 1 {
		t.Errorf("%d responses recorded, want 1", n)
	}
}

// TestPanicInAPage: a page of our own that breaks is counted like anything else.
func TestPanicInAPage(t *testing.T) {
	h := newHouse(t, config())
	pages := httptest.NewServer(
		h.proxy.guardedPages(
			http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a fault, injected") })),
	)
	defer pages.Close()
	if res, err := http.Get(pages.URL + "/export"); err == nil {
		t.Errorf("answered: %s", res.Status)
	}
	if gaps := h.gaps(); len(gaps) != 1 || gaps[0].Reason != recorder.GapWrite ||
		gaps[0].URL != "/export" {
		t.Errorf("%v", gaps)
	}
}
