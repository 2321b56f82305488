package proxy

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/unused"
	"warcorder/recorder"
)

// TestLeafAndRootAreSent: Chromium takes a root by its key's hash only if the server sends the
// root. So it must in every tunnel, also to an address (no SNI), and without the origin, which
// nobody has asked for anything yet.
func TestLeafAndRootAreSent(t *testing.T) {
	h := newHouse(t, config())
	der := h.authority.DER()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, target := range []string{"www.example.org:443", unused.Address(t), "[::1]:1"} {
			host, _, err := net.SplitHostPort(target)
			if err != nil {
				t.Fatal(err)
			}
			conn := tls.Client(h.tunnel(target, false).conn,
				&tls.Config{RootCAs: h.roots(), ServerName: host, MaxVersion: version})
			if err := conn.Handshake(); err != nil {
				t.Fatalf("%s: %v", target, err)
			}
			chain := conn.ConnectionState().PeerCertificates
			if len(chain) != 2 || !bytes.Equal(chain[1].Raw, der) ||
				chain[0].CheckSignatureFrom(chain[1]) != nil {
				t.Errorf("%s, %s: %d certificates were sent, want the leaf and then the root", target,
					tls.VersionName(version), len(chain))
			}
		}
	}
}

func (h *house) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(h.authority.PEM())
	return pool
}

var errTestDistrust = errors.New("this client trusts nobody")

// distrusting is a client that does not trust the certificate, as the TLS libraries do that.
var distrusting = []struct {
	name string
	act  func(t *testing.T, raw *net.TCPConn, host string)
	says string
}{
	{"alert in the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		tls.Client(raw, &tls.Config{ServerName: host, RootCAs: x509.NewCertPool()}).Handshake()
	}, "does not trust the certificate (remote error: tls: bad certificate)"},
	{"alert in the handshake of TLS 1.2", func(t *testing.T, raw *net.TCPConn, host string) {
		tls.Client(raw, &tls.Config{ServerName: host, RootCAs: x509.NewCertPool(), MaxVersion: tls.VersionTLS12}).
			Handshake()
	}, "does not trust the certificate (remote error: tls: bad certificate)"},
	{"end in the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeUntilCertificate(raw, host, 0, func() { raw.Close() })
	}, "does not seem to trust the certificate"},
	{"end in the handshake of TLS 1.2", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeUntilCertificate(raw, host, tls.VersionTLS12, func() { raw.Close() })
	}, "does not seem to trust the certificate"},
	{"reset in the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeUntilCertificate(raw, host, 0, func() { raw.SetLinger(0); raw.Close() })
	}, "does not seem to trust the certificate"},
	{"alert in the clear", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeUntilCertificate(raw, host, tls.VersionTLS13, func() {
			raw.Write([]byte{21, 3, 3, 0, 2, 2, 48})
			raw.Close()
		})
	}, "does not trust the certificate"},
	{"end behind the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeBlindly(t, raw, host, nil)
		raw.Close()
	}, "does not seem to trust the certificate"},
	{"close_notify behind the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeBlindly(t, raw, host, nil).Close()
	}, "does not seem to trust the certificate"},
	{"reset behind the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeBlindly(t, raw, host, nil)
		raw.SetLinger(0)
		raw.Close()
	}, "does not seem to trust the certificate"},
	{"alert behind the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		secret := &keyLog{}
		conn := handshakeBlindly(t, raw, host, secret)
		raw.Write(secret.alert(t, conn, 48))
		raw.Close()
	}, "does not trust the certificate (remote error: tls: unknown certificate authority)"},
	{"alert in the clear behind the handshake", func(t *testing.T, raw *net.TCPConn, host string) {
		handshakeBlindly(t, raw, host, nil)
		raw.Write([]byte{21, 3, 3, 0, 2, 2, 48})
		raw.Close()
	}, "does not trust the certificate"},
}

// handshakeUntilCertificate does something when the certificate has come, in the place of an
// answer.
func handshakeUntilCertificate(raw net.Conn, host string, version uint16, act func()) {
	tls.Client(raw, &tls.Config{ServerName: host, InsecureSkipVerify: true, MaxVersion: version,
		VerifyConnection: func(tls.ConnectionState) error { act(); return errTestDistrust }}).Handshake()
}

