package proxy

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/proxy/unused"
	"warcorder/recorder"
)

// untouched is config with hosts whose tunnels pass untouched.
func untouched(hosts ...string) Config {
	cfg := config()
	cfg.Tunnel.Hosts = hosts
	return cfg
}

// pinning is a client that takes the origin's own certificate and no other.
func pinning(t *testing.T, conn net.Conn, name string) *tls.Conn {
	t.Helper()
	roots := x509.NewCertPool()
	own, err := x509.ParseCertificate(originCertificate().Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(own)
	return tls.Client(conn, &tls.Config{ServerName: name, RootCAs: roots})
}

// answering answers each request with a page.
func answering(o *peer) {
	for o.readHead() != "" {
		o.send(numbered(1))
	}
}

// at returns host with the port of an origin.
func (o *originServer) at(host string) string {
	_, port, _ := net.SplitHostPort(o.address)
	return net.JoinHostPort(host, port)
}

// wantAnswer sends a request and wants the page of answering.
func wantAnswer(t *testing.T, conn net.Conn) {
	t.Helper()
	p := newPeer(t, conn)
	p.send(text("GET / HTTP/1.1", "Host: a"))
	if got := p.readN(len(numbered(1))); got != numbered(1) {
		t.Errorf("%q", got)
	}
	conn.Close()
}

// TestTunnel: a client that takes the origin's certificate only gets its answers, by name or, where
// the CONNECT names an address, by the name in its hello. Nothing is recorded, each tunnel is
// counted, and of one host one is listed.
func TestTunnel(t *testing.T) {
	for name, host := range map[string]string{"by name": "localhost", "by the hello": "127.0.0.1"} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, untouched("localhost"))
			o := newOrigin(t, true, answering)
			for range 3 {
				wantAnswer(t, pinning(t, h.tunnel(o.at(host), false).conn, "LocalHost"))
			}
			if all := h.records(); len(all) > 0 {
				t.Errorf("%d records", len(all))
			}
			if n := h.rec.Status().Gaps[recorder.GapTunnelled]; n != 3 {
				t.Errorf("%d tunnels are counted, want 3", n)
			}
			if n := strings.Count(h.log.String(), "passes untouched"); n != 1 {
				t.Errorf("%d lines of the log, want 1: %s", n, h.log.String())
			}
		})
	}
}

// TestTunnelOfAnyBytes: the bytes need not be TLS, the origin may be the one who begins, and what
// the client sends before it has its 200 arrives; and each side may end its half first.
func TestTunnelOfAnyBytes(t *testing.T) {
	h := newHouse(t, untouched("localhost"))
	o := newOrigin(t, false, func(o *peer) {
		o.send("220 ready\r\n")
		b, _ := io.ReadAll(o.in)
		o.send("got " + string(b))
	})
	early := strings.Repeat("early ", 10_000)
	client := h.dial()
	client.send(text("CONNECT "+o.at("localhost")+" HTTP/1.1", "Host: a") + early)
	if head := client.readHead(); head != string(established) {
		t.Errorf("%q", head)
	}
	if got := client.readN(11); got != "220 ready\r\n" {
		t.Errorf("%q", got)
	}
	client.send("late")
	client.conn.(*net.TCPConn).CloseWrite()
	if got := client.readAll(); got != "got "+early+"late" {
		t.Errorf("%d bytes came back: %.50q", len(got), got)
	}
}

// TestTunnelIsListedOnce: with its host and port.
func TestTunnelIsListedOnce(t *testing.T) {
	h := newHouse(t, untouched("localhost"))
	o := newOrigin(t, true, answering)
	for range 2 {
		wantAnswer(t, pinning(t, h.tunnel(o.at("localhost"), false).conn, "localhost"))
	}
	gaps := h.gaps()
	if len(gaps) != 1 || gaps[0].Reason != recorder.GapTunnelled || gaps[0].URL != o.at("localhost") {
		t.Errorf("gaps: %+v", gaps)
	}
}

