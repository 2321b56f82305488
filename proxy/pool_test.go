package proxy

import (
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKeptConnectionDies: what can be asked again is asked again, once; a POST is not.
func TestKeptConnectionDies(t *testing.T) {
	for _, c := range []struct {
		method, status string
		connections    int
	}{{"GET", "200", 2}, {"POST", "502", 1}} {
		t.Run(c.method, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				var once sync.Once
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					o.send(numbered(0))
					dies := false
					once.Do(func() { dies = true })
					if dies {
						o.readHead()
						return // without a byte
					}
					o.readAll()
				})
				client, prefix := h.to(o, secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
				client.readUntil(len(numbered(0)))
				client.send(text(c.method+" "+prefix+"/again HTTP/1.1", "Host: a", "Content-Length: 0"))
				if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 "+c.status) {
					t.Errorf("%q", head)
				}
				if n := len(o.connections()); n != c.connections {
					t.Errorf("%d connections, want %d", n, c.connections)
				}
			})
		})
	}
}

// TestUpstreamConnectionsAreShared between clients, but for those that authenticate the connection.
func TestUpstreamConnectionsAreShared(t *testing.T) {
	for _, c := range []struct {
		name, field string
		connections int
	}{{"shared", "Authorization: Basic eA==", 1}, {"NTLM", "Authorization: NTLM TlRM", 2}} {
		t.Run(c.name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				o := newOrigin(t, secure, func(o *peer) {
					for o.readHead() != "" {
						o.send(numbered(1))
					}
				})
				first, prefix := h.to(o, secure)
				second, _ := h.to(o, secure)
				for range 3 {
					for _, client := range []*peer{first, second} {
						client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", c.field))
						if got := client.readN(len(numbered(1))); got != numbered(1) {
							t.Errorf("%q", got)
						}
						if c.connections == 1 {
							h.untilIdle(1)
						}
					}
				}
				if n := len(o.connections()); n != c.connections {
					t.Errorf("%d connections, want %d", n, c.connections)
				}
			})
		})
	}
}

// untilIdle waits until n connections to origins are kept: a client may have its answer a moment
// before.
func (h *house) untilIdle(n int) {
	h.t.Helper()
	u := h.proxy.current().upstreams
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		u.mu.Lock()
		count := u.count
		u.mu.Unlock()
		if count == n {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%d connections are kept, want %d", count, n)
		}
	}
}

// TestOldestConnectionMakesRoom: when the pool is full the connection that has idled longest goes,
// and the lists stay whole.
func TestOldestConnectionMakesRoom(t *testing.T) {
	u := newPool()
	defer u.close()
	u.most = 3
	peers := map[string]net.Conn{}
	put := func(host, name string) {
		near, far := tcpPair(t)
		peers[name] = far
		up := &upstream{origin: origin{host: host}, raw: near}
		up.conn = near
		var err error
		if up.socket, err = near.SyscallConn(); err != nil {
			t.Fatal(err)
		}
		u.put(up)
	}
	closed := func(name string) bool {
		peers[name].SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err := peers[name].Read(make([]byte, 1))
		return err == io.EOF
	}
	put("a", "a1")
	put("b", "b1")
	put("a", "a2")
	put("c", "c1") // a1 goes
	if !closed("a1") || u.count != 3 {
		t.Fatalf("%d connections are kept", u.count)
	}
	if up := u.get(origin{host: "a"}); up == nil || u.count != 2 {
		t.Fatalf("a2 is not kept; %d are", u.count)
	}
	if u.get(origin{host: "a"}) != nil {
		t.Fatal("a third connection to a")
	}
	put("d", "d1")
	put("a", "a3") // b1 goes
	if !closed("b1") || u.get(origin{host: "b"}) != nil || u.count != 3 {
		t.Fatalf("%d connections are kept", u.count)
	}
	u.mu.Lock()
	for up := u.oldest; up != nil; up = up.newer {
		if up.origin.host == "c" {
			up.idleSince = time.Now().Add(-2 * idleUpstream)
		}
	}
	u.mu.Unlock()
	u.expire()
	if !closed("c1") || u.count != 2 || len(u.idle) != 2 {
		t.Fatalf("%d connections are kept in %d lists", u.count, len(u.idle))
	}
	if n := u.forgetIdle(); n != 2 || u.count != 0 || !closed("d1") || !closed("a3") {
		t.Errorf("%d connections were kept, %d still are", n, u.count)
	}
}

// tcpPair returns both ends of a connection.
func tcpPair(t *testing.T) (near *net.TCPConn, far net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if far, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); far.Close() })
	return conn.(*net.TCPConn), far
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
