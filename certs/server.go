package certs

import (
	"crypto/tls"
	"errors"
	"net"
)

// ServerConfig returns the configuration for the TLS side towards clients: TLS 1.2 and 1.3, HTTP/1 only. Its certificate is
// for the host in the client's SNI; without SNI, for what fallback returns for the connection, such as the CONNECT host (a
// name or an IP address, no port). fallback may be nil.
//
// Use one ServerConfig for all connections, as it is: crypto/tls makes its session ticket keys, replaces them daily and
// keeps them with it, so that a copy per connection (tls.Config.Clone) would never resume a session.
//
// A client that offers only h2 is refused with the alert no_application_protocol (RFC 7301 section 3.2): it would speak
// HTTP/2 whatever we answered. http/1.0 is accepted because curl --http1.0 offers nothing else.
func (a *Authority) ServerConfig(fallback func(net.Conn) string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1", "http/1.0"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			host := hello.ServerName
			if host == "" && fallback != nil {
				host = fallback(hello.Conn)
			}
			if host == "" {
				return nil, errors.New("no certificate: the client named no host (no SNI)")
			}
			return a.certificate(host)
		},
	}
}