// TestWhatIsNoTunnel: plain requests of such a host are recorded, and so is what asks for another
// name, or for none.
func TestWhatIsNoTunnel(t *testing.T) {
	h := newHouse(t, untouched("localhost"))
	plain, secure := newOrigin(t, false, answering), newOrigin(t, true, answering)
	client := h.dial()
	client.send(text("GET http://"+plain.at("localhost")+"/ HTTP/1.1", "Host: a"))
	if got := client.readN(len(numbered(1))); got != numbered(1) {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"127.0.0.1", "www.example.org"} { // an address is no SNI
		conn := tls.Client(h.tunnel(secure.address, false).conn,
			&tls.Config{ServerName: name, RootCAs: h.roots()})
		wantAnswer(t, conn)
	}
	inner := h.tunnel(plain.address, false) // plain HTTP inside
	inner.send(text("GET / HTTP/1.1", "Host: localhost"))
	inner.readN(len(numbered(1)))
	if n := len(of(h.records(), "response")); n != 4 {
		t.Errorf("%d responses are recorded, want 4", n)
	}
	if n := h.rec.Status().Gaps[recorder.GapTunnelled]; n != 0 {
		t.Errorf("%d tunnels", n)
	}
}

// TestTunnelOfUnrecordedHost: no-record holds as well, so that nothing names the host.
func TestTunnelOfUnrecordedHost(t *testing.T) {
	cfg := untouched("localhost")
	cfg.NoRecord.Hosts = []string{"localhost"}
	h := newHouse(t, cfg)
	o := newOrigin(t, true, answering)
	wantAnswer(t, pinning(t, h.tunnel(o.at("localhost"), false).conn, "localhost"))
	h.untilClients(0)
	h.wantUnrecorded(h.records(), 1)
	if strings.Contains(h.log.String(), "localhost") {
		t.Errorf("the log names the host: %s", h.log.String())
	}
}

// TestTunnelRefused: a client learns at its CONNECT why there is no tunnel, and is not told 200
// before there is one.
func TestTunnelRefused(t *testing.T) {
	h := newHouse(t, untouched("localhost", "127.0.0.1", "*.invalid"))
	for target, want := range map[string]string{
		unused.Address(t):    "HTTP/1.1 502 ",
		"nowhere.invalid:43": "HTTP/1.1 502 ",
		h.address:            "HTTP/1.1 508 ",
	} {
		client := h.dial()
		client.send(text("CONNECT "+target+" HTTP/1.1", "Host: a"))
		if answer := client.readAll(); !strings.HasPrefix(answer, want) {
			t.Errorf("%s: %q", target, answer)
		}
	}
	if gaps := h.gaps(); len(gaps) != 3 {
		t.Errorf("gaps: %+v", gaps)
	}
}

// TestTunnelDenied: deny counts for tunnels as for exchanges, by the CONNECT's host and by the name
// in the hello.
func TestTunnelDenied(t *testing.T) {
	cfg := untouched("localhost", "127.0.0.1", "denied.example")
	cfg.Deny = set(t, "localhost,denied.example")
	h := newHouse(t, cfg)
	o := newOrigin(t, true, answering)
	client := h.dial()
	client.send(text("CONNECT "+o.at("localhost")+" HTTP/1.1", "Host: a"))
	if answer := client.readAll(); !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
		t.Errorf("%q", answer)
	}
	wantAnswer(t, pinning(t, h.tunnel(o.address, false).conn, "localhost")) // never looked into
	h.untilClients(0)
	if gaps := h.gaps(); len(gaps) != 2 || gaps[1].Reason != recorder.GapBlocked {
		t.Errorf("gaps: %+v", gaps)
	}
	cfg.Tunnel.Hosts = []string{"localhost"}
	h, o = newHouse(t, cfg), newOrigin(t, true, answering)
	if err := pinning(t, h.tunnel(o.address, false).conn, "localhost").Handshake(); err == nil {
		t.Error("a handshake with a denied host")
	}
	h.untilClients(0)
	if n := len(o.connections()); n != 0 {
		t.Errorf("%d connections to a denied host", n)
	}
}

// TestTunnelWhilePaused: it is counted as what passes unrecorded, and not listed.
func TestTunnelWhilePaused(t *testing.T) {
	h := newHouse(t, untouched("localhost"))
	o := newOrigin(t, true, answering)
	h.proxy.Pause()
	wantAnswer(t, pinning(t, h.tunnel(o.at("localhost"), false).conn, "localhost"))
	h.untilClients(0)
	h.wantUnrecorded(h.records(), 1)
}

// TestTunnelRefusedTooLate: where the hello decides, the client has had its 200; it is told by the
// end of the connection, and the gap says why.
func TestTunnelRefusedTooLate(t *testing.T) {
	h := newHouse(t, untouched("localhost"))
	nobody := unused.Address(t)
	if err := pinning(t, h.tunnel(nobody, false).conn, "localhost").Handshake(); err == nil {
		t.Error("a handshake with nobody")
	}
	h.untilClients(0)
	if gaps := h.gaps(); len(gaps) != 1 || gaps[0].URL != nobody ||
		!strings.Contains(gaps[0].Detail, "refused the connection") {
		t.Errorf("gaps: %+v", gaps)
	}
}

