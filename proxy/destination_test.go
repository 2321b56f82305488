package proxy

import (
	"net"
	"strings"
	"testing"
)

func TestProxyFields(t *testing.T) {
	for name, c := range map[string]struct{ sent, seen []string }{
		"authorization goes": {[]string{"A: 1", "proxy-authorization: Basic eA==", "B: 2"},
			[]string{"A: 1", "B: 2"}},
		"with its fold": {[]string{"A: 1", "Proxy-Authorization: Basic", " eA==", "B: 2"},
			[]string{"A: 1", "B: 2"}},
		"oddly spelled": {[]string{"Proxy-Authorization : Basic eA==", "B: 2"}, []string{"B: 2"}},
		"connection is renamed": {[]string{"A: 1", "Proxy-Connection: keep-alive", "B: 2"},
			[]string{"A: 1", "Connection: keep-alive", "B: 2"}},
		"or goes beside the other": {[]string{"Connection: keep-alive", "Proxy-Connection: keep-alive"},
			[]string{"Connection: keep-alive"}},
		"a value is no proxy field": {[]string{"A: Proxy-Authorization: x"},
			[]string{"A: Proxy-Authorization: x"}},
		"nor is a folded line of it": {[]string{"A: 1", " Proxy-Authorization: x"},
			[]string{"A: 1", " Proxy-Authorization: x"}},
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				served := make(chan *peer, 1)
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					o.send(numbered(1))
					served <- o
					o.readAll()
				})
				client, prefix := h.to(o, secure)
				client.send(text(append([]string{"GET " + prefix + "/ HTTP/1.1"}, c.sent...)...))
				client.readUntil(len(numbered(1)))
				origin := <-served
				all := h.records()
				o.close()
				want := text(append([]string{"GET / HTTP/1.1"}, c.seen...)...)
				if got := origin.seen.String(); got != want {
					t.Errorf("the origin saw %q, want %q", got, want)
				}
				if got := string(of(all, "request")[0].block); got != want {
					t.Errorf("the record holds %q, want %q", got, want)
				}
			})
		})
	}
}

// TestPlainHTTPInATunnel, with the request right behind the CONNECT's head.
func TestPlainHTTPInATunnel(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(7)); o.readAll() })
	client := h.dial()
	client.send(
		text("CONNECT "+o.address+" HTTP/1.1", "Host: a") + text("GET /plain HTTP/1.1", "Host: a"))
	client.readHead()
	if got := client.readN(len(numbered(7))); got != numbered(7) {
		t.Errorf("%q", got)
	}
	responses := of(h.records(), "response")
	if len(responses) != 1 ||
		responses[0].header.Get("WARC-Target-URI") != "http://"+o.address+"/plain" {
		t.Errorf("%v", responses)
	}
}

func TestTargetURI(t *testing.T) {
	for target, want := range map[string]string{
		"http://user:secret@ADDRESS/a?b#c": "http://ADDRESS/a?b",
		"HTTP://ADDRESS":                   "http://ADDRESS/",
		"http://ADDRESS?q":                 "http://ADDRESS/?q",
		"http://ADDRESS/a b\xe9":           "http://ADDRESS/a%20b%E9",
	} {
		t.Run(target, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
			client := h.dial()
			client.send(text("GET "+strings.ReplaceAll(target, "ADDRESS", o.address)+" HTTP/1.1", "Host: a"))
			client.readUntil(len(numbered(1)))
			if got := h.records()[0].header.Get("WARC-Target-URI"); got != strings.ReplaceAll(
				want,
				"ADDRESS",
				o.address,
			) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestIPv6Origin(t *testing.T) {
	ln, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback: ", err)
	}
	defer ln.Close()
	h := newHouse(t, config())
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		o := newPeer(t, conn)
		o.readHead()
		o.send(numbered(1))
		o.readAll()
	}()
	client := h.tunnel(ln.Addr().String(), false)
	client.send(text("GET / HTTP/1.1", "Host: a"))
	client.readUntil(len(numbered(1)))
	r := of(h.records(), "response")[0]
	if r.header.Get("WARC-Target-URI") != "http://"+ln.Addr().String()+"/" ||
		r.header.Get("WARC-IP-Address") != "::1" {
		t.Errorf("%v", r.header)
	}
}

// TestTargetsInATunnel: nobody files an answer under a place that it did not come from.
func TestTargetsInATunnel(t *testing.T) {
	for _, target := range []string{".evil.example/", "@evil.example/", "80/x", "x?u=http://y/",
		"http://ADDRESS/", "https://evil.example/"} {
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
