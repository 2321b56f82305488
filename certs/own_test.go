package certs

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// issued is a certificate of a test's own, with its key.
type issued struct {
	*x509.Certificate
	key crypto.Signer
}

// issue makes an authority that issuer has signed, or a root; change makes it another than most.
func issue(t *testing.T, name string, key crypto.Signer, issuer *issued,
	change func(*x509.Certificate)) *issued {
	t.Helper()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLen:            -1,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	if change != nil {
		change(template)
	}
	made := &issued{key: key}
	if issuer == nil {
		issuer = &issued{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer.Certificate, key.Public(),
		issuer.key)
	if err != nil {
		t.Fatal(err)
	}
	if made.Certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return made
}

func newEC(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newRSA(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// writeOwn writes the files of an authority, with the key of the first certificate.
func writeOwn(t *testing.T, all ...*issued) (certs, key string) {
	t.Helper()
	dir := t.TempDir()
	certs, key = filepath.Join(dir, "chain.pem"), filepath.Join(dir, "authority.key")
	text := "a line that openssl writes\n"
	for _, one := range all {
		text += string(pemOf(one.Raw))
	}
	if err := os.WriteFile(certs, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, pemKey(t, all[0].key), 0o600); err != nil {
		t.Fatal(err)
	}
	return certs, key
}

func openOwn(t *testing.T, all ...*issued) *Authority {
	t.Helper()
	a, err := OpenOwn(writeOwn(t, all...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestOwnAuthority: clients that trust only what is given out take the leaves of each chain, and
// are sent all of it.
func TestOwnAuthority(t *testing.T) {
	for kind, newKey := range map[string]func(*testing.T) crypto.Signer{"EC": newEC, "RSA": newRSA} {
		root := issue(t, "root", newKey(t), nil, nil)
		between := issue(t, "between", newKey(t), root, nil)
		last := issue(t, "last", newKey(t), between, func(c *x509.Certificate) {
			c.MaxPathLen, c.MaxPathLenZero = 0, true
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		})
		for name, chain := range map[string][]*issued{
			"a root":             {root},
			"below a root":       {between, root},
			"two below a root":   {last, between, root},
			"without the root":   {last, between},
			"nothing but itself": {last},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				a := openOwn(t, chain...)
				top := chain[len(chain)-1]
				if a.Name() != top.Subject.CommonName || !bytes.Equal(a.DER(), top.Raw) ||
					!bytes.Equal(a.PEM(), pemOf(top.Raw)) || a.IsAlone() != (len(chain) == 1) {
					t.Errorf("%s is to be trusted, want %s", a.Name(), top.Subject)
				}
				if remarks := a.Remarks(); (len(remarks) > 0) != (top != root) {
					t.Errorf("remarks %q", remarks)
				}
				addr, _ := serve(t, a.ServerConfig(nil))
				state, err := visit(addr, &tls.Config{ServerName: "www.example.org", RootCAs: pool(a)})
				if err != nil {
					t.Fatal(err)
				}
				sent := state.PeerCertificates
				if len(sent) != len(chain)+1 || !bytes.Equal(sent[len(chain)].Raw, top.Raw) {
					t.Errorf("%d certificates are sent, want the leaf and %d", len(sent), len(chain))
				}
			})
		}
	}
}

// TestNoLeafOutlivesTheChain: nor does one begin before it.
func TestNoLeafOutlivesTheChain(t *testing.T) {
	soon := time.Now().Add(5 * 24 * time.Hour).Truncate(time.Second).UTC()
	ends := func(at time.Time) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.NotAfter = at }
	}
	for name, end := range map[string][2]time.Time{
		"the root ends first":   {soon, soon.AddDate(1, 0, 0)},
		"what signs ends first": {soon.AddDate(1, 0, 0), soon},
	} {
		t.Run(name, func(t *testing.T) {
			root := issue(t, "root", newEC(t), nil, ends(end[0]))
			a := openOwn(t, issue(t, "signs", newEC(t), root, ends(end[1])), root)
			leaf := parsed(t, a, "example.org")
			if !leaf.NotAfter.Equal(soon) || leaf.NotBefore.Before(root.NotBefore) {
				t.Errorf("the leaf is valid from %v to %v", leaf.NotBefore, leaf.NotAfter)
			}
			if _, err := a.mint("example.org", soon); err == nil ||
				!strings.Contains(err.Error(), "expired") {
				t.Errorf("a leaf after the end: %v", err)
			}
		})
	}
}

// TestOpenOwnRefuses: each fault of a chain has its sentence, with the file and whose it is.
func TestOpenOwnRefuses(t *testing.T) {
	root := issue(t, "root", newEC(t), nil, nil)
	below := issue(t, "below", newEC(t), root, nil)
	other := issue(t, "other", newEC(t), nil, nil)
	namesake := issue(t, "root", newEC(t), nil, nil)
	with := func(change func(*x509.Certificate)) []*issued {
		return []*issued{issue(t, "below", newEC(t), root, change), root}
	}
	narrow := issue(t, "narrow", newEC(t), nil, func(c *x509.Certificate) {
		c.MaxPathLen, c.MaxPathLenZero = 0, true
	})
	old := issue(t, "old root", newEC(t), nil, func(c *x509.Certificate) {
		c.NotAfter = time.Now().Add(-time.Minute)
	})
	for name, test := range map[string]struct {
		chain []*issued
		want  string
	}{
		"no authority": {with(func(c *x509.Certificate) { c.IsCA, c.KeyUsage = false, 0 }),
			`"below" is not the certificate of an authority`},
		"may not sign": {with(func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageCRLSign }),
			`"below" is not the certificate of an authority`},
		"for mail only": {with(func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}
		}), `"below" may not sign certificates of servers`},
		"expired": {with(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }),
			`"below" expired on`},
		"not yet valid": {with(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }),
			`"below" is valid from`},
		"the root expired": {[]*issued{issue(t, "below", newEC(t), old, nil), old},
			`"old root" expired on`},
		"path length": {[]*issued{issue(t, "below", newEC(t), narrow, nil), narrow},
			"allows 0 authorities"},
		"unrelated":         {[]*issued{below, other}, `"other" did not sign "below" (the names differ)`},
		"a namesake":        {[]*issued{below, namesake}, `"root" did not sign "below"`},
		"behind the root":   {[]*issued{root, other}, `"root" is a root, and behind it comes "other"`},
		"in a wrong order":  {[]*issued{below, other, root}, "the order is wrong"},
		"below in its back": {[]*issued{root, below}, "leave that out"},
	} {
		t.Run(name, func(t *testing.T) {
			certs, key := writeOwn(t, test.chain...)
			a, err := OpenOwn(certs, key)
			if a != nil || err == nil {
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), certs) {
				t.Errorf("unclear: %v", err)
			}
		})
	}
}