// TestTunnelIsNobodysWait: a silent tunnel holds up no shutdown, and what it took is given back.
func TestTunnelIsNobodysWait(t *testing.T) {
	h := newHouse(t, untouched("localhost"))
	before := h.spare()
	o := newOrigin(t, true, answering)
	client := pinning(t, h.tunnel(o.at("localhost"), false).conn, "localhost")
	if err := client.Handshake(); err != nil {
		t.Fatal(err)
	}
	if taken := before - h.spare(); taken != 1+exchangeFiles {
		t.Errorf("a tunnel takes %d descriptors", taken)
	}
	began := time.Now()
	h.close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the end took %v", took)
	}
	if after := h.spare(); after != before {
		t.Errorf("%d descriptors are spare, %d were", after, before)
	}
}

// hello is the first flight of a client.
func hello(t *testing.T, name string, protocols []string) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	var flight bytes.Buffer
	var reading sync.WaitGroup
	reading.Go(func() {
		b := make([]byte, maxHello)
		for {
			n, err := theirs.Read(b)
			flight.Write(b[:n])
			theirs.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // the rest of it
			if err != nil {
				theirs.Close()
				return
			}
		}
	})
	tls.Client(ours, &tls.Config{ServerName: name, NextProtos: protocols}).Handshake()
	ours.Close() // there is no hello of some names
	reading.Wait()
	return flight.Bytes()
}

// inRecords cuts a hello of one record into records of so many bytes.
func inRecords(hello []byte, size int) (cut []byte) {
	for body := hello[5:]; len(body) > 0; {
		n := min(size, len(body))
		cut = append(append(cut, 22, 3, 1, byte(n>>8), byte(n)), body[:n]...)
		body = body[n:]
	}
	return cut
}

// TestHelloName: however a hello is cut, its name is found, and all of it stays to be read; what is
// none, or too long, has no name, and not more than maxHello of it is read.
func TestHelloName(t *testing.T) {
	whole := hello(t, "WWW.example.org", nil)
	var many []string
	for i := range 248 {
		many = append(many, fmt.Sprintf("%0250d", i))
	}
	zeros := make([]byte, 1<<20)
	for name, test := range map[string]struct {
		sent []byte
		want string
	}{
		"in one piece":        {whole, "www.example.org"},
		"in many records":     {inRecords(whole, 3), "www.example.org"},
		"with more behind it": {append(bytes.Clone(whole), "early data"...), "www.example.org"},
		"of 15 KB":            {hello(t, "a.example", many[:58]), "a.example"},
		"of 62 KB":            {hello(t, "a.example", many), ""},
		"cut off":             {whole[:len(whole)-1], ""},
		"without a name":      {hello(t, "", nil), ""},
		"of an address":       {hello(t, "192.0.2.1", nil), ""},
		"no hello":            {[]byte("\x16\x03\x01\x00\x04\x0b\x00\x00\x00"), ""},
		"no TLS":              {[]byte("\x16GET / HTTP/1.1\r\n\r\n"), ""},
		"endless": {
			inRecords(append([]byte(".....\x01\xff\xff\xff"), zeros...), 16<<10), ""},
		"endless small pieces": {
			inRecords(append([]byte(".....\x01\x00\xff\xff"), zeros...), 1), ""},
	} {
		for _, piece := range []int{len(test.sent), 1} {
			ours, theirs := net.Pipe()
			go func() {
				for sent := test.sent; len(sent) > 0; {
					n, err := ours.Write(sent[:min(piece, len(sent))])
					if err != nil {
						return
					}
					sent = sent[n:]
				}
				ours.Close()
			}()
			c := &tapConn{Conn: theirs}
			if got := helloName(c); got != test.want {
				t.Errorf("%s: %q, want %q", name, got, test.want)
			}
			if len(c.replay) > maxHello {
				t.Errorf("%s: %d bytes are kept", name, len(c.replay))
			}
			if len(test.sent) <= maxHello {
				if again, err := io.ReadAll(c); err != nil || !bytes.Equal(again, test.sent) {
					t.Errorf("%s: %d bytes are read again, of %d: %v", name, len(again), len(test.sent), err)
				}
			}
			theirs.Close()
		}
	}
}
