package proxy

import (
	"net"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/hosts"
)

// TestFaults: the client is told what is wrong with the origin, in a page, on both schemes.
func TestFaults(t *testing.T) {
	silent := func(o *peer) { o.readAll() }
	strict := config()
	strict.InsecureUpstream = hosts.List{}
	hurried := config()
	hurried.Timeout.FirstByte = 300 * time.Millisecond
	for name, c := range map[string]struct {
		cfg        Config
		origin     func(*peer)
		onlySecure bool
		status     string
		why        string
	}{
		"closed without a byte": {cfg: config(), origin: func(o *peer) { o.readHead() }, status: "502",
			why: "closed the connection"},
		"no first byte": {cfg: hurried, origin: silent, status: "504", why: "timeout-first-byte"},
		"certificate": {cfg: strict, origin: silent, onlySecure: true, status: "502",
			why: "certificate of 127.0.0.1:"},
		"CL with TE": {cfg: config(), status: "502", why: "both Content-Length and Transfer-Encoding",
			origin: func(o *peer) {
				o.readHead()
				o.send(text("HTTP/1.1 200 OK", "Content-Length: 3", "Transfer-Encoding: chunked"))
				o.readAll()
			}},
		"not HTTP": {cfg: config(), status: "502", why: "status line",
			origin: func(o *peer) { o.readHead(); o.send("SSH-2.0-nothing\r\n\r\n"); o.readAll() }},
		"101 unasked": {cfg: config(), status: "502", why: "asked for no upgrade",
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 101 Switching")); o.readAll() }},
		"head too large": {cfg: config(), status: "502", why: "max-header-size",
			origin: func(o *peer) {
				o.readHead()
				o.send("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20))
				o.readAll()
			}},
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				if c.onlySecure && !secure {
					return
				}
				h := newHouse(t, c.cfg)
				o := newOrigin(t, secure, c.origin)
				client, prefix := h.to(o, secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", "Connection: close"))
				wantFault(t, client.readAll(), c.status, c.why)
				if responses := of(h.records(), "response"); len(responses) != 0 {
					t.Errorf("a response is recorded: %q", responses[0].block)
				}
			})
		})
	}
}

func wantFault(t testing.TB, page, status, why string) {
	t.Helper()
	if !strings.HasPrefix(page, "HTTP/1.1 "+status+" ") || !strings.Contains(page, why) {
		t.Errorf("got %.400q, want %s and %q", page, status, why)
	}
}

func TestRefusedConnection(t *testing.T) {
	h := newHouse(t, config())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	client := h.dial()
	client.send(text("GET http://"+address+"/ HTTP/1.1", "Host: a"))
	if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 502") ||
		!strings.Contains(head, "keep-alive") {
		t.Errorf("%q", head)
	}
	tunnel := h.tunnel(address, true)
	tunnel.send(text("GET / HTTP/1.1", "Host: a", "Connection: close", "Accept: text/html"))
	wantFault(t, tunnel.readAll(), "502", "<p>"+address+" refused the connection.")
}

func TestNotTLSBehindAnHTTPSTunnel(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false,
		func(o *peer) { o.send("hello, I speak first and no TLS\r\n"); o.readAll() })
	client := h.tunnel(o.address, true)
	client.send(text("GET / HTTP/1.1", "Host: a", "Connection: close"))
	wantFault(t, client.readAll(), "502", "TLS handshake")
}

func TestTheProxyItselfAsTarget(t *testing.T) {
	h := newHouse(t, config())
	_, port, _ := net.SplitHostPort(h.address)
	for _, host := range []string{h.address, "localhost:" + port, "0.0.0.0:" + port} {
		client := h.dial()
		client.send(text("GET http://"+host+"/ HTTP/1.1", "Host: a", "Connection: close"))
		wantFault(t, client.readAll(), "508", "this proxy itself")
	}
}

func TestRequestHeadTooLarge(t *testing.T) {
	h := newHouse(t, config())
	client := h.dial()
	client.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20))
	wantFault(t, client.readAll(), "431", "max-header-size")
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
