package certs

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// serve accepts TLS connections on loopback and answers the first byte of each with itself. It
// returns its address and the handshake errors.
func serve(tb testing.TB, config *tls.Config) (addr string, faults <-chan error) {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	errs := make(chan error, 128)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				server := tls.Server(conn, config)
				if err := server.Handshake(); err != nil {
					errs <- err
					return
				}
				io.CopyN(server, server, 1)
			})
		}
	})
	tb.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return listener.Addr().String(), errs
}

// visit makes one connection, sends a byte and waits for the answer: by then a TLS 1.3 client has
// its session ticket.
func visit(addr string, config *tls.Config) (tls.ConnectionState, error) {
	conn, err := tls.Dial("tcp", addr, config)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("x")); err != nil {
		return tls.ConnectionState{}, err
	}
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		return tls.ConnectionState{}, err
	}
	return conn.ConnectionState(), nil
}

// The client of these tests trusts the root and nothing else, and checks the leaf's name as any
// client does.
func TestHandshake(t *testing.T) {
	a := open(t, t.TempDir())
	asking := func(name string, protocols ...string) *tls.Config {
		return &tls.Config{ServerName: name, NextProtos: protocols}
	}
	of := func(oldest, newest uint16) *tls.Config {
		return &tls.Config{ServerName: "example.org", MinVersion: oldest, MaxVersion: newest}
	}
	for name, test := range map[string]struct {
		client      *tls.Config
		fallback    string
		protocol    string
		clientFault string // of the handshake, as the client sees it
		serverFault string
	}{
		"SNI":                   {client: asking("www.example.org")},
		"SNI before fallback":   {client: asking("www.example.org"), fallback: "192.0.2.1"},
		"SNI upper case":        {client: asking("WWW.Example.ORG")},
		"SNI punycode":          {client: asking("xn--bcher-kva.example")},
		"SNI of 253 characters": {client: asking(name253)},
		"fallback IPv4":         {client: asking("192.0.2.1"), fallback: "192.0.2.1"},
		"fallback IPv6":         {client: asking("2001:db8::1"), fallback: "2001:db8::1"},
		"TLS 1.2":               {client: of(0, tls.VersionTLS12)},
		"TLS 1.3":               {client: of(tls.VersionTLS13, 0)},
		"ALPN of a browser":     {client: asking("example.org", "h2", "http/1.1"), protocol: "http/1.1"},
		"ALPN http/1.0":         {client: asking("example.org", "http/1.0"), protocol: "http/1.0"},
		"ALPN h2 only": {client: asking("example.org", "h2"),
			clientFault: "no application protocol", serverFault: "unsupported application protocols"},
		"TLS 1.1": {client: of(tls.VersionTLS10, tls.VersionTLS11),
			clientFault: "protocol version", serverFault: "unsupported versions"},
		"wildcard SNI": {client: asking("*.example.org"),
			clientFault: "internal error", serverFault: `no certificate for "*.example.org"`},
		"garbage SNI": {client: asking("a b\x00"),
			clientFault: "internal error", serverFault: `no certificate for "a b\x00"`},
		"no name at all": {client: asking("192.0.2.1"),
			clientFault: "internal error", serverFault: "named no host"},
	} {
		t.Run(name, func(t *testing.T) {
			fallback := func(hello *tls.ClientHelloInfo) string {
				if hello.Conn == nil || hello.Conn.RemoteAddr() == nil {
					t.Error("fallback without connection")
				}
				return test.fallback
			}
			addr, faults := serve(t, a.ServerConfig(fallback))
			client := test.client.Clone()
			client.RootCAs = pool(a)
			state, err := visit(addr, client)
			if test.clientFault != "" {
				if err == nil || !strings.Contains(err.Error(), test.clientFault) {
					t.Errorf("client: %v, want %s", err, test.clientFault)
				}
				if fault := <-faults; !strings.Contains(fault.Error(), test.serverFault) {
					t.Errorf("server: %v, want %s", fault, test.serverFault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if state.NegotiatedProtocol != test.protocol {
				t.Errorf("protocol %q, want %q", state.NegotiatedProtocol, test.protocol)
			}
		})
	}
}

// TestKeyExchange: a client on this machine is spared the hybrids, unless it knows nothing else.
// All others get them.
func TestKeyExchange(t *testing.T) {
	a := open(t, t.TempDir())
	for name, test := range map[string]struct {
		offered []tls.CurveID
		far     bool
		want    tls.CurveID
	}{
		"near":              {nil, false, tls.X25519},
		"near, hybrid only": {[]tls.CurveID{tls.X25519MLKEM768}, false, tls.X25519MLKEM768},
		"near, P-256 only":  {[]tls.CurveID{tls.CurveP256}, false, tls.CurveP256},
		"far":               {nil, true, tls.X25519MLKEM768},
		"far, P-256 only":   {[]tls.CurveID{tls.CurveP256}, true, tls.CurveP256},
	} {
		t.Run(name, func(t *testing.T) {
			config := a.ServerConfig(nil)
			choose := config.GetConfigForClient
			config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				if test.far {
					hello.Conn = farConn{hello.Conn}
				}
				return choose(hello)
			}
			addr, _ := serve(t, config)
			cache := tls.NewLRUClientSessionCache(8)
			for _, resumed := range []bool{false, true} {
				state, err := visit(addr, &tls.Config{
					ServerName:         "example.org",
					RootCAs:            pool(a),
					CurvePreferences:   test.offered,
					ClientSessionCache: cache,
				})
				if err != nil || state.CurveID != test.want || state.DidResume != resumed {
					t.Errorf("%v, resumed %v, %v; want %v, resumed %v", state.CurveID, state.DidResume, err,
						test.want, resumed)
				}
			}
		})
	}
}

// TestOnLoopback: whoever is not known to be near is far.
func TestOnLoopback(t *testing.T) {
	for address, want := range map[net.Addr]bool{
		&net.TCPAddr{IP: net.IPv4(127, 9, 9, 9).To4()}:       true,
		&net.TCPAddr{IP: net.ParseIP("::ffff:127.0.0.1")}:    true,
		&net.TCPAddr{IP: net.IPv6loopback}:                   true,
		&net.TCPAddr{IP: net.ParseIP("::ffff:192.0.2.1")}:    false,
		&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "lo"}: false,
		&net.TCPAddr{}: false,
		&net.UnixAddr{Name: "/run/warcorder.sock", Net: "unix"}: false,
	} {
		if got := onLoopback(addressedConn{address: address}); got != want {
			t.Errorf("%v: %v", address, got)
		}
	}
}

// addressedConn is a connection from an address.
type addressedConn struct {
	net.Conn
	address net.Addr
}

func (c addressedConn) RemoteAddr() net.Addr { return c.address }

// farConn is a connection of another machine's.
type farConn struct{ net.Conn }

func (farConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}
}

