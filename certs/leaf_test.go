package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	label63 = strings.Repeat("a", 63)
	name253 = label63 + "." + label63 + "." + label63 + "." + strings.Repeat("b", 61)
)

func TestLeafIsForOneHost(t *testing.T) {
	a := open(t, t.TempDir())
	for name, test := range map[string]struct {
		host, dns string // dns: the only SAN; empty: ip is
		ip        string
	}{
		"name":                   {host: "example.org", dns: "example.org"},
		"one label":              {host: "localhost", dns: "localhost"},
		"public suffix":          {host: "brooker.co.za", dns: "brooker.co.za"},
		"upper case":             {host: "WWW.Example.ORG", dns: "www.example.org"},
		"trailing dot":           {host: "example.org.", dns: "example.org"},
		"punycode":               {host: "xn--bcher-kva.example", dns: "xn--bcher-kva.example"},
		"IDN":                    {host: "BÜCHER.example", dns: "xn--bcher-kva.example"},
		"label that looks coded": {host: "xn--0.example", dns: "xn--0.example"},
		"hyphens inside":         {host: "r3---sn-abc.example", dns: "r3---sn-abc.example"},
		"hyphen first and last":  {host: "-foo-.example", dns: "-foo-.example"},
		"underscore":             {host: "_dmarc.foo_.example", dns: "_dmarc.foo_.example"},
		"64 characters":          {host: label63[:56] + ".example", dns: label63[:56] + ".example"},
		"65 characters":          {host: label63[:57] + ".example", dns: label63[:57] + ".example"},
		"253 characters":         {host: name253, dns: name253},
		"IPv4":                   {host: "192.0.2.7", ip: "192.0.2.7"},
		"IPv6":                   {host: "2001:DB8::7", ip: "2001:db8::7"},
		"IPv6 with zone":         {host: "fe80::7%eth0", ip: "fe80::7"},
		"IPv4 in IPv6":           {host: "::ffff:192.0.2.7", ip: "192.0.2.7"},
	} {
		t.Run(name, func(t *testing.T) {
			cert := parsed(t, a, test.host)
			want, verifyAs := []string{test.dns}, test.dns
			if test.ip != "" {
				want, verifyAs = nil, test.ip
				if len(cert.IPAddresses) != 1 || !cert.IPAddresses[0].Equal(net.ParseIP(test.ip)) {
					t.Errorf("IP SANs %v, want %s", cert.IPAddresses, test.ip)
				}
			} else if len(cert.IPAddresses) != 0 {
				t.Errorf("IP SANs %v beside a name", cert.IPAddresses)
			}
			if fmt.Sprint(cert.DNSNames) != fmt.Sprint(want) {
				t.Errorf("DNS SANs %q, want %q", cert.DNSNames, want)
			}
			if len(cert.EmailAddresses)+len(cert.URIs) != 0 {
				t.Error("has other SANs")
			}
			if cn := cert.Subject.CommonName; len(verifyAs) <= 64 && cn != verifyAs ||
				len(verifyAs) > 64 && cn != "" {
				t.Errorf("common name %q", cn)
			}
			if critical := sanCritical(t, cert); critical != (cert.Subject.CommonName == "") {
				t.Errorf("SAN critical: %v with subject %q", critical, cert.Subject)
			}
			if _, err := cert.Verify(x509.VerifyOptions{DNSName: verifyAs, Roots: pool(a)}); err != nil {
				t.Error(err)
			}
			if cert.VerifyHostname("sub."+verifyAs) == nil ||
				cert.VerifyHostname("other.example.org") == nil {
				t.Error("valid for another host")
			}
		})
	}
}

