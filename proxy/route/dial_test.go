package route

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/route/routetest"
)

// certificate is self-signed, for 127.0.0.1; roots has it.
func certificate(t testing.TB) (cfg *tls.Config, roots *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, _ := x509.ParseCertificate(der)
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		roots
}

// means is a Dialer of this machine, to which names that end in ".here" are 127.0.0.1.
func means(roots *x509.CertPool) *Dialer {
	lookup := func(_ context.Context, host string) ([]netip.Addr, error) {
		if strings.HasSuffix(host, ".here") {
			host = "127.0.0.1"
		}
		address, err := netip.ParseAddr(host)
		if err != nil {
			return nil, &net.DNSError{Err: "no such host", Name: host}
		}
		return []netip.Addr{address}, nil
	}
	return &Dialer{
		Connect: func(ctx context.Context, host, port string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		},
		Handshake: func(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
			secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: roots})
			return secure, secure.HandshakeContext(ctx)
		},
		Lookup:  lookup,
		Resolve: func(ctx context.Context) ([]netip.Addr, error) { return lookup(ctx, "origin.here") },
	}
}

// echo is an origin that says what it hears.
func echo(t testing.TB) (port string) {
	o := routetest.Listen(t, nil, func(conn net.Conn) { io.Copy(conn, conn) })
	_, port, _ = net.SplitHostPort(o.Address)
	return port
}

func parse(t testing.TB, text string) *Way {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r.To(true, "any", "443")
}

// TestDial: every kind of parent leads to the origin, alone and behind every other kind, with a
// password and without; names are resolved where the last one's kind says, and only then an address
// is known.
func TestDial(t *testing.T) {
	port := echo(t)
	cfg, roots := certificate(t)
	d := means(roots)
	const user, password = "a%40b", "p%3A%2C%3Dq%20"
	parents := map[string]func(string, string) *routetest.Parent{
		"http":    func(u, p string) *routetest.Parent { return routetest.HTTP(t, nil, u, p) },
		"https":   func(u, p string) *routetest.Parent { return routetest.HTTP(t, cfg, u, p) },
		"socks5":  func(u, p string) *routetest.Parent { return routetest.SOCKS5(t, u, p) },
		"socks5h": func(u, p string) *routetest.Parent { return routetest.SOCKS5(t, u, p) },
	}
	for first, makeFirst := range parents {
		for last, makeLast := range parents {
			a, b := makeFirst(user, password), makeLast("", "")
			for _, way := range []*Way{
				parse(t, b.URL(last)),
				parse(t, a.URL(first)+" "+b.URL(last)),
				parse(t, b.URL(last)+" "+a.URL(first)+" "+b.URL(last)),
			} {
				host := "origin.test"
				if last == "socks5" {
					host = "origin.here"
				}
				conn, address, err := way.Dial(t.Context(), d, true, host, port)
				if err != nil {
					t.Errorf("%s: %v", way.Kind(), err)
					continue
				}
				if address.IsValid() != (last == "socks5") {
					t.Errorf("%s: the address is %v", way.Kind(), address)
				}
				io.WriteString(conn, "hello\n")
				if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
					t.Errorf("%s: %q, %v", way.Kind(), line, err)
				}
				conn.Close()
			}
		}
	}
}

// TestForward: a way whose last parent is an HTTP proxy leads a plain request to that one, and asks
// it for nothing.
func TestForward(t *testing.T) {
	socks, last := routetest.SOCKS5(t, "", ""), routetest.HTTP(t, nil, "u", "p")
	way := parse(t, socks.URL("socks5h")+" "+last.URL("http"))
	conn, address, err := way.Dial(t.Context(), means(nil), false, "origin.test", "80")
	if err != nil || address.IsValid() || !way.Forwards(false) || way.Forwards(true) {
		t.Fatalf("%v, %v", err, address)
	}
	conn.Close()
	if seen := socks.Seen(); len(seen) != 1 || seen[0].Asked[0] != last.Address {
		t.Errorf("%+v", seen)
	}
	if seen := last.Seen(); len(seen) > 0 && len(seen[0].Asked) > 0 {
		t.Errorf("%+v", seen)
	}
}