func TestClientWithoutOurRootRefuses(t *testing.T) {
	a, other := open(t, t.TempDir()), open(t, t.TempDir())
	addr, _ := serve(t, a.ServerConfig(nil))
	_, err := visit(addr, &tls.Config{ServerName: "example.org", RootCAs: pool(other)})
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
		t.Errorf("accepted, or another fault: %v", err)
	}
}

func TestSessionsResume(t *testing.T) {
	for name, version := range map[string]uint16{
		"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13,
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, t.TempDir())
			addr, _ := serve(t, a.ServerConfig(nil))
			client := &tls.Config{
				ServerName:         "example.org",
				RootCAs:            pool(a),
				MinVersion:         version,
				MaxVersion:         version,
				ClientSessionCache: tls.NewLRUClientSessionCache(8),
			}
			resumed := 0
			for range 5 {
				state, err := visit(addr, client)
				if err != nil {
					t.Fatal(err)
				}
				if state.DidResume {
					resumed++
				}
			}
			if resumed != 4 {
				t.Errorf("%d of 5 connections resumed, want 4", resumed)
			}
		})
	}
}

func TestConcurrentHandshakesMintOnce(t *testing.T) {
	const clients = 64
	a := open(t, t.TempDir())
	config := a.ServerConfig(nil)
	certificate := config.GetCertificate
	var asking sync.WaitGroup // holds all handshakes until each has come to its certificate
	config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		asking.Done()
		asking.Wait()
		return certificate(hello)
	}
	addr, _ := serve(t, config)
	for round := range 8 {
		host := fmt.Sprintf("h%d.example.org", round)
		leaves := make(chan []byte, clients)
		asking.Add(clients)
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				state, err := visit(addr, &tls.Config{ServerName: host, RootCAs: pool(a)})
				if err != nil {
					t.Error(err)
					return
				}
				leaves <- state.PeerCertificates[0].Raw
			})
		}
		all.Wait()
		close(leaves)
		first := <-leaves
		for other := range leaves {
			if !bytes.Equal(first, other) {
				t.Error("two leaves for one name")
			}
		}
		if n := a.minted.Load(); n != int64(round+1) {
			t.Fatalf("minted %d leaves for %d names", n, round+1)
		}
	}
}

// Client and server run in one process: a figure is the CPU time of both sides.
func BenchmarkHandshake(b *testing.B) {
	for _, version := range []struct {
		name string
		id   uint16
	}{{"tls12", tls.VersionTLS12}, {"tls13", tls.VersionTLS13}} {
		for _, resumed := range []bool{false, true} {
			kind := map[bool]string{false: "full", true: "resumed"}[resumed]
			b.Run(version.name+"/"+kind, func(b *testing.B) {
				a := open(b, b.TempDir())
				addr, _ := serve(b, a.ServerConfig(nil))
				client := &tls.Config{
					ServerName: "example.org",
					RootCAs:    pool(a),
					MinVersion: version.id,
					MaxVersion: version.id,
				}
				if resumed {
					client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
				}
				if _, err := visit(addr, client); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					state, err := visit(addr, client)
					if err != nil || state.DidResume != resumed {
						b.Fatal(err, state.DidResume)
					}
				}
			})
		}
	}
}
