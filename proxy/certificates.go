package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"warcorder/certs"
	"warcorder/proxy/hosts"
)

// ClientCert is a certificate that hosts are shown which ask for one.
type ClientCert struct {
	Host string `json:"host"` // a pattern
	Cert string `json:"cert"` // file, PEM
	Key  string `json:"key"`  // file, PEM; "" is that of Cert
}

// certificates are what an origin is judged by, and what it is shown of us.
type certificates struct {
	roots  *x509.CertPool // nil are the system's
	shown  []shownCert    // the first that matches counts
	advice []string       // what is wrong with a certificate, and may be meant
}

// shownCert is a certificate with the hosts that may see it.
type shownCert struct {
	hosts hosts.List
	pair  tls.Certificate
}

// loadCertificates reads the files that UpstreamCA and ClientCerts name.
func (c *Config) loadCertificates() (loaded certificates, err error) {
	if c.UpstreamCA != "" {
		if loaded.roots, err = loadRoots(c.UpstreamCA); err != nil {
			return loaded, fmt.Errorf("upstream-ca: %w", err)
		}
	}
	for _, one := range c.ClientCerts {
		if err := loaded.add(one); err != nil {
			return loaded, fmt.Errorf("client-certs: %w", err)
		}
	}
	return loaded, nil
}

// equal reports whether an origin is judged by the same, and shown the same.
func (c *certificates) equal(other *certificates) bool {
	if c.roots != other.roots && !c.roots.Equal(other.roots) {
		return false
	}
	return slices.EqualFunc(c.shown, other.shown, func(a, b shownCert) bool {
		return reflect.DeepEqual(a.hosts, b.hosts) && reflect.DeepEqual(a.pair.Certificate, b.pair.Certificate)
	})
}

// loadRoots returns the system's roots and those of a PEM file.
func loadRoots(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	own, err := certs.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the system's roots: %w", err)
	}
	for _, cert := range own {
		roots.AddCert(cert)
	}
	return roots, nil
}

func (c *certificates) add(one ClientCert) error {
	list, err := hosts.ParseList(one.Host)
	switch {
	case err != nil:
		return err
	case list.All:
		return errors.New("host is for all: name the hosts that are to be shown who you are")
	case len(list.Hosts) == 0 || one.Cert == "":
		return errors.New("each needs host and cert (and key, unless it is in the file of cert)")
	}
	key := one.Key
	if key == "" {
		key = one.Cert
	}
	pair, err := certs.LoadPair(one.Cert, key)
	if err != nil {
		return err
	}
	c.shown = append(c.shown, shownCert{list, pair})
	c.advice = append(c.advice, adviceOn(pair.Leaf, one.Cert, key, time.Now())...)
	return nil
}

// adviceOn says why an origin may refuse a client's certificate, and that others have its key.
func adviceOn(cert *x509.Certificate, file, key string, now time.Time) (advice []string) {
	forClients := len(cert.ExtKeyUsage) == 0 ||
		slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageAny) ||
		slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	switch {
	case now.After(cert.NotAfter):
		advice = append(advice,
			fmt.Sprintf("%s expired on %s", file, cert.NotAfter.Format(time.DateOnly)))
	case now.Before(cert.NotBefore):
		advice = append(advice,
			fmt.Sprintf("%s is valid from %s on only", file, cert.NotBefore.Format(time.DateTime)))
	case !forClients:
		advice = append(advice, file+" is not one for clients (its extended key usage)")
	}
	if err := certs.CheckPrivate(key); err != nil {
		advice = append(advice, err.Error())
	}
	return advice
}

// shownTo returns the certificate that an origin is shown if it asks for one, or nil. The name
// decides that its certificate must bear.
func (c *certificates) shownTo(o origin) *tls.Certificate {
	if !o.secure {
		return nil
	}
	for i := range c.shown {
		if c.shown[i].hosts.Has(o.name) {
			return &c.shown[i].pair
		}
	}
	return nil
}

// knowsUs reports whether connections to an origin may be made in our name, by a certificate.
func (c *certificates) knowsUs(o origin) bool { return c.shownTo(o) != nil }

// present is called when the origin of up asks for a certificate. It gets none but its own, and
// that only if its name is proven: with insecure-upstream somebody else may be asking.
func (c *certificates) present(up *upstream) *tls.Certificate {
	if pair := c.shownTo(up.origin); pair != nil && up.unverified == "" {
		return pair
	}
	up.denied = true
	return &tls.Certificate{} // none
}

// unnamedError is an end that an origin made which had asked for our certificate in vain.
type unnamedError struct{ err error }

func (e *unnamedError) Error() string { return e.err.Error() }
func (e *unnamedError) Unwrap() error { return e.err }

// explained adds to an error that the origin had asked for a certificate: in TLS 1.3 it refuses the
// lack of one behind the handshake, in the place of an answer.
func (up *upstream) explained(err error) error {
	if up == nil || !up.denied || up.used > 0 || !saysNo(err) {
		return err
	}
	return &unnamedError{err}
}

// saysNo reports an error by which the other side has ended the connection.
func saysNo(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return true
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// The alerts of RFC 8446 section 6.2 and RFC 5246 section 7.2.2, as crypto/tls words them. An
// origin that wants a second handshake wants a certificate in it.
var (
	certificateRequired = tls.AlertError(116).Error()
	noRenegotiation     = tls.AlertError(100).Error()
)

// wantsCertificate matches what an origin does that has asked for a certificate and got none.
func wantsCertificate(err error) (why string, is bool) {
	var unnamed *unnamedError
	why = err.Error()
	return why, errors.As(err, &unnamed) || strings.HasSuffix(why, certificateRequired) ||
		strings.HasSuffix(why, noRenegotiation)
}