func TestLeafProfile(t *testing.T) {
	a := open(t, t.TempDir())
	one, two := parsed(t, a, "one.example"), parsed(t, a, "two.example")
	if life := one.NotAfter.Sub(one.NotBefore); life > 397*24*time.Hour {
		t.Errorf("lives %v", life)
	}
	if since := time.Since(one.NotBefore); since < time.Hour {
		t.Errorf("valid since %v only: a client with a slow clock refuses it", since)
	}
	if one.KeyUsage != x509.KeyUsageDigitalSignature || one.IsCA || !one.BasicConstraintsValid {
		t.Error("not the profile of a server's ECDSA key")
	}
	if len(one.ExtKeyUsage) != 1 || one.ExtKeyUsage[0] != x509.ExtKeyUsageServerAuth ||
		len(one.UnknownExtKeyUsage) != 0 {
		t.Errorf("extended key usage %v", one.ExtKeyUsage)
	}
	if !bytes.Equal(one.AuthorityKeyId, a.chain[0].SubjectKeyId) {
		t.Errorf("authority key id %x, want %x", one.AuthorityKeyId, a.chain[0].SubjectKeyId)
	}
	if one.SerialNumber.BitLen() < 96 || one.SerialNumber.Cmp(two.SerialNumber) == 0 {
		t.Errorf("serial numbers can be guessed: %x, %x", one.SerialNumber, two.SerialNumber)
	}
	if !bytes.Equal(one.RawSubjectPublicKeyInfo, two.RawSubjectPublicKeyInfo) {
		t.Error("leaves have keys of their own")
	}
	if bytes.Equal(one.RawSubjectPublicKeyInfo, a.chain[0].RawSubjectPublicKeyInfo) {
		t.Error("leaves have the root's key")
	}
}

// manyRunes is n bytes of characters of which few are the same.
func manyRunes(n int) string {
	var b strings.Builder
	for r := rune(0x4e00); b.Len() < n; r++ {
		b.WriteRune(r)
	}
	return b.String()
}

func TestNoLeafForGarbage(t *testing.T) {
	a := open(t, t.TempDir())
	for name, host := range map[string]string{
		"empty":              "",
		"only a dot":         ".",
		"wildcard":           "*.example.org",
		"wildcard inside":    "w*w.example.org",
		"empty label":        "a..example.org",
		"two trailing dots":  "example.org..",
		"leading dot":        ".example.org",
		"space":              "exa mple.org",
		"NUL":                "example.org\x00.evil.example",
		"newline":            "example.org\n",
		"port":               "example.org:443",
		"slash":              "example.org/",
		"brackets":           "[2001:db8::7]",
		"long label":         label63 + "a.example",
		"254 characters":     name253 + "b",
		"64 KB":              strings.Repeat("a.", 32<<10),
		"64 KB of runes":     manyRunes(64 << 10),
		"not UTF-8":          "\xff\xfe.example",
		"IDN not allowed":    "a\u2028b.example",
		"IDN full-width dot": "a\uff0e\uff0eexample",
		"IDN wildcard":       "*.bücher.example",
	} {
		t.Run(name, func(t *testing.T) {
			cert, err := a.certificate(host)
			if err == nil {
				t.Fatalf("minted for %q", host)
			}
			if cert != nil || !strings.HasPrefix(err.Error(), "no certificate for ") {
				t.Errorf("unclear: %v", err)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
	if minted, kept := a.minted.Load(), a.leaves.Len(); minted != 0 || kept != 0 {
		t.Errorf("minted %d, kept %d", minted, kept)
	}
}

func TestLeavesAreBounded(t *testing.T) {
	a := open(t, t.TempDir())
	const over = 8
	for i := range cachedLeaves + over {
		if _, err := a.certificate(fmt.Sprintf("h%d.example", i)); err != nil {
			t.Fatal(err)
		}
	}
	if signed, kept := a.Leaves(); signed != cachedLeaves+over || kept != cachedLeaves {
		t.Errorf("%d leaves signed, %d kept, want %d", signed, kept, cachedLeaves)
	}
	if root := a.chain.top(); !a.Ends().Equal(root.NotAfter) {
		t.Errorf("it ends %v, its root %v", a.Ends(), root.NotAfter)
	}
	before := a.minted.Load()
	parsed(t, a, fmt.Sprintf("h%d.example", over)) // the oldest that is kept
	if a.minted.Load() != before {
		t.Error("a kept leaf was minted again")
	}
	parsed(t, a, "h0.example")
	if a.minted.Load() != before+1 {
		t.Error("a leaf that fell out was not minted again")
	}
}

func TestLeafIsRenewedWhileRunning(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := open(t, dir)
		first := parsed(t, a, "example.org")
		time.Sleep(leafLife / 4)
		if !bytes.Equal(parsed(t, a, "example.org").Raw, first.Raw) {
			t.Error("a young leaf was replaced")
		}
		for day := range 400 {
			time.Sleep(24 * time.Hour)
			if left := time.Until(parsed(t, a, "example.org").NotAfter); left < leafLife/3 {
				t.Fatalf("after %d days the leaf has %v left", day, left)
			}
		}
	})
}

func TestLeafEndsWithItsRoot(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := open(t, dir)
		time.Sleep(time.Until(a.chain[0].NotAfter) - time.Hour)
		if cert := parsed(t, a, "example.org"); !cert.NotAfter.Equal(a.chain[0].NotAfter) {
			t.Errorf("leaf ends %v, root %v", cert.NotAfter, a.chain[0].NotAfter)
		}
		time.Sleep(time.Hour)
		if _, err := a.certificate("example.org"); err == nil ||
			!strings.Contains(err.Error(), "expired on") {
			t.Errorf("minted by an expired root: %v", err)
		}
	})
}

