package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/certs"
	"warcorder/proxy/hosts"
)

// vouched makes an authority that origins are to be judged by, and the TLS of an origin of its.
func vouched(t *testing.T) (file string, cfg *tls.Config) {
	t.Helper()
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	named := func(*tls.ClientHelloInfo) string { return "127.0.0.1" }
	return authority.File(), &tls.Config{GetCertificate: authority.ServerConfig(named).GetCertificate}
}

// proven is config where origins have to prove who they are, by the system's roots and those of a
// file.
func proven(upstreamCA string) Config {
	cfg := config()
	cfg.InsecureUpstream, cfg.UpstreamCA = hosts.List{}, upstreamCA
	return cfg
}

// TestUpstreamCA: an origin of an authority in the file is recorded like any other, and no origin
// of another; with insecure-upstream too only the latter has its fault in the records.
func TestUpstreamCA(t *testing.T) {
	ours, cfg := vouched(t)
	theirs, _ := vouched(t)
	insecure := proven(ours)
	insecure.InsecureUpstream.All = true
	for name, test := range map[string]struct {
		cfg      Config
		answered bool
		faults   int
	}{
		"of the file":           {proven(ours), true, 0},
		"of another file":       {proven(theirs), false, 0},
		"of no file":            {proven(""), false, 0},
		"of the file, insecure": {insecure, true, 0},
		"of no file, insecure":  {config(), true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, test.cfg)
			o := newOriginWith(t, cfg, func(o *peer) {
				if o.readHead() != "" {
					o.send(numbered(1))
				}
			})
			client := h.tunnel(o.address, true)
			client.send(text("GET / HTTP/1.1", "Host: a"))
			head := client.readHead()
			if got := strings.HasPrefix(head, "HTTP/1.1 200 "); got != test.answered {
				t.Errorf("answered %q", head)
			}
			if faults := of(h.records(), "metadata"); len(faults) != test.faults {
				t.Errorf("%d metadata records, want %d", len(faults), test.faults)
			}
		})
	}
}

// writeClientCert makes a certificate for clients, with its key in the same file.
func writeClientCert(t *testing.T, change func(*x509.Certificate)) (
	file string, known *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "the archive"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "client.pem")
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	known = x509.NewCertPool()
	known.AddCert(cert)
	return file, known
}

// TestClientCerts: an origin that asks for a certificate gets that of its name, if its name is
// proven, and no other origin gets any; one that needs it says so by its end, and the client is
// told.
func TestClientCerts(t *testing.T) {
	roots, server := vouched(t)
	file, known := writeClientCert(t, nil)
	unproven := config()
	for name, test := range map[string]struct {
		cfg   Config
		host  string // of client-certs
		shown bool
	}{
		"its host":             {proven(roots), "localhost", true},
		"its domain":           {proven(roots), "other.example,LocalHost", true},
		"another host":         {proven(roots), "127.0.0.1", false},
		"hosts below":          {proven(roots), "*.localhost", false},
		"its host, not proven": {unproven, "localhost", false},
	} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			for demand, auth := range map[string]tls.ClientAuthType{
				"demanded": tls.RequireAndVerifyClientCert, "asked for": tls.RequestClientCert} {
				t.Run(strings.Join([]string{name, demand, tls.VersionName(version)}, ", "), func(t *testing.T) {
					cfg := test.cfg
					cfg.ClientCerts = []ClientCert{{Host: test.host, Cert: file}}
					h := newHouse(t, cfg)
					seen := make(chan int, 8)
					o := newOriginWith(t, &tls.Config{GetCertificate: server.GetCertificate, ClientAuth: auth,
						ClientCAs: known, MaxVersion: version}, func(o *peer) {
						if o.readHead() == "" {
							return
						}
						seen <- len(o.conn.(*tls.Conn).ConnectionState().PeerCertificates)
						o.send(numbered(1))
					})
					_, port, _ := net.SplitHostPort(o.address)
					client := h.tunnel("localhost:"+port, true)
					client.send(text("GET / HTTP/1.1", "Host: a", "Connection: close"))
					if answer := client.readHead(); !test.shown && auth == tls.RequireAndVerifyClientCert {
						page := client.readAll()
						if !strings.HasPrefix(answer, "HTTP/1.1 502 ") || !strings.Contains(page, "client-certs") {
							t.Errorf("answered %q %q", answer, page)
						}
						return
					}
					if got := <-seen; got > 0 != test.shown {
						t.Errorf("%d certificates were shown", got)
					}
				})
			}
		}
	}
}

// TestWhoIsKnownByACertificate: so far as the pool may ask before anything is dialled.
func TestWhoIsKnownByACertificate(t *testing.T) {
	file, _ := writeClientCert(t, nil)
	cfg := config()
	cfg.ClientCerts = []ClientCert{{Host: "*.example.org", Cert: file, Key: file}}
	loaded, err := cfg.loadCertificates()
	if err != nil {
		t.Fatal(err)
	}
	for o, want := range map[origin]bool{
		{secure: true, host: "192.0.2.1", port: "443", name: "www.example.org"}: true,
		{secure: true, host: "www.example.org", port: "443", name: "example"}:   false,
		{host: "www.example.org", port: "80"}:                                   false,
	} {
		if got := loaded.knowsUs(o); got != want {
			t.Errorf("%+v: %t", o, got)
		}
	}
}

