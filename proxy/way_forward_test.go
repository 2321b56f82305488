package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"warcorder/proxy/route/routetest"
)

// TestForwardedRequests: what an HTTP parent gets of a plain request, and what the record has,
// which is the request as the origin would get it.
func TestForwardedRequests(t *testing.T) {
	const auth = "Proxy-Authorization: Basic dTpw" // u:p
	large := "X: " + strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct{ sent, parent, recorded string }{
		"a path": {text("GET http://a.test/b?c=d HTTP/1.1", "Host: a.test", "Proxy-Foo: x"),
			text("GET http://a.test/b?c=d HTTP/1.1", "Host: a.test", auth),
			text("GET /b?c=d HTTP/1.1", "Host: a.test")},
		"a port": {text("HEAD http://A.test:8080 HTTP/1.1", "Host: b"),
			text("HEAD http://a.test:8080/ HTTP/1.1", "Host: b", auth),
			text("HEAD / HTTP/1.1", "Host: b")},
		"the default port": {text("GET http://a.test:80/ HTTP/1.1", "Host: b"),
			text("GET http://a.test/ HTTP/1.1", "Host: b", auth),
			text("GET / HTTP/1.1", "Host: b")},
		"an address": {text("GET http://[2001:DB8::1]:81/ HTTP/1.1", "Host: b"),
			text("GET http://[2001:db8::1]:81/ HTTP/1.1", "Host: b", auth),
			text("GET / HTTP/1.1", "Host: b")},
		"a password of the origin's": {text("GET http://x:y@a.test/ HTTP/1.1", "Host: b"),
			text("GET http://a.test/ HTTP/1.1", "Host: b", auth),
			text("GET / HTTP/1.1", "Host: b")},
		"all of a server": {text("OPTIONS http://a.test HTTP/1.1", "Host: b"),
			text("OPTIONS http://a.test HTTP/1.1", "Host: b", auth),
			text("OPTIONS * HTTP/1.1", "Host: b")},
		"lines that end in LF": {"GET http://a.test/ HTTP/1.1\nHost: b\n\n",
			"GET http://a.test/ HTTP/1.1\nHost: b\n" + auth + "\n\n",
			"GET / HTTP/1.1\nHost: b\n\n"},
		"a fold at the end": {text("GET http://a.test/ HTTP/1.1", "A: b", "\tc"),
			text("GET http://a.test/ HTTP/1.1", "A: b", "\tc", auth),
			text("GET / HTTP/1.1", "A: b", "\tc")},
		"blanks": {text("GET  http://a.test/a b  HTTP/1.1", "Host: b"),
			text("GET  http://a.test/a b  HTTP/1.1", "Host: b", auth),
			text("GET  /a b  HTTP/1.1", "Host: b")},
		"HTTP/1.0": {text("GET http://a.test/ HTTP/1.0"),
			text("GET http://a.test/ HTTP/1.0", auth), text("GET / HTTP/1.0")},
		"the client's own password": {text("GET http://a.test/ HTTP/1.1", "Host: b",
			"proxy-authorization: Basic eDp5"),
			text("GET http://a.test/ HTTP/1.1", "Host: b", auth), text("GET / HTTP/1.1", "Host: b")},
		"a body": {text("POST http://a.test/ HTTP/1.1", "Content-Length: 3") + "a=b",
			text("POST http://a.test/ HTTP/1.1", "Content-Length: 3", auth) + "a=b",
			text("POST / HTTP/1.1", "Content-Length: 3") + "a=b"},
		"chunks": {text("POST http://a.test/ HTTP/1.1", "Transfer-Encoding: chunked") +
			"3;x\r\na=b\r\n0\r\nT: u\r\n\r\n",
			text("POST http://a.test/ HTTP/1.1", "Transfer-Encoding: chunked", auth) +
				"3;x\r\na=b\r\n0\r\nT: u\r\n\r\n",
			text("POST / HTTP/1.1", "Transfer-Encoding: chunked") + "3;x\r\na=b\r\n0\r\nT: u\r\n\r\n"},
		"a large head": {text("GET http://a.test/ HTTP/1.1", large),
			text("GET http://a.test/ HTTP/1.1", large, auth), text("GET / HTTP/1.1", large)},
		"a large body": {text("PUT http://a.test/ HTTP/1.1", "Content-Length: 300000") +
			strings.Repeat("y", 300000),
			text("PUT http://a.test/ HTTP/1.1", "Content-Length: 300000", auth) +
				strings.Repeat("y", 300000),
			text("PUT / HTTP/1.1", "Content-Length: 300000") + strings.Repeat("y", 300000)},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			parent := routetest.Listen(t, nil, func(conn net.Conn) {
				b := make([]byte, len(c.parent))
				n, _ := io.ReadFull(conn, b)
				got <- string(b[:n])
				io.WriteString(conn, text("HTTP/1.1 204 No Content"))
				io.Copy(io.Discard, conn)
			})
			h := newHouse(t, byWay(t, "http://u:p@"+parent.Address))
			client := h.dial()
			client.send(c.sent)
			if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 204 ") {
				t.Fatalf("%q", head)
			}
			client.conn.Close()
			if got := <-got; got != c.parent {
				t.Errorf("the parent got %.300q, want %.300q", got, c.parent)
			}
			requests := of(h.records(), "request")
			if len(requests) != 1 || string(requests[0].block) != c.recorded {
				t.Errorf("recorded: %.300q, want %.300q", requests, c.recorded)
			}
		})
	}
}