func TestOpenSSLAcceptsLeaves(t *testing.T) {
	a := open(t, t.TempDir())
	for _, host := range []string{"example.org", "192.0.2.7", "2001:db8::7", name253} {
		file := filepath.Join(t.TempDir(), "leaf.pem")
		if err := os.WriteFile(file, pemCert(parsed(t, a, host).Raw), 0o600); err != nil {
			t.Fatal(err)
		}
		openssl(t, "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", a.File(), file)
	}
	openssl(t, "verify", "-x509_strict", "-CAfile", a.File(), a.File())
}

func FuzzParseHost(f *testing.F) {
	for _, host := range []string{
		"example.org", "*.example.org", "bücher.example", "fe80::1%x", "192.0.2.1", "a..b", "\xff", "xn--",
	} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		name, addr, err := parseHost(host)
		if err != nil {
			if name != "" || addr.IsValid() {
				t.Errorf("%q: result beside error %v", host, err)
			}
			return
		}
		if again, sameAddr, err := parseHost(name); err != nil || again != name || sameAddr != addr {
			t.Errorf("%q: %q is not stable: %q, %v", host, name, again, err)
		}
		if strings.ContainsAny(name, "*/[]@% \x00") || len(name) > 253 {
			t.Errorf("%q: accepted as %q", host, name)
		}
	})
}

func parsed(tb testing.TB, a *Authority, host string) *x509.Certificate {
	tb.Helper()
	pair, err := a.certificate(host)
	if err != nil {
		tb.Fatal(err)
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		tb.Fatal(err)
	}
	return cert
}

func pool(a *Authority) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(a.chain[0])
	return roots
}

func sanCritical(t *testing.T, cert *x509.Certificate) bool {
	t.Helper()
	for _, e := range cert.Extensions {
		if e.Id.String() == "2.5.29.17" {
			return e.Critical
		}
	}
	t.Fatal("no SAN")
	return false
}

func BenchmarkMint(b *testing.B) {
	a := open(b, b.TempDir())
	now := time.Now().UTC()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.mint("www.example.org", now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCached(b *testing.B) {
	hello := &tls.ClientHelloInfo{ServerName: "www.example.org"}
	config := open(b, b.TempDir()).ServerConfig(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := config.GetCertificate(hello); err != nil {
			b.Fatal(err)
		}
	}
}