// TestDialFailures: what a parent does instead of leading on is named, in words without its address
// for the client and with it for the log, and never with a password. Each ends in time, and reads
// no more than its bound.
func TestDialFailures(t *testing.T) {
	const secret, inTime = "s3cr3t", "in time"
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	answers := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			buf := make([]byte, 4<<10)
			conn.Read(buf)
			io.WriteString(conn, text)
			io.Copy(io.Discard, conn)
		}
	}
	endless := func(piece string) func(net.Conn) {
		return func(conn net.Conn) {
			for n := 0; ; n += len(piece) {
				if _, err := io.WriteString(conn, piece); err != nil {
					return
				}
				if n > 64<<20 {
					t.Errorf("a parent was read for 64 MiB of %q", piece[:4])
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		scheme string
		script func(net.Conn)
		why    string
	}{
		"407": {"http", answers("HTTP/1.1 407 No\r\n\r\n"), "does not take the user"},
		"407, Basic too": {"http", answers("HTTP/1.1 407 No\r\nproxy-authenticate: NTLM\r\n" +
			"Proxy-Authenticate: Negotiate, BASIC realm=x\r\n\r\n"), "does not take the user"},
		"407, no Basic": {"http", answers("HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\n\r\n"),
			"in another way than Basic"},
		"403":          {"http", answers("HTTP/1.1 403 <b>x</b>\r\n\r\n"), "it answered 403 Forbidden"},
		"odd status":   {"http", answers("HTTP/1.1 599 x\r\n\r\n"), "it answered 599"},
		"interim only": {"http", endless("HTTP/1.1 100 Continue\r\n\r\n"), "larger than 64 KiB"},
		"endless head": {"http", endless("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", 999) + "\r\n"),
			"larger than 64 KiB"},
		"endless line":   {"http", endless(strings.Repeat("x", 1000)), "larger than 64 KiB"},
		"garbage":        {"http", answers("\x05\x00\x00\r\n\r\n"), "not one of HTTP/1.1"},
		"HTTP/2":         {"http", answers("HTTP/2 200\r\n\r\n"), "not one of HTTP/1.1"},
		"closed at once": {"http", func(net.Conn) {}, "closed the connection"},
		"closed in head": {"http", func(conn net.Conn) {
			conn.Read(make([]byte, 4<<10))
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nVia: x")
		}, "closed the connection"},
		"silent": {"http", answers(""), inTime},
		"slow drip": {"http", func(conn net.Conn) {
			conn.Read(make([]byte, 4<<10))
			for {
				if _, err := io.WriteString(conn, "H"); err != nil {
					return
				}
				time.Sleep(time.Millisecond) // a parent's pace
			}
		}, ""},
		"socks: closed":  {"socks5h", func(net.Conn) {}, "SOCKS5"},
		"socks: garbage": {"socks5h", answers("HTTP/1.1 400 Bad Request\r\n\r\n"), "SOCKS5"},
		"socks: refused": {"socks5h", answers("\x05\xff"), "SOCKS5"},
		"socks: silent":  {"socks5h", answers(""), inTime},
		"socks: unreachable": {"socks5h", func(conn net.Conn) {
			conn.Read(make([]byte, 100))
			conn.Write([]byte{5, 0})
			conn.Read(make([]byte, 100))
			conn.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0})
		}, "host unreachable"},
		"not TLS": {"https", answers("HTTP/1.1 400 Bad Request\r\n\r\n"), "TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			p := routetest.Listen(t, nil, c.script)
			defer p.Close()
			way := parse(t, c.scheme+"://user:"+secret+"@"+p.Address)
			most := 30 * time.Second // which no parent takes that is judged by what it says
			if c.why == inTime || c.why == "" {
				most = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), most)
			defer cancel()
			_, _, err := way.Dial(ctx, means(nil), true, "origin.test", "443")
			var fault *Error
			if !errors.As(err, &fault) || !strings.Contains(fault.Why, c.why) {
				t.Fatalf("%v", err)
			}
			if strings.Contains(fault.Why, "127.0.0.1") || !strings.Contains(err.Error(), p.Address) ||
				strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "<b>") {
				t.Errorf("%q, %q", fault.Why, err)
			}
		})
	}
	way := parse(t, "http://user:"+secret+"@"+closed.Addr().String())
	_, _, err = way.Dial(t.Context(), means(nil), true, "origin.test", "443")
	var fault *Error
	if !errors.As(err, &fault) || fault.Why != "it refused the connection" {
		t.Errorf("%v", err)
	}
}

// TestCancelledDial: who gives up waits for no parent.
func TestCancelledDial(t *testing.T) {
	for _, scheme := range []string{"http", "socks5h"} {
		asked := make(chan struct{})
		p := routetest.Listen(t, nil, func(conn net.Conn) {
			conn.Read(make([]byte, 4<<10))
			close(asked)
			io.Copy(io.Discard, conn)
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		_, _, err := parse(t, p.URL(scheme)).Dial(ctx, means(nil), true, "origin.test", "443")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

// TestDialAddresses: a parent that is told addresses is told the next one if it does not reach the
// first, and no more than a few.
func TestDialAddresses(t *testing.T) {
	port := echo(t)
	p := routetest.SOCKS5(t, "", "")
	d := means(nil)
	d.Resolve = func(context.Context) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.9"), netip.MustParseAddr("127.0.0.1")}, nil
	}
	conn, address, err := parse(t, p.URL("socks5")).Dial(t.Context(), d, true, "origin.here", port)
	if err != nil || address.String() != "127.0.0.1" {
		t.Fatalf("%v, %v", address, err)
	}
	conn.Close()
	d.Resolve = func(context.Context) (all []netip.Addr, _ error) {
		for i := range 50 {
			all = append(all, netip.AddrFrom4([4]byte{127, 0, 1, byte(i)}))
		}
		return all, nil
	}
	if _, _, err = parse(t, p.URL("socks5")).Dial(t.Context(), d, true, "o", port); err == nil {
		t.Error("no address takes connections")
	}
	if n := len(p.Seen()); n != 2+maxAddresses {
		t.Errorf("%d connections", n)
	}
}

// TestTimeoutsAreTimeouts: an error of a parent that is late says so to who asks for a timeout.
func TestTimeoutsAreTimeouts(t *testing.T) {
	p := routetest.Listen(t, nil, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	for _, scheme := range []string{"http", "https", "socks5h"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, _, err := parse(t, p.URL(scheme)).Dial(ctx, means(nil), true, "origin.test", "443")
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}
