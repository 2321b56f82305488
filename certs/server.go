package certs

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"slices"
)

// ServerConfig returns the configuration of the TLS connections with clients: TLS 1.2 and 1.3,
// HTTP/1 only. The certificate is for the host in the client's SNI; without SNI, for the host that
// fallback returns, such as the CONNECT host (a name or an IP address, no port). fallback is called
// for each hello that gets a certificate, also for those with SNI, but not for those that resume a
// session without a certificate. fallback may be nil.
//
// The root is sent behind the leaf. Clients that trust the root do not need that, but Chromium
// accepts a root by the hash of its key (--ignore-certificate-errors-spki-list) only if the root is
// sent.
//
// Use one ServerConfig for all connections, and do not copy it: crypto/tls keeps the session ticket
// keys with the tls.Config and replaces them daily, so that a copy per connection
// (tls.Config.Clone) would never resume a session.
//
// A client that offers only h2 is refused with the alert no_application_protocol (RFC 7301 section
// 3.2): it would speak HTTP/2 whatever the answer. http/1.0 is accepted because curl --http1.0
// offers nothing else.
//
// A client on the same machine gets a key exchange of elliptic curves alone. The post-quantum
// hybrids double the cost of a handshake. They protect traffic from those who store it until they
// can read it, but nobody sees the traffic of the loopback interface who could not read the
// archive.
func (a *Authority) ServerConfig(fallback func(*tls.ClientHelloInfo) string) *tls.Config {
	near := a.serverConfig(fallback)
	far := near.Clone()
	near.CurvePreferences = curves
	near.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if onLoopback(hello.Conn) && knowsCurve(hello.SupportedCurves) {
			return nil, nil
		}
		return far, nil // tickets are made with the keys of near all the same
	}
	return near
}

// curves are the key exchanges of elliptic curves alone.
var curves = []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521}

// knowsCurve reports whether the client offers one of curves. No list at all is an offer of the
// default curves of TLS 1.2 (RFC 8422 section 4).
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
		// Small records at the start help on slow links, where a large record comes late. On a fast link
		// each of them only costs a write.
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