// handshakeBlindly ends a handshake without a look at the certificate.
func handshakeBlindly(t *testing.T, raw net.Conn, host string, secrets io.Writer) *tls.Conn {
	conn := tls.Client(raw,
		&tls.Config{ServerName: host, InsecureSkipVerify: true, KeyLogWriter: secrets})
	if err := conn.Handshake(); err != nil {
		t.Errorf("handshake: %v", err)
	}
	return conn
}

// TestClientsWithoutTheRoot: whatever the library of a client does that does not trust the
// certificate, it is one line of the log and one gap, which say what to do.
func TestClientsWithoutTheRoot(t *testing.T) {
	for _, c := range distrusting {
		for _, target := range []string{"www.example.org:443", "127.0.0.1:1"} {
			t.Run(c.name+" "+target, func(t *testing.T) {
				h := newHouse(t, config())
				host, _, _ := net.SplitHostPort(target)
				c.act(t, h.tunnel(target, false).conn.(*net.TCPConn), host)
				h.untilClients(0)
				h.proxy.Shutdown(t.Context()) // nobody comes any more
				gaps, log := h.gaps(), h.log.String()
				if len(gaps) != 1 || gaps[0].Reason != recorder.GapRefused || gaps[0].URL != target {
					t.Fatalf("gaps: %+v", gaps)
				}
				for _, want := range []string{c.says, "http://" + h.address + "/trust", "--cacert"} {
					if !strings.Contains(gaps[0].Detail, want) {
						t.Errorf("the gap does not say %q: %s", want, gaps[0].Detail)
					}
				}
				if strings.Count(log, c.says) != 1 || strings.Count(log, `"level":"warn"`) != 1 {
					t.Errorf("log, want one line that says %q: %s", c.says, log)
				}
			})
		}
	}
}

// TestComesAgain: so is a browser not that closes a connection at its start and then asks on
// another.
func TestComesAgain(t *testing.T) {
	origin := newOrigin(t, true, sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
	h := newHouse(t, config())
	h.tunnel(origin.address, true).conn.Close()
	h.untilClients(0)
	h.tunnel(origin.address, true).ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true)
	h.proxy.Shutdown(t.Context())
	if gaps := h.gaps(); len(gaps) > 0 {
		t.Errorf("gaps: %+v", gaps)
	}
}

