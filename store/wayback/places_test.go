package wayback

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"
)

// elsewhere is a listener whose clients of 127.0.0.N, but for those of 127.0.0.1, seem to be of
// 192.0.2.N.
type elsewhere struct{ net.Listener }

func (e elsewhere) Accept() (net.Conn, error) {
	conn, err := e.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return from{conn}, nil
}

type from struct{ net.Conn }

func (f from) RemoteAddr() net.Addr {
	at := netip.MustParseAddrPort(f.Conn.RemoteAddr().String())
	if last := at.Addr().As4()[3]; last != 1 {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, last}), at.Port())
	}
	return net.TCPAddrFromAddrPort(at)
}

// crowd are clients of a site, which answers with more than they read.
type crowd struct {
	*recording
	long string // the path of more than they read
	held []net.Conn
}

func crowded(t *testing.T) *crowd {
	t.Helper()
	c := &crowd{recording: record(t, "news", nil)}
	noise := make([]byte, 12<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	c.commit("http://example.com/long", page+string(noise), 0)
	c.long = "/warc/" + c.captures()[0].File
	c.site = New(c.collection())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.server = &httptest.Server{Listener: elsewhere{ln}, Config: &http.Server{Handler: c.site}}
	c.server.Start()
	t.Cleanup(c.server.Close)
	t.Cleanup(c.leave)
	return c
}

// from asks as a client with that address, and reads the head of the answer.
func (c *crowd) from(address, path string) *http.Response {
	c.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	conn, err := dialer.Dial("tcp", c.server.Listener.Addr().String())
	if err != nil && runtime.GOOS == "darwin" {
		c.t.Skip("this system has one address of loopback: ", err)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.held = append(c.held, conn)
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path)
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 4096), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

// hold holds so many places for an address, or fails.
func (c *crowd) hold(address string, n int) {
	c.t.Helper()
	for i := range n {
		if res := c.from(address, c.long); res.StatusCode != 200 {
			c.t.Fatalf("place %d of %s: %s", i, address, res.Status)
		}
	}
}

// answers expects the status of an answer of one more for an address.
func (c *crowd) answers(address string, want int) {
	c.t.Helper()
	res := c.from(address, "/web/id_/http://example.com/none")
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != want || want != 404 && (res.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(body), `"error":"Too many`)) {
		c.t.Errorf("%s: %s %s, want %d", address, res.Status, body, want)
	}
}

// leave closes all connections.
func (c *crowd) leave() {
	for _, conn := range c.held {
		conn.Close()
	}
	c.held = nil
}

// empties waits until no place is taken.
func (c *crowd) empties() {
	c.t.Helper()
	taken := func() int {
		c.site.places.mu.Lock()
		defer c.site.places.mu.Unlock()
		return c.site.places.taken + len(c.site.places.by)
	}
	for until := time.Now().Add(30 * time.Second); taken() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			c.t.Fatal("places stay taken")
		}
	}
}

// TestPlacesOfOne: a client that does not read has a part of the places, and no more: others are
// answered. When it goes it has them again.
func TestPlacesOfOne(t *testing.T) {
	c := crowded(t)
	for _, round := range []struct {
		address string
		most    int
		others  []string
	}{
		{"127.0.0.2", mostOfOne, []string{"127.0.0.1", "127.0.0.3"}},
		{"127.0.0.1", mostOfLocal, []string{"127.0.0.2", "127.0.0.3"}},
	} {
		c.hold(round.address, round.most)
		c.answers(round.address, 429)
		for _, other := range round.others {
			c.answers(other, 404)
		}
		c.leave()
		c.empties()
		c.answers(round.address, 404)
	}
}

// TestPlacesOfAll: however many clients there are, no more are answered at once, and they are told so.
func TestPlacesOfAll(t *testing.T) {
	c := crowded(t)
	c.hold("127.0.0.1", mostOfLocal)
	c.hold("127.0.0.2", mostOfOne)
	c.hold("127.0.0.3", mostOfOne)
	c.answers("127.0.0.4", 503)
	c.answers("127.0.0.3", 429)
	c.leave()
	c.empties()
	c.answers("127.0.0.4", 404)
}

// TestSlowReader: a client that reads nothing loses its place after some time.
func TestSlowReader(t *testing.T) {
	c := crowded(t)
	c.site.patience = 300 * time.Millisecond
	c.hold("127.0.0.1", 1)
	c.empties()
}

// TestClientOf: all addresses of this machine are of one client, and all of a network that an IPv6
// client has.
func TestClientOf(t *testing.T) {
	for _, same := range [][]string{
		{"127.0.0.1:1", "127.0.0.1:2", "127.8.9.10:1", "[::1]:1", "[::ffff:127.0.0.1]:1"},
		{"192.0.2.1:1", "192.0.2.1:2", "[::ffff:192.0.2.1]:9"},
		{"192.0.2.2:1"},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1:2:3]:1"},
		{"[2001:db8:0:1::1]:1"},
		{"[fe80::1%eth0]:1", "[fe80::2%eth1]:1"},
		{"", "@", "a:b"},
	} {
		for _, address := range same[1:] {
			if one, _ := clientOf(same[0]); func() bool { who, _ := clientOf(address); return who != one }() {
				t.Errorf("%q is another client than %q", address, same[0])
			}
		}
	}
	seen := map[netip.Prefix]string{}
	for _, address := range []string{"127.0.0.1:1", "192.0.2.1:1", "192.0.2.2:1", "[2001:db8::1]:1",
		"[2001:db8:0:1::1]:1", "[fe80::1%eth0]:1", ""} {
		who, _ := clientOf(address)
		if other, is := seen[who]; is {
			t.Errorf("%q is the client %q", address, other)
		}
		seen[who] = address
	}
}
