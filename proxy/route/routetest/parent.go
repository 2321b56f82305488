// Package routetest has parents for tests: proxies on real sockets that say what they were asked
// for. A host whose name ends in ".test" is this machine to them, and to nobody else.
package routetest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// Parent is a proxy.
type Parent struct {
	Address string

	user, password string // "" asks for none
	ln             net.Listener
	running        sync.WaitGroup

	mu    sync.Mutex
	seen  []*Conn
	conns []net.Conn
}

// Conn is a connection to a parent.
type Conn struct {
	User    string   // that it has given
	Asked   []string // addresses that it was to connect to, and URLs to be forwarded
	Resumed bool     // its TLS session, if it has one
}

// URL is the parent as a setting names it.
func (p *Parent) URL(scheme string) string {
	if p.user == "" {
		return scheme + "://" + p.Address
	}
	return scheme + "://" + p.user + ":" + p.password + "@" + p.Address
}

// Seen returns the connections so far.
func (p *Parent) Seen() (all []Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.seen {
		c := *one
		c.Asked = append([]string(nil), one.Asked...)
		all = append(all, c)
	}
	return all
}

// Listen makes a parent whose connections a script serves.
func Listen(t testing.TB, cfg *tls.Config, script func(net.Conn)) *Parent {
	return listen(t, cfg, "", "", func(_ *Parent, conn net.Conn, _ *Conn) { script(conn) })
}

func listen(t testing.TB, cfg *tls.Config, user, password string,
	serve func(*Parent, net.Conn, *Conn)) *Parent {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Parent{Address: ln.Addr().String(), ln: ln, user: user, password: password}
	p.running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conn.SetDeadline(time.Now().Add(30 * time.Second))
			if cfg != nil {
				conn = tls.Server(conn, cfg)
			}
			seen := &Conn{}
			p.mu.Lock()
			p.seen, p.conns = append(p.seen, seen), append(p.conns, conn)
			p.mu.Unlock()
			p.running.Go(func() {
				defer conn.Close()
				serve(p, conn, seen)
			})
		}
	})
	t.Cleanup(p.Close)
	return p
}

// Close ends the parent and its connections.
func (p *Parent) Close() {
	p.ln.Close()
	p.mu.Lock()
	for _, conn := range p.conns {
		conn.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// asked notes what a connection asks for.
func (p *Parent) asked(seen *Conn, user, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen.User, seen.Asked = user, append(seen.Asked, what)
}

// dial connects to an address, as the parent resolves it.
func (p *Parent) dial(address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(host, ".test") {
		host = "127.0.0.1"
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(host, port))
	if err == nil {
		p.mu.Lock()
		p.conns = append(p.conns, conn)
		p.mu.Unlock()
	}
	return conn, err
}

// splice passes bytes until either side ends.
func (p *Parent) splice(client net.Conn, in *bufio.Reader, origin net.Conn) {
	p.running.Go(func() {
		io.Copy(client, origin)
		client.Close()
		origin.Close()
	})
	io.Copy(origin, in)
	if half, ok := origin.(*net.TCPConn); ok {
		half.CloseWrite()
	}
}
