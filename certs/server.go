package certs

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"slices"
)

// ServerConfig returns the configuration for the TLS side towards clients: TLS 1.2 and 1.3, HTTP/1
// only. Its certificate is for the host in the client's SNI; without SNI, for what fallback
// returns, such as the CONNECT host (a name or an IP address, no port). fallback sees each hello
// for which there will be a certificate, also those with SNI, but not those that resume a session
// without one; it may be nil.
//
// Behind the leaf the root is sent: clients that know it need it not, but Chromium accepts a root
// by its key's hash (--ignore-certificate-errors-spki-list) only where the root is in the chain.
//
// Use one ServerConfig for all connections, as it is: crypto/tls makes its session ticket keys,
// replaces them daily and keeps them with it, so that a copy per connection (tls.Config.Clone)
// would never resume a session.
//
// A client that offers only h2 is refused with the alert no_application_protocol (RFC 7301 section
// 3.2): it would speak HTTP/2 whatever we answered. http/1.0 is accepted because curl --http1.0
// offers nothing else.
//
// A client on the same machine gets a key exchange of elliptic curves alone. The post-quantum
// hybrids double the cost of a handshake, and protect what crosses a network from those who store
// it until they can read it: what crosses the loopback interface is seen by nobody who could not
// read the archive.
func (a *Authority) ServerConfig(fallback func(*tls.ClientHelloInfo) string) *tls.Config {
	near := a.serverConfig(fallback)
	far := near.Clone()
	near.CurvePreferences = curves
	near.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if onLoopback(hello.Conn) && knowsCurve(hello.SupportedCurves) {
			return nil, nil
		}
		return far, nil // the ticket keys are near's all the same
	}
	return near
}

// curves are the key exchanges that are no hybrids.
var curves = []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521}

// knowsCurve is true for no list at all, with which TLS 1.2 has a default of its own (RFC 8422
// section 4).
func knowsCurve(offered []tls.CurveID) bool {
	return len(offered) == 0 ||
		slices.ContainsFunc(offered, func(id tls.CurveID) bool { return slices.Contains(curves, id) })
}

func onLoopback(conn net.Conn) bool {
	address, ok := conn.RemoteAddr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

func (a *Authority) serverConfig(fallback func(*tls.ClientHelloInfo) string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// Small records at first are for slow links, on which a large one would come late. Here they cost
		// a write each.
		DynamicRecordSizingDisabled: true,
		NextProtos:                  []string{"http/1.1", "http/1.0"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			host := hello.ServerName
			if fallback != nil {
				host = cmp.Or(host, fallback(hello))
			}
			if host == "" {
				return nil, errors.New("no certificate: the client named no host (no SNI)")
			}
			return a.certificate(host)
		},
	}
}