// TestOpenOwnRefusesKeys: a key that is none, is not this one's, or is anybody's.
func TestOpenOwnRefusesKeys(t *testing.T) {
	root := issue(t, "root", newEC(t), nil, nil)
	below := issue(t, "below", newRSA(t), root, nil)
	certs, key := writeOwn(t, below, root)
	block := func(kind string, headers map[string]string) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Headers: headers, Bytes: []byte("x")})
	}
	tests := map[string]struct {
		content []byte
		mode    os.FileMode
		want    string
	}{
		"of the issuer": {pemKey(t, root.key), 0o600, "the order is wrong"},
		"of somebody":   {pemKey(t, newEC(t)), 0o600, `is not the key of "below"`},
		"encrypted":     {block("ENCRYPTED PRIVATE KEY", nil), 0o600, "is encrypted"},
		"encrypted as of old": {block("RSA PRIVATE KEY", map[string]string{"Proc-Type": "4,ENCRYPTED"}),
			0o600, "is encrypted"},
		"of SSH":          {block("OPENSSH PRIVATE KEY", nil), 0o600, "one for SSH"},
		"no key":          {pemOf(root.Raw), 0o600, "no private key in PEM"},
		"not PEM":         {below.Raw, 0o600, "no private key in PEM"},
		"broken":          {block("PRIVATE KEY", nil), 0o600, "is not the key"},
		"for all to read": {pemKey(t, below.key), 0o644, "chmod 600"},
	}
	if runtime.GOOS == "windows" { // which has no permission bits
		delete(tests, "for all to read")
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(key, test.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(key, test.mode); err != nil {
				t.Fatal(err)
			}
			a, err := OpenOwn(certs, key)
			if a != nil || err == nil {
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), key) {
				t.Errorf("unclear: %v", err)
			}
		})
	}
}

// TestRemarks: what clients make of a chain that is no error.
func TestRemarks(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	constrained := issue(t, "ours", newEC(t), nil, func(c *x509.Certificate) {
		c.PermittedDNSDomains = []string{"example.org", "example.net"}
		c.PermittedIPRanges = []*net.IPNet{{IP: net.IPv4(192, 0, 2, 0), Mask: net.CIDRMask(24, 32)}}
		c.ExcludedDNSDomains = []string{"secret.example.org"}
	})
	for name, test := range map[string]struct {
		authority *issued
		want      string
	}{
		"constraints": {constrained, `"ours" may sign for example.org, example.net, ` +
			`192.0.2.0/24, not for secret.example.org`},
		"Ed25519": {issue(t, "ed", private, nil, nil), `the key of "ed" is Ed25519`},
		"short":   {issue(t, "short", short, nil, nil), `the key of "short" has 1024 bits`},
	} {
		t.Run(name, func(t *testing.T) {
			remarks := openOwn(t, test.authority).Remarks()
			if len(remarks) != 1 || !strings.Contains(remarks[0], test.want) {
				t.Errorf("remarks %q, want %q", remarks, test.want)
			}
		})
	}
	if remarks := open(t, t.TempDir()).Remarks(); len(remarks) > 0 {
		t.Errorf("of our own root: %q", remarks)
	}
}

// TestConstraintsHold: what a constrained authority may not sign, clients refuse; what it may, they
// take.
func TestConstraintsHold(t *testing.T) {
	a := openOwn(t, issue(t, "ours", newEC(t), nil, func(c *x509.Certificate) {
		c.PermittedDNSDomains = []string{"example.org"}
	}))
	addr, _ := serve(t, a.ServerConfig(nil))
	for host, taken := range map[string]bool{"www.example.org": true, "www.example.com": false} {
		_, err := visit(addr, &tls.Config{ServerName: host, RootCAs: pool(a)})
		if (err == nil) != taken {
			t.Errorf("%s: %v", host, err)
		}
	}
}
