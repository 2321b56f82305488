package proxy

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"warcorder/proxy/dns"
	"warcorder/proxy/hosts"
	"warcorder/proxy/reach"
	"warcorder/recorder"
)

// In these tests a half of the loopback network stands for what is outside, and the other half,
// with IPv6, for what is inside: so they run wherever there is a loopback.
const (
	outside  = "127.0.0.5"
	outside2 = "127.0.0.6"
	inside   = "127.128.0.5"
)

func set(t *testing.T, text string) hosts.Set {
	t.Helper()
	s, err := hosts.ParseSet(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reaching is a house with rules, in front of an origin at all addresses of the machine.
type reaching struct {
	*house
	port string
}

// newReaching starts both. What the origin answers is the address that it was asked at.
func newReaching(t *testing.T, deny, allow string, beyond bool, names script,
	secure bool) *reaching {
	t.Helper()
	cfg := config()
	cfg.Deny, cfg.Allow, cfg.Resolver = set(t, deny), set(t, allow), names.serve(t)
	h := newHouse(t, cfg)
	h.halve(beyond)
	ln, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	if secure {
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{originCertificate()}})
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr).IP.String()
		w.Header().Set("Connection", r.Header.Get("X-Connection"))
		fmt.Fprintf(w, "at %s", at)
	})}
	go server.Serve(ln)
	t.Cleanup(func() { server.Close() })
	return &reaching{h, port}
}

// halve makes a half of the loopback network the inside.
func (h *house) halve(beyond bool) {
	h.t.Helper()
	insides, err := hosts.ParseNetworks("127.128.0.0/9,::/0")
	if err != nil {
		h.t.Fatal(err)
	}
	rules := reach.Rules{Deny: h.proxy.current().cfg.Deny, Allow: h.proxy.current().cfg.Allow}
	h.proxy.current().upstreams.judge = reach.New(rules, insides, beyond,
		func() hosts.Networks { return hosts.Networks{} })
}

// ask asks for a host in one of the ways that clients have, and returns status and body.
func (r *reaching) ask(way, host string) string {
	r.t.Helper()
	place := net.JoinHostPort(strings.Trim(host, "[]"), r.port)
	client, target := r.dial(), "http://"+place+"/"
	switch way {
	case "CONNECT":
		client, target = r.tunnel(place, false), "/"
	case "TLS":
		client, target = r.tunnel(place, true), "/"
	}
	defer client.conn.Close()
	client.send("GET " + target + " HTTP/1.1\r\nHost: " + place + "\r\nX-Connection: close\r\n\r\n")
	return answerOn(client)
}

// answerOn reads an answer: its status and body in one line.
func answerOn(client *peer) string {
	res, err := http.ReadResponse(bufio.NewReader(client.conn), nil)
	if err != nil {
		return err.Error()
	}
	body, _ := io.ReadAll(res.Body)
	return fmt.Sprint(res.StatusCode, " ", strings.ReplaceAll(string(body), "\n", " "))
}

