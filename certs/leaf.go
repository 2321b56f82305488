package certs

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// leafLife is far below the 397 days that clients accept at most, and below the bounds that
// browsers have announced. A new leaf costs next to nothing, so there is no reason for a longer
// life.
const leafLife = 30 * 24 * time.Hour

// leaf is a signed certificate and the time from which on a new one replaces it.
type leaf struct {
	*tls.Certificate
	renew time.Time
}

// certificate returns the leaf for host, an SNI or a CONNECT host without port: from the cache or,
// if it is not there, newly minted.
func (a *Authority) certificate(host string) (*tls.Certificate, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if l := a.cached(host); l != nil {
		return l.Certificate, nil
	}
	minted, err, _ := a.flights.Do(host, func() (any, error) {
		if l := a.cached(host); l != nil { // another flight has landed since the look above
			return l, nil
		}
		l, err := a.mint(host, time.Now().UTC())
		if err != nil {
			return nil, err
		}
		a.leaves.Add(host, l)
		return l, nil
	})
	if err != nil {
		return nil, err
	}
	return minted.(*leaf).Certificate, nil
}

func (a *Authority) cached(host string) *leaf {
	// UTC drops the monotonic clock reading: that clock stands still while a laptop sleeps.
	if l, ok := a.leaves.Get(host); ok && time.Now().UTC().Before(l.renew) {
		return l
	}
	return nil
}

// mint signs a leaf for host. now has no monotonic clock reading. crypto/x509 makes the serial
// number, of 159 random bits.
func (a *Authority) mint(host string, now time.Time) (*leaf, error) {
	name, addr, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	last := a.chain.end()
	if !now.Before(last) {
		return nil, fmt.Errorf(
			"sign certificate for %s: %s expired on %s; start again to learn how to get a new one",
			host, a.file, last.Format(time.DateOnly))
	}
	begin, end := now.Add(-backdate), now.Add(leafLife)
	if first := a.chain.begin(); begin.Before(first) {
		begin = first
	}
	if end.After(last) {
		end = last
	}
	template := &x509.Certificate{
		NotBefore:             begin,
		NotAfter:              end,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if addr.IsValid() {
		template.IPAddresses = []net.IP{addr.AsSlice()}
	} else {
		template.DNSNames = []string{name}
	}
	// X.520 bounds a common name. For a longer name the subject stays empty, and crypto/x509 marks the
	// SAN as critical.
	if len(name) <= 64 {
		template.Subject = pkix.Name{CommonName: name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.chain[0], &a.leafKey.PublicKey,
		a.key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate for %s: %w", host, err)
	}
	a.minted.Add(1)
	return &leaf{
		Certificate: &tls.Certificate{
			Certificate: slices.Insert(a.chain.raw(), 0, der),
			PrivateKey:  a.leafKey,
		},
		renew: now.Add(end.Sub(now) / 2),
	}, nil
}

// parseHost tells what to certify: an IP address without zone, or else a DNS name in ASCII. name is
// the text of either. host must be lower-case.
//
// parseHost is as lenient as the web, which has names with underscores, and with hyphens at the
// ends of a label. It is strict where a name would stand for several hosts (a wildcard) or for
// none.
func parseHost(host string) (name string, addr netip.Addr, err error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.WithZone("").Unmap()
		return addr.String(), addr, nil
	}
	if len(host) > maxHost {
		return "", netip.Addr{}, fmt.Errorf(
			"no certificate for %.300q…: a host name has 1 to 253 characters", host)
	}
	name = host
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		name, err = idna.Lookup.ToASCII(host)
	}
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		return "", netip.Addr{}, fmt.Errorf("no certificate for %.300q: %w", host, err)
	}
	return name, netip.Addr{}, nil
}

// maxHost is more than 253 characters take in UTF-8. Without a bound, a client could send an SNI of
// 64 KiB, and the time that its conversion to ASCII takes grows with the square of its length.
const maxHost = 1 << 10

func checkName(name string) error {
	if name == "" || len(name) > 253 {
		return errors.New("a host name has 1 to 253 characters")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return errors.New("a part of a host name has 1 to 63 characters")
		}
		if strings.ContainsFunc(label, notInLabel) {
			return errors.New("a host name is made of letters, digits, dots, hyphens and underscores")
		}
	}
	return nil
}

func notInLabel(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}
