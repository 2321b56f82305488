package proxy

import (
	"strings"
	"testing"
)

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

// TestOwnPages: a request in origin-form is for the proxy itself, also on a connection that was
// used as a proxy before.
func TestOwnPages(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	client.readUntil(len(numbered(1)))
	client.seen.Reset()
	client.send(text("GET /status HTTP/1.1", "Host: "+h.address))
	if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 200") ||
		!strings.HasSuffix(got, "admin /status") {
		t.Errorf("%q", got)
	}
	if n := len(of(h.records(), "response")); n != 1 {
		t.Errorf("%d responses are recorded, want the origin's one", n)
	}
}