// TestReach: which requests reach an origin, and at which of its addresses, in each way to ask.
// Rows of look-ups are asked one after the other.
func TestReach(t *testing.T) {
	const rebinding, fromOut = "DNS rebinding", "other machines use this proxy"
	for _, c := range []struct {
		name, deny, allow string
		beyond            bool
		names             script
		asks              [][2]string // host, and what the answer has in it
	}{
		{name: "nothing is denied", names: script{"a.test": {outside}, "lan.test": {inside}},
			asks: [][2]string{{"a.test", "at " + outside}, {"lan.test", "at " + inside},
				{inside, "at " + inside}, {"a.test", "at " + outside}}},
		{name: "a name that flips", names: script{"a.test": {outside, inside, outside2, inside}},
			asks: [][2]string{{"a.test", "at " + outside}, {"a.test", rebinding},
				{"A.test", "at " + outside2}, {"a.test.", rebinding}, {inside, "at " + inside}}},
		{name: "a name that flips the other way", names: script{"a.test": {inside, outside,
			outside + " " + inside}, "b.a.test": {outside}},
			asks: [][2]string{{"a.test", "at " + inside}, {"a.test", "led into this network"},
				{"A.test.", "at " + inside}, {"b.a.test", "at " + outside}}},
		{name: "a name that flips, allowed", allow: "a.test",
			names: script{"a.test": {outside, inside}},
			asks:  [][2]string{{"a.test", "at " + outside}, {"a.test", "at " + inside}}},
		{name: "both kinds at once", names: script{"a.test": {inside + " ::1 " + outside}},
			asks: [][2]string{{"a.test", "at " + outside}, {"a.test", "at " + outside}}},
		{name: "behind aliases", names: script{"a.test": {"b.test. c.test. " + outside,
			"d.test. " + inside}},
			asks: [][2]string{{"a.test", "at " + outside}, {"a.test", rebinding},
				{"c.test", "502 "}}},
		{name: "inside in IPv6", names: script{"a.test": {outside, "::ffff:" + inside, "::1"}},
			asks: [][2]string{{"a.test", "at " + outside}, {"a.test", rebinding}, {"a.test", rebinding}}},
		{name: "the first address is denied", deny: outside,
			names: script{"a.test": {outside + " " + outside2}, "b.test": {outside}},
			asks: [][2]string{{"a.test", "at " + outside2}, {outside, "403 "},
				{"b.test", `b.test (` + outside + `): the setting deny has`}}},
		{name: "denied by name", deny: "*.bank.test",
			names: script{"www.bank.test": {outside}, "bank.test": {outside}},
			asks:  [][2]string{{"www.bank.test", `deny has`}, {"bank.test", "at "}}},
		{name: "white list", deny: "*", allow: "a.test, " + outside2,
			names: script{"a.test": {inside}, "b.test": {outside}, "c.test": {outside + " " + outside2}},
			asks: [][2]string{{"a.test", "at " + inside}, {"b.test", "403 "}, {"c.test", "at " + outside2},
				{outside2, "at " + outside2}, {inside, "403 "}}},
		{name: "beyond loopback", beyond: true,
			names: script{"a.test": {outside}, "b.test": {inside + " " + outside}, "lan.test": {inside}},
			asks: [][2]string{{"a.test", "at " + outside}, {"b.test", "at " + outside},
				{"lan.test", fromOut}, {inside, fromOut}, {"[::ffff:" + inside + "]", fromOut},
				{"[::ffff:7f80:5]", fromOut}, {"[64:ff9b::7f80:5]", fromOut}, {"[::1]", fromOut}}},
		{name: "beyond loopback, allowed", beyond: true, allow: "lan.test",
			names: script{"lan.test": {inside}},
			asks:  [][2]string{{"lan.test", "at " + inside}, {inside, fromOut}}},
		{name: "numbers that some read as addresses", beyond: true, names: script{},
			asks: [][2]string{{"2139095045", "50"}, {"0x7f800005", "50"}, {"0177.0200.0.5", "50"},
				{"0x7f.0x80.5", "50"}, {"127.8388613", "50"}, {"127.128.5", "50"}, {"127.128.0.05", "50"}}},
	} {
		for _, way := range []string{"absolute", "CONNECT", "TLS"} {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				r := newReaching(t, c.deny, c.allow, c.beyond, c.names, way == "TLS")
				blocked := 0
				for i, ask := range c.asks {
					got := r.ask(way, ask[0])
					came := strings.HasPrefix(got, "200")
					if !strings.Contains(got, ask[1]) || came != strings.HasPrefix(ask[1], "at") {
						t.Errorf("%d, %s: %q, want %q", i, ask[0], got, ask[1])
					}
					if strings.HasPrefix(got, "403") {
						blocked++
					}
				}
				for _, gap := range r.gaps() {
					if gap.Reason == recorder.GapBlocked {
						blocked--
					}
				}
				if blocked != 0 {
					t.Errorf("gaps: %v", r.gaps())
				}
				for _, record := range of(r.records(), "response") {
					if !strings.Contains(string(record.block), "at 127") {
						t.Errorf("recorded: %q", record.block)
					}
				}
			})
		}
	}
}

// TestReachBySNI: in a tunnel the client may name another host than the one that is dialled. A
// pattern of deny holds for both, one of allow for what is dialled alone.
func TestReachBySNI(t *testing.T) {
	for _, c := range []struct{ deny, allow, host, sni, want string }{
		{"bank.test", "", outside, "bank.test", "403 "},
		{"bank.test", "", outside, "a.test", "200 "},
		{"*", "a.test", outside, "a.test", "403 "},
		{"*", "a.test", "a.test", "bank.test", "200 "},
		{outside, "", "a.test", "b.test", "403 "},
	} {
		r := newReaching(t, c.deny, c.allow, false, script{"a.test": {outside}}, true)
		client := r.tunnel(net.JoinHostPort(c.host, r.port), false)
		conn := tls.Client(client.conn, &tls.Config{RootCAs: r.roots(), ServerName: c.sni})
		if err := conn.Handshake(); err != nil {
			t.Fatal(err)
		}
		inner := newPeer(t, conn)
		inner.send("GET / HTTP/1.1\r\nHost: " + c.sni + "\r\n\r\n")
		if got := answerOn(inner); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
		conn.Close()
	}
}

