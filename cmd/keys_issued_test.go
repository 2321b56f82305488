package cmd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// issued is a certificate that a test has made, with its key.
type issued struct {
	cert     *x509.Certificate
	private  *ecdsa.PrivateKey
	issuer   *issued // itself, of a root
	pem, key []byte
}

// newIssued makes an authority that an issuer has signed; a root with none.
func newIssued(t *testing.T, name string, issuer *issued) *issued {
	t.Helper()
	return issue(t, issuer, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
}

// leaf makes a certificate for loopback and some names, and for a client of that name.
func (i *issued) leaf(t *testing.T, name string) *issued {
	t.Helper()
	return issue(t, i, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost", "*.intranet.test", "intranet.test", "exact.test", "other.test"},
	})
}

func issue(t *testing.T, issuer *issued, form *x509.Certificate) *issued {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &issued{private: private, issuer: issuer}
	form.SerialNumber = big.NewInt(time.Now().UnixNano())
	form.NotBefore, form.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	if issuer == nil {
		made.issuer, made.cert = made, form
	}
	der, err := x509.CreateCertificate(rand.Reader, form, made.issuer.cert, &private.PublicKey,
		made.issuer.private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if made.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	made.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	made.key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	return made
}

// pool is of those who trust it.
func (i *issued) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(i.cert)
	return pool
}

// pair is what its owner shows.
func (i *issued) pair() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{i.cert.Raw}, PrivateKey: i.private}
}

// servesTLS makes an origin with a certificate; with asks it wants one of its clients too.
func servesTLS(t *testing.T, with *issued, asks *issued, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{with.pair()}}
	if asks != nil {
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.VerifyClientCertIfGiven, asks.pool()
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// setProxy leads a client of keyClient by another way.
func setProxy(client *http.Client, proxy *url.URL) {
	client.Transport.(*http.Transport).Proxy = http.ProxyURL(proxy)
}
