package route

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Dialer is what a way is gone with. Each function keeps to its context, which ends with the time
// for the whole way.
type Dialer struct {
	// Connect opens a TCP connection to the first parent.
	Connect func(ctx context.Context, host, port string) (net.Conn, error)

	// Handshake makes the connection to a parent a TLS one. The parent's certificate must be valid.
	Handshake func(ctx context.Context, conn net.Conn, host string) (net.Conn, error)

	// Lookup returns the addresses of a parent behind one that is told addresses alone.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Resolve returns those addresses of the origin that may be reached.
	Resolve func(ctx context.Context) ([]netip.Addr, error)
}

// maxAddresses is how many addresses of an origin are tried.
const maxAddresses = 4

// Dial goes the way to an origin. The connection leads to the origin, or, if the way forwards, to
// the last parent; the address is the origin's, if its name was resolved here.
func (w *Way) Dial(ctx context.Context, d *Dialer, secure bool, host, port string) (
	conn net.Conn, address netip.Addr, err error) {
	if !w.ResolvesHere() {
		conn, _, err = w.lead(ctx, d, secure, host, port)
		return conn, netip.Addr{}, err
	}
	addresses, err := d.Resolve(ctx)
	if err != nil {
		return nil, netip.Addr{}, err
	}
	addresses = addresses[:min(len(addresses), maxAddresses)]
	for i, address := range addresses {
		conn, retry, err2 := w.leadWithin(ctx, len(addresses)-i, d, secure, address.String(), port)
		if err2 == nil {
			return conn, address, nil
		}
		if err == nil { // the first tells most
			err = err2
		}
		if !retry {
			break
		}
	}
	if err == nil {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return nil, netip.Addr{}, err
}

// leadWithin is lead in the share of the time that one of so many tries has.
func (w *Way) leadWithin(ctx context.Context, tries int, d *Dialer, secure bool,
	host, port string) (conn net.Conn, retry bool, err error) {
	if until, bounded := ctx.Deadline(); bounded {
		share, cancel := context.WithTimeout(ctx, time.Until(until)/time.Duration(tries))
		defer cancel()
		conn, retry, err = w.lead(share, d, secure, host, port)
		return conn, retry && ctx.Err() == nil, err
	}
	return w.lead(ctx, d, secure, host, port)
}

// lead goes from parent to parent. retry reports that all parents were reached, and the last one
// did not reach the origin.
func (w *Way) lead(ctx context.Context, d *Dialer, secure bool, host, port string) (
	conn net.Conn, retry bool, err error) {
	raw, err := d.Connect(ctx, w.hops[0].host, w.hops[0].port)
	if err != nil {
		return nil, false, w.hops[0].unreachable(err)
	}
	conn = raw
	for i := range w.hops {
		last := i == len(w.hops)-1
		next, nextPort := host, port
		if !last {
			next, nextPort = w.hops[i+1].host, w.hops[i+1].port
		}
		conn, err = w.hops[i].enter(ctx, d, conn)
		if err == nil && last && w.Forwards(secure) {
			return conn, false, nil
		}
		if err == nil && !last {
			next, err = w.hops[i].spell(ctx, d, next)
		}
		if err == nil {
			err = w.hops[i].pass(ctx, conn, net.JoinHostPort(next, nextPort))
			retry = last
		}
		if err != nil {
			raw.Close() // a TLS farewell could wait for a parent that takes nothing
			return nil, retry, err
		}
	}
	return conn, false, nil
}

// enter makes TLS of the connection to a parent that speaks it.
func (h *hop) enter(ctx context.Context, d *Dialer, conn net.Conn) (net.Conn, error) {
	if h.scheme != "https" {
		return conn, nil
	}
	secure, err := d.Handshake(ctx, conn, h.host)
	var invalid *tls.CertificateVerificationError
	switch {
	case errors.As(err, &invalid):
		return conn, h.fault("its certificate is not valid (upstream-ca names roots to trust)", err)
	case err != nil:
		return conn, h.fault("the TLS handshake with it failed", err)
	}
	return secure, nil
}

// spell returns the next parent's host as this one is to be told it.
func (h *hop) spell(ctx context.Context, d *Dialer, next string) (string, error) {
	if !h.resolvesHere() {
		return next, nil
	}
	addresses, err := d.Lookup(ctx, next)
	if err != nil || len(addresses) == 0 {
		return "", h.fault("the name of the proxy behind it could not be resolved", err)
	}
	return addresses[0].String(), nil
}

// pass has the parent connect to an address.
func (h *hop) pass(ctx context.Context, conn net.Conn, address string) error {
	if h.isHTTP() {
		return h.connect(ctx, conn, address)
	}
	return h.socks(ctx, conn, address)
}

// Error is a way that has not led to the origin, for what a parent did. Its text is for the log,
// and names the parent; Why is for clients, whom the ways out do not concern.
type Error struct {
	Why string // "it …"

	parent string
	err    error // nil if Why says it all
}

func (e *Error) Error() string {
	text := "proxy " + e.parent + ": " + e.Why
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.err }

func (h *hop) fault(why string, err error) error {
	return &Error{why, h.scheme + "://" + h.address(), err}
}

// unreachable is the error of a parent to which there is no TCP connection.
func (h *hop) unreachable(err error) error {
	var name *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return h.fault("it refused the connection", err)
	case errors.As(err, &name):
		return h.fault("its name could not be resolved", err)
	}
	return h.fault("it could not be reached", err)
}