// TestReachKept: a connection inside that is kept for a name serves it on, since the name leads
// nowhere else from then on: a page that came from outside could read what the browser has got
// there.
func TestReachKept(t *testing.T) {
	r := newReaching(t, "", "", false, script{"a.test": {inside, outside}}, false)
	u, to := r.proxy.current().upstreams, origin{host: "a.test", port: r.port}
	up, err := u.dial(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	u.put(up)
	var denial *reach.Denial
	if _, err := u.dial(t.Context(), to); !errors.As(err, &denial) {
		t.Errorf("outside: %v", err)
	}
	if u.get(to) != up {
		t.Error("the connection is not kept")
	}
	up.close()
}

// TestReachFromOutside: what is denied by itself depends on where the proxy listens, and has each
// address of the machine in it.
func TestReachFromOutside(t *testing.T) {
	own := interfaceAddresses()
	if len(own) == 0 {
		t.Fatal("the machine has no addresses")
	}
	for _, c := range []struct {
		listen string
		denied bool
	}{
		{"127.0.0.1", false}, {"127.8.0.1", false}, {"::1", false}, {"0.0.0.0", true}, {"::", true},
		{"192.0.2.1", true}, {"10.0.0.1", true}, {"2001:db8::1", true},
	} {
		at := listenerAt{addr: &net.TCPAddr{IP: net.ParseIP(c.listen), Port: 1}}
		u := (&Proxy{ln: at}).newUpstreams(&Config{}, certificates{})
		for _, address := range append(own, netip.MustParseAddr("169.254.169.254")) {
			_, err := u.permitted(t.Context(), origin{host: address.String(), port: "80"})
			if (err != nil) != c.denied {
				t.Errorf("listening at %s, to %s: %v", c.listen, address, err)
			}
		}
		addresses := new(ownAddresses).get()
		if !addresses.Has(own[0]) {
			t.Errorf("%v are not all addresses of the machine", addresses)
		}
	}
}

// TestReachUnasked: no name server hears of a name that is denied.
func TestReachUnasked(t *testing.T) {
	server := script{"a.bank.test": {outside}, "a.test": {outside}}.start(t)
	cfg := config()
	cfg.Resolver, cfg.Deny = dns.Servers{server.address}, set(t, "*.bank.test")
	h := newHouse(t, cfg)
	for _, host := range []string{"a.bank.test", "a.test"} {
		client := h.dial()
		client.send(text("GET http://"+host+":9/ HTTP/1.1", "Host: a", "Connection: close"))
		answerOn(client)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	for question := range server.asked {
		if nameOf(question) != "a.test" {
			t.Errorf("asked for %s", nameOf(question))
		}
	}
	if len(server.asked) == 0 {
		t.Error("the server was never asked")
	}
}

// TestReachCompletion: what the proxy asks for by itself goes where a client may go, and not where
// the name leads in the meantime.
func TestReachCompletion(t *testing.T) {
	o := newLibrary(t, false, func(head string) string {
		return strings.Replace(film(head), "ETag", "Connection: close\r\nETag", 1) + "…"
	})
	_, port, _ := net.SplitHostPort(o.address)
	cfg := hasty()
	cfg.Resolver = script{"a.test": {"127.0.0.1", inside}}.serve(t)
	h := newHouse(t, cfg)
	h.halve(false)
	client := h.dial()
	client.send(text("GET http://a.test:"+port+"/film HTTP/1.1", "Host: a", "Range: bytes=3-5"))
	client.readAll()
	h.untilCompleted(0, 1)
	gaps := h.gaps()
	if len(gaps) != 1 || !strings.Contains(gaps[0].Detail, "DNS rebinding") {
		t.Errorf("%v", gaps)
	}
}

// TestReachTunnel: where nothing is intercepted, the CONNECT itself is answered with the sentence,
// and a name that flips is no way inside either.
func TestReachTunnel(t *testing.T) {
	cfg := config()
	cfg.Deny, cfg.Tunnel = set(t, "bank.test"), hosts.List{All: true}
	cfg.Resolver = script{"a.test": {outside, inside}}.serve(t)
	h := newHouse(t, cfg)
	h.halve(false)
	ln, err := net.Listen("tcp", outside+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	for i, c := range [][2]string{{"bank.test", `deny has "bank.test"`}, {"a.test", "200 "},
		{"a.test", "DNS rebinding"}, {inside, "502 "}} {
		client := h.dial()
		client.send(text("CONNECT "+c[0]+":"+port+" HTTP/1.1", "Host: a"))
		head := client.readHead()
		if i == 1 {
			client.conn.Close()
		}
		if got := head + client.readAll(); !strings.Contains(got, c[1]) {
			t.Errorf("%d, %s: %q", i, c[0], got)
		}
	}
	blocked := 0
	for _, gap := range h.gaps() {
		if gap.Reason == recorder.GapBlocked {
			blocked++
		}
	}
	if blocked != 2 {
		t.Errorf("%v", h.gaps())
	}
}

// TestReachUnrecorded: what passes unrecorded goes where the rest may go, and is listed no more
// than the rest of it.
func TestReachUnrecorded(t *testing.T) {
	cfg := config()
	cfg.Deny, cfg.NoRecord = set(t, "*.test, 127.0.0.1"), hosts.List{All: true}
	h := newHouse(t, cfg)
	for _, host := range []string{"a.test", "127.0.0.1"} {
		client := h.dial()
		client.send(text("GET http://"+host+":9/ HTTP/1.1", "Host: a", "Connection: close"))
		wantFault(t, client.readAll(), "403", "the setting deny has")
	}
	if gaps := h.gaps(); len(gaps) > 0 {
		t.Errorf("listed: %v", gaps)
	}
}

// listenerAt is a listener of which only its address counts.
type listenerAt struct {
	net.Listener
	addr net.Addr
}

func (l listenerAt) Addr() net.Addr { return l.addr }
