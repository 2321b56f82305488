package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"

	"warcorder/recorder"
)

// dial opens a connection to o, and counts it.
func (u *upstreams) dial(ctx context.Context, o origin) (*upstream, error) {
	up, err := u.open(ctx, o)
	u.dials.count(up, err)
	return up, err
}

// open opens a connection to o: TCP within timeout-connect, TLS within timeout-tls.
func (u *upstreams) open(ctx context.Context, o origin) (*upstream, error) {
	up := &upstream{origin: o}
	up.heads = u.heads
	if err := u.reach(ctx, up); err != nil {
		return nil, &dialError{"connect", err}
	}
	var err error
	if up.socket, err = up.raw.SyscallConn(); err != nil {
		up.raw.Close()
		return nil, &dialError{"connect", err}
	}
	if !o.secure || o.opaque {
		return up, nil
	}
	if err := u.handshake(ctx, up); err != nil {
		up.raw.Close()
		return nil, &dialError{"tls", err}
	}
	return up, nil
}

// reach opens the connection of up to its origin, or by its way.
func (u *upstreams) reach(ctx context.Context, up *upstream) (err error) {
	ctx, cancel := context.WithTimeout(ctx, u.cfg.Timeout.Connect)
	defer cancel()
	if up.origin.way != nil {
		return u.goWay(ctx, up)
	}
	if up.raw, err = u.connect(ctx, up.origin); err != nil {
		return err
	}
	up.conn = up.raw
	up.ip = up.raw.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
	return nil
}

// connect opens a TCP connection to o.
func (u *upstreams) connect(ctx context.Context, o origin) (*net.TCPConn, error) {
	addresses, err := u.permitted(ctx, o)
	if err != nil {
		return nil, err
	}
	return u.dialer.Any(ctx, addresses, o.port)
}

// handshake makes a connection a TLS one. HTTP/1.1 is all that is offered: what cannot be relayed
// byte for byte is not asked for. A certificate that is not valid ends it, but for the hosts of
// insecure-upstream, whose records then say what was wrong.
func (u *upstreams) handshake(ctx context.Context, up *upstream) error {
	cfg := &tls.Config{
		ServerName:         up.origin.name,
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: u.sessionsOf(up.origin),
		RootCAs:            u.certificates.roots,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return u.certificates.present(up), nil
		},
	}
	if u.certificates.knowsUs(up.origin) { // some ask for the certificate when they see the URL
		cfg.Renegotiation = tls.RenegotiateOnceAsClient
	}
	if u.cfg.InsecureUpstream.Has(up.origin.name) {
		cfg.InsecureSkipVerify = true
		cfg.VerifyConnection = func(cs tls.ConnectionState) error {
			if err := u.verify(cs, up.origin.name); err != nil {
				up.unverified = err.Error()
			}
			return nil
		}
	}
	conn := tls.Client(up.pausable(up.conn), cfg)
	ctx, cancel := context.WithTimeout(ctx, u.cfg.Timeout.TLS)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		return up.explained(err)
	}
	cs := conn.ConnectionState()
	if cs.NegotiatedProtocol != "" && cs.NegotiatedProtocol != "http/1.1" {
		return fmt.Errorf("the origin insists on %q", cs.NegotiatedProtocol)
	}
	up.conn, up.tls, up.cipher = conn, cs.Version, cs.CipherSuite
	up.chain = chainOf(cs.PeerCertificates)
	return nil
}

// chainOf is what the origin sent; in a resumed session, what it had sent before.
func chainOf(certificates []*x509.Certificate) *recorder.Chain {
	der := make([][]byte, len(certificates))
	for i, certificate := range certificates {
		der[i] = certificate.Raw
	}
	return recorder.NewChain(der)
}

// verify is what crypto/tls does when verification is on.
func (u *upstreams) verify(cs tls.ConnectionState, name string) error {
	opts := x509.VerifyOptions{
		DNSName:       name,
		Roots:         u.certificates.roots,
		Intermediates: x509.NewCertPool(),
	}
	for _, cert := range cs.PeerCertificates[1:] {
		opts.Intermediates.AddCert(cert)
	}
	_, err := cs.PeerCertificates[0].Verify(opts)
	return err
}
