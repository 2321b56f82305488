package proxy

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/proxy/hosts"
	"warcorder/recorder"
)

// stranger is an address of this machine that is in clientsOnly no client's.
const stranger = "127.0.0.77"

// clientsOnly is a configuration in which 127.0.0.1 may use the proxy, and nobody else.
func clientsOnly(t testing.TB) Config {
	t.Helper()
	cfg := config()
	cfg.Clients = networks(t, "127.0.0.1")
	return cfg
}

func networks(t testing.TB, text string) hosts.Networks {
	t.Helper()
	n, err := hosts.ParseNetworks(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// dialFrom connects to the proxy from another address.
func (h *house) dialFrom(from string) *peer {
	h.t.Helper()
	dialer := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(
		netip.AddrPortFrom(netip.MustParseAddr(from), 0))}
	conn, err := dialer.Dial("tcp", h.address)
	if err != nil {
		h.t.Fatalf("%v (macOS and BSD: sudo ifconfig lo0 alias %s)", err, from)
	}
	h.t.Cleanup(func() { conn.Close() })
	return newPeer(h.t, conn)
}

// TestStrangers: whose address is none of clients gets nothing through the proxy, whatever it
// sends, and may ask for the proxy's own pages.
func TestStrangers(t *testing.T) {
	const says = "Your address, " + stranger + ", is not one of those that may use this proxy."
	h := newHouse(t, clientsOnly(t))
	o := newOrigin(t, false, sends(numbered(1)))
	for _, c := range []struct{ name, sent, status, says string }{
		{"absolute form", text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"), "403", says},
		{"a browser", text("GET http://"+o.address+"/ HTTP/1.1", "Accept: text/html"), "403", "<p>" + says},
		{"an upload", text("POST http://"+o.address+"/ HTTP/1.1", "Content-Length: 9") + "123456789", "403", says},
		{"CONNECT", text("CONNECT "+o.address+" HTTP/1.1", "Host: a"), "403", says},
		{"CONNECT to a path", text("CONNECT /x HTTP/1.1", "Host: a"), "403", says},
		{"CONNECT with a handshake behind", text("CONNECT "+o.address+" HTTP/1.1") + "\x16\x03\x01", "403", says},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", "403", says},
		{"a malformed head", "GET\n\n", "403", says},
		{"a large head", text("GET /status HTTP/1.1", "X: "+strings.Repeat("x", strangerHead)), "403", says},
		{"an own page", text("GET /status HTTP/1.1", "Host: a"), "200", "admin /status"},
		{"empty lines before it", "\r\n\n" + text("GET /status HTTP/1.1", "Host: a"), "200", "admin /status"},
		{"an upload to one", text("POST /x HTTP/1.1", "Host: a", "Content-Length: 3") + "123", "200", "admin /x"},
		{"a CONNECT behind an own page", text("GET /status HTTP/1.1", "Host: a") +
			text("CONNECT "+o.address+" HTTP/1.1", "Host: a"), "200", "admin /status"},
		{"absolute form behind an own page", text("GET /status HTTP/1.1", "Host: a") +
			text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"), "200", "admin /status"},
		{"OPTIONS of the proxy", text("OPTIONS * HTTP/1.1", "Host: a"), "200", ""},
	} {
		client := h.dialFrom(stranger)
		client.send(c.sent)
		got := client.readAll()
		wantFault(t, got, c.status, c.says)
		if strings.Count(got, "HTTP/1.1 ") != 1 {
			t.Errorf("%s: more than one answer: %q", c.name, got)
		}
	}
	if n := len(o.connections()); n != 0 {
		t.Errorf("%d connections to the origin", n)
	}
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	if got := client.readAll(); got != numbered(1) {
		t.Errorf("a client got %q", got)
	}
	h.untilStrangers(0)
	h.proxy.Shutdown(t.Context())
	gaps, err := h.rec.Gaps(0)
	if err != nil || gaps.Counts[recorder.GapRefused] != 9 {
		t.Errorf("%v, %v", err, gaps.Counts)
	}
	for _, gap := range gaps.Latest {
		if !strings.HasPrefix(gap.URL, stranger+":") || !strings.Contains(gap.Detail, "(clients)") {
			t.Errorf("%+v", gap)
		}
	}
}

// untilStrangers waits until n strangers are connected.
func (h *house) untilStrangers(n int64) {
	h.t.Helper()
	until(h.t, "strangers", func() bool { return h.proxy.strangers.open.Load() == n })
}

// TestStrangersTakeNoPlaces: strangers who send nothing, or slowly, keep no client out, hold no
// more than their own places, and in log and gap list they are a few lines that count all.
func TestStrangersTakeNoPlaces(t *testing.T) {
	const flood = 500
	cfg := clientsOnly(t)
	cfg.MaxConnections = 2
	descriptors := openDescriptors(t)
	h := newHouse(t, cfg)
	o := newOrigin(t, false, func(o *peer) {
		for o.readHead() != "" {
			o.send(numbered(1))
		}
	})
	spare := h.spare()
	var held []*peer
	for i := range strangerPlaces {
		held = append(held, h.dialFrom(stranger))
		held[i].send("GET http://")
	}
	h.untilStrangers(strangerPlaces)
	until(t, "a descriptor is counted for each", func() bool { return spare-h.spare() == strangerPlaces })
	var running sync.WaitGroup
	for range 10 {
		running.Go(func() {
			for range flood / 10 {
				h.dialFrom(stranger).readAll()
			}
		})
	}
	for range 5 {
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		if got := client.readN(len(numbered(1))); got != numbered(1) {
			t.Errorf("a client got %q", got)
		}
		client.conn.Close()
	}
	running.Wait()
	for _, client := range held[1:] {
		client.conn.Close()
	}
	wantFault(t, held[0].readAll(), "403", "") // its time is over
	h.untilStrangers(0)
	h.untilClients(0)
	if h.spare() != spare {
		t.Errorf("%d descriptors are left, want %d", h.spare(), spare)
	}
	h.proxy.Shutdown(t.Context())
	gaps, err := h.rec.Gaps(0)
	if n := gaps.Counts[recorder.GapRefused]; err != nil || n != flood+strangerPlaces || len(gaps.Latest) > 50 {
		t.Errorf("%v, %d gaps of which %d one by one; want %d", err, n, len(gaps.Latest), flood+strangerPlaces)
	}
	if n := strings.Count(h.log.String(), "may use the proxy (clients)"); n == 0 || n > 50 {
		t.Errorf("%d lines in the log", n)
	}
	h.close()
	o.close()
	wantNothingLeft(t)
	until(t, "no descriptor is left", func() bool { return openDescriptors(t) <= descriptors })
}

// TestStrangersEndWithTheProxy: a stranger who sends nothing holds up no end.
func TestStrangersEndWithTheProxy(t *testing.T) {
	h := newHouse(t, clientsOnly(t))
	client := h.dialFrom(stranger)
	h.untilStrangers(1)
	until(t, "it is read from", func() bool { return h.seats() == 1 })
	began := time.Now()
	h.close()
	if took := time.Since(began); took >= strangerPatience {
		t.Errorf("the end took %v", took)
	}
	if got := client.readAll(); got != "" {
		t.Errorf("%q", got)
	}
}

// seats is how many connections a stop would look at.
func (h *house) seats() int {
	h.proxy.clients.mu.Lock()
	defer h.proxy.clients.mu.Unlock()
	return len(h.proxy.clients.seats)
}

// TestClientsByAddress: who comes over IPv6 from an address of IPv4 is taken for what it is, and
// nobody for loopback who only writes it into an address.
func TestClientsByAddress(t *testing.T) {
	for _, c := range []struct {
		clients, from string
		may           bool
	}{
		{"", "127.0.0.1", true},
		{"", "127.9.9.9", true},
		{"", "::1", true},
		{"", "::ffff:127.0.0.1", true},
		{"", "192.0.2.1", false},
		{"", "::ffff:192.0.2.1", false},
		{"", "2002:7f00:1::1", false},
		{"", "64:ff9b::7f00:1", false},
		{"", "::7f00:1", false},
		{"192.0.2.0/24", "192.0.2.1", true},
		{"192.0.2.0/24", "::ffff:192.0.2.1", true},
		{"192.0.2.0/24", "127.0.0.1", false},
		{"2001:db8::/32", "2001:db8::1", true},
		{"fe80::/10", "fe80::1%eth0", true},
		{"@any", "2002:7f00:1::1", true},
	} {
		cfg := Config{Clients: networks(t, c.clients)}
		p := new(Proxy)
		p.now.Store(&settings{mayUse: cfg.MayUse()})
		from := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(c.from), 1))
		if got := p.mayUse(from); got != c.may {
			t.Errorf("clients %q, from %s: %v", c.clients, c.from, got)
		}
	}
	if (&Proxy{}).mayUse(&net.UnixAddr{}) {
		t.Error("who has no address may use the proxy")
	}
}

// TestMappedClients: a listener of both families sees clients of IPv4 in IPv6.
func TestMappedClients(t *testing.T) {
	ln, err := net.Listen("tcp", ":0") // of both families, where there are both
	if err != nil {
		t.Fatal(err)
	}
	cfg := clientsOnly(t)
	cfg.Allow = set(t, "@loopback")
	h := newHouseAt(t, cfg, recorderConfig, ln)
	_, port, _ := net.SplitHostPort(h.address)
	h.address = net.JoinHostPort("127.0.0.1", port)
	o := newOrigin(t, false, sends(numbered(1)))
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	if got := client.readAll(); got != numbered(1) {
		t.Errorf("a client got %q", got)
	}
	other := h.dialFrom(stranger)
	other.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	wantFault(t, other.readAll(), "403", "")
}
