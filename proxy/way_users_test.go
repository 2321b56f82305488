package proxy

import (
	"crypto/tls"
	"fmt"
	"strings"
	"sync"
	"testing"

	"warcorder/proxy/route/routetest"
)

// TestUsersShareNoWay: on a way whose parent is told a password no connection is two users', be it
// for requests that come in turn, for one that is asked again on a new connection, or for a whole
// that no client asked for. Where the parent is told nothing, connections are anybody's.
func TestUsersShareNoWay(t *testing.T) {
	makers := map[string]func(user, password string) *routetest.Parent{
		"http":    func(u, p string) *routetest.Parent { return routetest.HTTP(t, nil, u, p) },
		"socks5h": func(u, p string) *routetest.Parent { return routetest.SOCKS5(t, u, p) },
	}
	for scheme, parent := range makers {
		for _, secure := range []bool{false, true} {
			for _, password := range []string{"s3cr3t", ""} {
				name := fmt.Sprintf("%s %t %q", scheme, secure, password)
				t.Run(name, func(t *testing.T) {
					user := ""
					if password != "" {
						user = "recorder"
					}
					p := parent(user, password)
					shared := sharedConnections(t, p.URL(scheme), secure)
					if (shared > 0) != (password == "") {
						t.Errorf("%d connections are shared", shared)
					}
				})
			}
		}
	}
}

// sharedConnections has two users ask for films, in parts and whole, and counts the connections to
// the origin that saw requests of both.
func sharedConnections(t *testing.T, upstream string, secure bool) (shared int) {
	users := []string{"anna:secret", "bert:other"}
	cfg := asking(t, users...)
	cfg.Complete, cfg.Upstream = hasty().Complete, byWay(t, upstream).Upstream
	h := newHouse(t, cfg)
	o := newOrigin(t, secure, func(p *peer) {
		for n := 0; ; n++ {
			head := p.readHead()
			if head == "" || n == 4 { // it goes away: what was asked is asked again elsewhere
				return
			}
			p.send(film(head))
		}
	})
	const rounds = 6
	for round := range rounds {
		for _, pair := range users {
			name, _, _ := strings.Cut(pair, ":")
			for n, fields := range [][]string{{"Range: bytes=3-5"}, nil, nil} {
				h.fetchAs(o, secure, pair, fmt.Sprintf("/%s/%d/%d", name, round, n), fields...)
			}
		}
	}
	h.untilCompleted(2*rounds, 0)
	h.close()
	o.close()
	asked := 0
	for _, conn := range o.connections() {
		seen := conn.seen.String()
		anna, bert := strings.Count(seen, "GET /anna/"), strings.Count(seen, "GET /bert/")
		if asked += anna + bert; anna > 0 && bert > 0 {
			shared++
		}
	}
	if least := 2 * rounds * 4; asked < least {
		t.Errorf("%d requests reached the origin, of %d", asked, least)
	}
	return shared
}

// fetchAs asks for a path in the name of a user.
func (h *house) fetchAs(o *originServer, secure bool, pair, path string, fields ...string) {
	h.t.Helper()
	var client *peer
	prefix := ""
	if secure {
		client = h.tunnelAs(o.address, true, shows(pair))
	} else {
		client, prefix = h.dial(), "http://"+o.address
		fields = append(fields, shows(pair))
	}
	client.send(text(append([]string{"GET " + prefix + path + " HTTP/1.1", "Host: a"}, fields...)...))
	head := client.readHead()
	if !strings.HasPrefix(head, "HTTP/1.1 20") {
		h.t.Errorf("%s: %q", path, head)
	}
	client.readN(contentLength(h.t, head))
	client.conn.Close()
}

// TestWaysShareNoSession: by a TLS session an origin would know two connections as one client's.
// One is resumed on the same way, for the same user, and nowhere else.
func TestWaysShareNoSession(t *testing.T) {
	parent := routetest.HTTP(t, nil, "recorder", "s3cr3t")
	cfg := asking(t, "anna:secret", "bert:other")
	cfg.Upstream = byWay(t, "127.0.0.1="+parent.URL("http")).Upstream
	h := newHouse(t, cfg)
	var mu sync.Mutex
	var resumed []bool
	o := newOrigin(t, true, func(p *peer) {
		p.readHead()
		mu.Lock()
		resumed = append(resumed, p.conn.(*tls.Conn).ConnectionState().DidResume)
		mu.Unlock()
		p.send(text("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close"))
	})
	_, port, _ := strings.Cut(o.address, ":")
	for _, c := range []struct {
		host, pair string
		resumes    bool
	}{
		{"localhost", "anna:secret", false}, // directly
		{"localhost", "anna:secret", true},
		{"localhost", "bert:other", true}, // nobody is known there
		{"127.0.0.1", "anna:secret", false},
		{"127.0.0.1", "anna:secret", true},
		{"127.0.0.1", "bert:other", false},
		{"127.0.0.1", "bert:other", true},
		{"localhost", "anna:secret", true},
	} {
		p := h.tunnelAs(c.host+":"+port, false, shows(c.pair))
		client := newPeer(t, tls.Client(p.conn, &tls.Config{ServerName: "localhost", RootCAs: h.roots()}))
		client.send(text("GET / HTTP/1.1", "Host: a"))
		client.readAll()
		mu.Lock()
		if got := resumed[len(resumed)-1]; got != c.resumes {
			t.Errorf("%+v: resumed: %t", c, got)
		}
		mu.Unlock()
	}
}

// TestParentsSession: the same of the TLS session with a parent.
func TestParentsSession(t *testing.T) {
	file, parentTLS := vouched(t)
	parent := routetest.HTTP(t, parentTLS, "recorder", "s3cr3t")
	cfg := asking(t, "anna:secret", "bert:other")
	cfg.UpstreamCA, cfg.Upstream = file, byWay(t, parent.URL("https")).Upstream
	h := newHouse(t, cfg)
	o := newOrigin(t, false, func(p *peer) {
		p.readHead()
		p.send(text("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close"))
	})
	for _, pair := range []string{"anna:secret", "anna:secret", "bert:other", "bert:other"} {
		h.fetchAs(o, false, pair, "/")
	}
	for i, seen := range parent.Seen() {
		if seen.Resumed != (i%2 == 1) {
			t.Errorf("connection %d: resumed: %t", i, seen.Resumed)
		}
	}
	if n := len(parent.Seen()); n != 4 {
		t.Errorf("%d connections", n)
	}
}
