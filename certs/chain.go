package certs

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// chain is the certificate that signs leaves, and behind it the one that signed it, and so on.
type chain []*x509.Certificate

// Parse reads the certificates of a PEM file and passes over all else in it. The error goes behind
// the file's name.
func Parse(data []byte) (c []*x509.Certificate, err error) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("has a certificate that cannot be read, number %d: %w", len(c)+1, err)
		}
		c = append(c, cert)
	}
	if len(c) == 0 {
		return nil, errors.New("has no certificate in PEM (BEGIN CERTIFICATE); of a DER file " +
			"openssl x509 -inform der makes one")
	}
	return c, nil
}

// top is what clients have to trust: the root if it is there, else what comes nearest to it.
func (c chain) top() *x509.Certificate { return c[len(c)-1] }

// raw returns the certificates as they are sent.
func (c chain) raw() (all [][]byte) {
	for _, cert := range c {
		all = append(all, cert.Raw)
	}
	return all
}

// begin and end are when all of the chain is valid.
func (c chain) begin() time.Time { return slices.MaxFunc(c, byBegin).NotBefore }
func (c chain) end() time.Time   { return slices.MinFunc(c, byEnd).NotAfter }

func byBegin(a, b *x509.Certificate) int { return a.NotBefore.Compare(b.NotBefore) }
func byEnd(a, b *x509.Certificate) int   { return a.NotAfter.Compare(b.NotAfter) }

// check refuses a chain whose leaves no client would take.
func (c chain) check(now time.Time) error {
	for i, cert := range c {
		if err := checkAuthority(cert, i, now); err != nil {
			return fmt.Errorf("%q %w", NameOf(cert), err)
		}
		if i > 0 {
			if err := c.checkSigned(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkAuthority refuses a certificate that may not sign servers' certificates, with so many of
// authorities between.
func checkAuthority(cert *x509.Certificate, between int, now time.Time) error {
	may := func(use x509.ExtKeyUsage) bool { return slices.Contains(cert.ExtKeyUsage, use) }
	limited := len(cert.ExtKeyUsage)+len(cert.UnknownExtKeyUsage) > 0
	switch {
	case !cert.IsCA || cert.KeyUsage != 0 && cert.KeyUsage&x509.KeyUsageCertSign == 0:
		return errors.New("is not the certificate of an authority")
	case limited && !may(x509.ExtKeyUsageAny) && !may(x509.ExtKeyUsageServerAuth):
		return errors.New("may not sign certificates of servers (its extended key usage)")
	case cert.MaxPathLen >= 0 && between > cert.MaxPathLen:
		return fmt.Errorf("allows %d authorities below it (its path length), and there are %d",
			cert.MaxPathLen, between)
	case now.Before(cert.NotBefore):
		return fmt.Errorf("is valid from %s on only (if the clock is wrong, set it)",
			cert.NotBefore.Format(time.DateTime))
	case !now.Before(cert.NotAfter):
		return fmt.Errorf("expired on %s", cert.NotAfter.Format(time.DateOnly))
	}
	return nil
}

// checkSigned refuses the certificate at i if it has not signed the one before it.
func (c chain) checkSigned(i int) error {
	err := hasSigned(c[i], c[i-1])
	if err == nil {
		return nil
	}
	isIssuer := func(one *x509.Certificate) bool { return hasSigned(one, c[i-1]) == nil }
	below, cert := NameOf(c[i-1]), NameOf(c[i])
	var weak x509.InsecureAlgorithmError
	switch {
	case errors.As(err, &weak):
		return fmt.Errorf("%q: no client takes its signature: %w", below, err)
	case isSelfSigned(c[i-1]):
		return fmt.Errorf("%q is a root, and behind it comes %q: leave that out", below, cert)
	case slices.ContainsFunc(c, isIssuer):
		return fmt.Errorf("%q did not sign %q: the order is wrong; the certificate that signs comes "+
			"first, and behind each the one that signed it", cert, below)
	}
	return fmt.Errorf("%q did not sign %q (%w): the one that did has to be there, or nothing",
		cert, below, err)
}

// hasSigned returns why one certificate is not the issuer of another, or nil.
func hasSigned(issuer, cert *x509.Certificate) error {
	if !bytes.Equal(cert.RawIssuer, issuer.RawSubject) {
		return errors.New("the names differ")
	}
	return cert.CheckSignatureFrom(issuer)
}

// isSelfSigned reports a root. By which algorithm it has signed itself matters to nobody.
func isSelfSigned(cert *x509.Certificate) bool {
	err := hasSigned(cert, cert)
	var weak x509.InsecureAlgorithmError
	return err == nil || errors.As(err, &weak)
}

// remarks are what is no error, and clients make something of.
func (c chain) remarks() (all []string) {
	for _, cert := range c {
		if names := constraintsOf(cert); names != "" {
			all = append(all, fmt.Sprintf("%q may sign %s (its name constraints): clients refuse the "+
				"certificates of other hosts", NameOf(cert), names))
		}
		if cert.PublicKeyAlgorithm == x509.Ed25519 {
			all = append(all, fmt.Sprintf("the key of %q is Ed25519, which browsers do not take",
				NameOf(cert)))
		}
		if key, is := cert.PublicKey.(*rsa.PublicKey); is && key.N.BitLen() < 2048 {
			all = append(all, fmt.Sprintf("the key of %q has %d bits; many clients want 2048",
				NameOf(cert), key.N.BitLen()))
		}
	}
	if top := c.top(); !isSelfSigned(top) {
		all = append(all, fmt.Sprintf("the root is not there: %q is the last, and is what is given out "+
			"to be trusted; %q, which signed it, does as well, and some programs take only that",
			NameOf(top), nameText(top.Issuer)))
	}
	return all
}

// constraintsOf says for which hosts an authority may sign; "" is all.
func constraintsOf(cert *x509.Certificate) string {
	var parts []string
	add := func(word string, names []string, networks []*net.IPNet) {
		for _, network := range networks {
			names = append(names, network.String())
		}
		if len(names) > 0 {
			parts = append(parts, word+" "+strings.Join(names, ", "))
		}
	}
	add("for", slices.Clone(cert.PermittedDNSDomains), cert.PermittedIPRanges)
	add("not for", slices.Clone(cert.ExcludedDNSDomains), cert.ExcludedIPRanges)
	return strings.Join(parts, ", ")
}

// NameOf returns how people know a certificate: its common name, or all of its name.
func NameOf(cert *x509.Certificate) string { return nameText(cert.Subject) }

func nameText(name pkix.Name) string {
	if name.CommonName != "" {
		return name.CommonName
	}
	return name.String()
}