// TestForwardedInTunnel: plain HTTP in a CONNECT is forwarded too, to the place that it leads to,
// spelled as we have read it.
func TestForwardedInTunnel(t *testing.T) {
	parent := routetest.HTTP(t, nil, "u", "p")
	h := newHouse(t, byWay(t, parent.URL("http")))
	o := repeating(t, false, text("HTTP/1.1 204 No Content"))
	client := h.tunnel(o.at("origin.test"), false)
	place := o.at("origin.test")
	for _, target := range []string{"/a", "http://" + place + "/b", "http://x y@" + place + "?c",
		`HTTP://127.0.0.1\@` + strings.ToUpper(place) + "/d"} {
		client.send(text("GET "+target+" HTTP/1.1", "Host: a"))
		if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 204 ") {
			t.Fatalf("%q", head)
		}
	}
	seen := parent.Seen()
	if len(seen) != 1 || strings.Join(seen[0].Asked, " ") !=
		strings.ReplaceAll("P/a P/b P?c P/d", "P", "http://"+place) {
		t.Errorf("%+v", seen)
	}
}

// TestForwardedUpgrade: interim answers, a 101 and what follows it pass through a parent that lets
// them pass.
func TestForwardedUpgrade(t *testing.T) {
	file, parentTLS := vouched(t)
	handshake := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	hints := text("HTTP/1.1 103 Early Hints", "Link: </x>")
	for _, kind := range []string{"http", "https", "socks5h > https"} {
		cfg, _ := chainOfParents(t, kind, parentTLS)
		cfg.UpstreamCA = file
		h := newHouse(t, cfg)
		o := newOrigin(t, false, func(p *peer) {
			p.readHead()
			p.send(hints + handshake + "early")
			io.Copy(p.conn, p.in)
		})
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ws HTTP/1.1", "Host: a", "Upgrade: echo",
			"Connection: Upgrade") + "first")
		if got := client.readHead() + client.readHead(); got != hints+handshake {
			t.Errorf("%s: %q", kind, got)
		}
		client.send(" and later")
		if got := client.readN(20); got != "earlyfirst and later" {
			t.Errorf("%s: %q", kind, got)
		}
		client.conn.Close()
		if r := of(h.records(), "response"); len(r) != 1 || string(r[0].block) != handshake {
			t.Errorf("%s: %q", kind, r)
		}
	}
}

// TestParentsOwnPage: what a parent answers in the origin's place to a plain request is recorded as
// it came: nothing but via tells it from the origin's.
func TestParentsOwnPage(t *testing.T) {
	page := text("HTTP/1.1 503 Service Unavailable", "X-Squid-Error: ERR_DNS_FAIL 0",
		"Content-Length: 3") + "no!"
	parent := routetest.Listen(t, nil, func(conn net.Conn) {
		for in := bufio.NewReader(conn); ; {
			if _, err := http.ReadRequest(in); err != nil {
				return
			}
			io.WriteString(conn, page)
		}
	})
	h := newHouse(t, byWay(t, "http://"+parent.Address))
	client := h.dial()
	client.send(text("GET http://no.test/ HTTP/1.1", "Host: no.test"))
	if got := client.readN(len(page)); got != page {
		t.Errorf("%q", got)
	}
	client.conn.Close()
	records := h.records()
	if r := of(records, "response"); len(r) != 1 || string(r[0].block) != page {
		t.Errorf("%q", r)
	}
	if m := of(records, "metadata"); len(m) != 1 ||
		!strings.Contains(string(m[0].block), "via: http\r\n") {
		t.Errorf("%q", m)
	}
}