// TestResumes: nor is a browser whose first connection waits while the second, which resumes the
// session of the first, does all the asking.
func TestResumes(t *testing.T) {
	origin := newOrigin(t, true, sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
	h := newHouse(t, config())
	host, _, _ := net.SplitHostPort(origin.address)
	cfg := &tls.Config{RootCAs: h.roots(), ServerName: host, NextProtos: []string{"http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	connect := func() *tls.Conn {
		conn := tls.Client(h.tunnel(origin.address, false).conn, cfg)
		if err := conn.Handshake(); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	first := connect()
	for has := false; !has; _, has = cfg.ClientSessionCache.Get(host) { // the ticket of the session
		first.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		first.Read(make([]byte, 1))
	}
	second := connect()
	if !second.ConnectionState().DidResume {
		t.Fatal("the session was not resumed")
	}
	newPeer(t, second).ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true)
	first.NetConn().Close()
	second.Close()
	h.untilClients(0)
	h.proxy.Shutdown(t.Context())
	if gaps := h.gaps(); len(gaps) > 0 {
		t.Errorf("gaps: %+v", gaps)
	}
}

// TestUnusedConnections: a client that closes a connection which it opened in advance is not
// accused of anything, if it has shown that it trusts the certificate or if the connection is old.
func TestUnusedConnections(t *testing.T) {
	origin := newOrigin(t, true, func(p *peer) {
		for p.readHead() != "" {
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	h := newHouse(t, config())
	busy := h.tunnel(origin.address, true)
	busy.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true)
	for range 5 {
		h.tunnel(origin.address, true).conn.Close()
	}
	busy.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true)
	busy.conn.Close()
	h.untilClients(0)
	h.proxy.Shutdown(t.Context())
	if gaps := h.gaps(); len(gaps) > 0 {
		t.Errorf("gaps: %+v", gaps)
	}
	if strings.Contains(h.log.String(), `"level":"warn"`) {
		t.Errorf("log: %s", h.log)
	}
}

func TestFarewells(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: errors.New("reset")}
	remote := func(alert tls.AlertError) error { return &net.OpError{Op: "remote error", Err: alert} }
	for _, c := range []struct {
		name string
		err  error
		age  time.Duration
		busy bool
		want farewell
	}{
		{"unknown authority", remote(48), time.Hour, true, saidNo},
		{"expired", remote(45), 0, false, saidNo},
		{"the user gave up", remote(90), 0, false, nothingSaid},
		{"an alert that cannot be read", &net.OpError{Op: "local error", Err: tls.AlertError(20)}, 0,
			true, saidNo},
		{"another fault of its own", &net.OpError{Op: "local error", Err: tls.AlertError(10)}, 0, false,
			nothingSaid},
		{"end at once", io.EOF, 0, false, seemsToSayNo},
		{"end of an old one", io.EOF, doubtWithin, false, nothingSaid},
		{"end of a browser's", io.EOF, 0, true, nothingSaid},
		{"closed by us", net.ErrClosed, 0, false, nothingSaid},
		{"another error", reset, 0, false, nothingSaid},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := understand(c.err, c.age, c.busy); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

// TestKindOfClient: what browsers make up for each hello makes no other kind of them, what another
// program offers does.
func TestKindOfClient(t *testing.T) {
	conn, _ := tcpPair(t)
	hello := func(suites []uint16, curves ...tls.CurveID) clientKind {
		return kindOf(&tls.ClientHelloInfo{Conn: conn, CipherSuites: suites, SupportedCurves: curves})
	}
	one := hello([]uint16{0x1a1a, 0x1301, 0x1302}, 0x2a2a, tls.X25519)
	if one != hello([]uint16{0x1302, 0xfafa, 0x1301}, 0x3a3a, tls.X25519) {
		t.Error("GREASE and order make another kind")
	}
	if one == hello([]uint16{0x1301}, tls.X25519) ||
		one == hello([]uint16{0x1301, 0x1302, uint16(tls.X25519)}) {
		t.Error("another offer makes no other kind")
	}
}

// keyLog takes the secrets of a handshake (SSLKEYLOGFILE).
type keyLog struct{ lines bytes.Buffer }

func (k *keyLog) Write(p []byte) (int, error) { return k.lines.Write(p) }

// alert is a fatal alert, encrypted as the first record behind a handshake of TLS 1.3 (RFC 8446
// section 5.2).
func (k *keyLog) alert(t *testing.T, conn *tls.Conn, description byte) []byte {
	t.Helper()
	if suite := conn.ConnectionState().CipherSuite; suite != tls.TLS_AES_128_GCM_SHA256 {
		t.Skipf("no such record is made here for %s", tls.CipherSuiteName(suite))
	}
	_, rest, _ := strings.Cut(k.lines.String(), "CLIENT_TRAFFIC_SECRET_0 ")
	line, _, _ := strings.Cut(rest, "\n")
	_, secretHex, _ := strings.Cut(line, " ")
	secret, err := hex.DecodeString(secretHex)
	if err != nil || len(secret) == 0 {
		t.Fatalf("no secret: %v", err)
	}
	block, err := aes.NewCipher(expandLabel(t, secret, "key", 16))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte{2, description, 21}
	header := []byte{23, 3, 3, 0, byte(len(plain) + aead.Overhead())}
	return aead.Seal(header, expandLabel(t, secret, "iv", 12), plain, header)
}

// expandLabel is HKDF-Expand-Label of RFC 8446 section 7.1, without a context.
func expandLabel(t *testing.T, secret []byte, label string, length uint16) []byte {
	label = "tls13 " + label
	info := append(binary.BigEndian.AppendUint16(nil, length), byte(len(label)))
	key, err := hkdf.Expand(sha256.New, secret, string(append(append(info, label...), 0)), int(length))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// BenchmarkKindOf is what a handshake with a certificate costs more.
func BenchmarkKindOf(b *testing.B) {
	conn, err := net.Dial("udp", "127.0.0.1:9") // to anywhere: nothing is sent
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	hello := &tls.ClientHelloInfo{Conn: conn, SupportedProtos: []string{"h2", "http/1.1"}}
	for i := range uint16(16) {
		hello.CipherSuites = append(hello.CipherSuites, 0xc0ff-i)
		hello.SignatureSchemes = append(hello.SignatureSchemes, tls.SignatureScheme(0x0800-i))
	}
	hello.SupportedCurves = []tls.CurveID{tls.X25519MLKEM768, tls.X25519, tls.CurveP256, tls.CurveP384}
	hello.SupportedVersions = []uint16{tls.VersionTLS13, tls.VersionTLS12}
	b.ReportAllocs()
	for b.Loop() {
		kindOf(hello)
	}
}