// TestCertificatesAreChecked: what cannot be meant is refused at the start, with the file; what an
// origin may refuse is said.
func TestCertificatesAreChecked(t *testing.T) {
	good, _ := writeClientCert(t, nil)
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("no certificate\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})
	if err := os.WriteFile(broken, block, 0o600); err != nil {
		t.Fatal(err)
	}
	absent := filepath.Join(t.TempDir(), "absent.pem")
	one := func(host, cert, key string) Config {
		return Config{ClientCerts: []ClientCert{{Host: host, Cert: cert, Key: key}}}
	}
	for name, test := range map[string]struct {
		cfg   Config
		wants []string
	}{
		"no roots":         {Config{UpstreamCA: junk}, []string{"upstream-ca", junk, "no certificate"}},
		"broken roots":     {Config{UpstreamCA: broken}, []string{"upstream-ca", broken, "number 1"}},
		"roots of no file": {Config{UpstreamCA: absent}, []string{"upstream-ca", absent}},
		"for nobody":       {one("", good, ""), []string{"client-certs", "needs host"}},
		"for all":          {one("*", good, ""), []string{"client-certs", "for all"}},
		"for no host":      {one("a/b", good, ""), []string{"client-certs", "a/b"}},
		"no certificate":   {one("a", junk, ""), []string{"client-certs", junk}},
		"no key":           {one("a", good, junk), []string{"client-certs", junk}},
		"no such file":     {one("a", absent, ""), []string{"client-certs", absent}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Default()
			cfg.UpstreamCA, cfg.ClientCerts = test.cfg.UpstreamCA, test.cfg.ClientCerts
			err := cfg.Check()
			if err == nil {
				t.Fatal("taken")
			}
			for _, want := range test.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
	for want, change := range map[string]func(*x509.Certificate){
		"":              nil,
		"expired on":    func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) },
		"is valid from": func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) },
		"not one for client": func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		},
	} {
		file, _ := writeClientCert(t, change)
		cfg := one("a", file, "")
		loaded, err := cfg.loadCertificates()
		if err != nil || !strings.Contains(strings.Join(loaded.advice, "\n"), want) ||
			len(loaded.advice) > 0 != (want != "") {
			t.Errorf("%q: %v, %v", want, loaded.advice, err)
		}
	}
}

// TestClientCertsOfUsers: what leads to an origin that knows us by a certificate is of one user,
// connection and TLS session alike; elsewhere users share.
func TestClientCertsOfUsers(t *testing.T) {
	roots, server := vouched(t)
	file, known := writeClientCert(t, nil)
	for host, want := range map[string]int{"localhost": 2, "other.example": 1} {
		t.Run(host, func(t *testing.T) {
			cfg := asking(t, "anna:secret", "bert:other")
			cfg.InsecureUpstream, cfg.UpstreamCA = hosts.List{}, roots
			cfg.ClientCerts = []ClientCert{{Host: host, Cert: file}}
			h := newHouse(t, cfg)
			o := newOriginWith(t, &tls.Config{GetCertificate: server.GetCertificate,
				ClientAuth: tls.RequestClientCert, ClientCAs: known}, answering)
			client := h.dial()
			for _, user := range []string{"anna:secret", "bert:other", "anna:secret"} {
				client.send(text("GET https://"+o.at("localhost")+"/ HTTP/1.1", "Host: a", shows(user)))
				if got := client.readN(len(numbered(1))); got != numbered(1) {
					t.Fatalf("%q", got)
				}
			}
			all := o.connections()
			if len(all) != want {
				t.Errorf("%d connections, want %d", len(all), want)
			}
			for _, one := range all {
				if one.conn.(*tls.Conn).ConnectionState().DidResume {
					t.Error("a session of one user goes on in another's name")
				}
			}
		})
	}
}

// TestWantsCertificate: what an origin does that wants one, and what is something else.
func TestWantsCertificate(t *testing.T) {
	remote := func(alert tls.AlertError) error { return &net.OpError{Op: "remote error", Err: alert} }
	local := func(alert tls.AlertError) error { return &net.OpError{Op: "local error", Err: alert} }
	asked := &upstream{denied: true}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"it says so":                   {remote(116), true},
		"it wants a second handshake":  {local(100), true},
		"it refuses, and had asked":    {asked.explained(remote(40)), true},
		"it ends, and had asked":       {asked.explained(io.ErrUnexpectedEOF), true},
		"it is late, and had asked":    {asked.explained(os.ErrDeadlineExceeded), false},
		"it refuses":                   {(&upstream{}).explained(remote(40)), false},
		"it ends":                      {(&upstream{}).explained(io.EOF), false},
		"it ends a kept one":           {(&upstream{denied: true, used: 1}).explained(io.EOF), false},
		"there has been no connection": {(*upstream)(nil).explained(io.EOF), false},
	} {
		if _, got := wantsCertificate(test.err); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
