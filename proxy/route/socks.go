package route

import (
	"cmp"
	"context"
	"errors"
	"net"
	"os"
	"strings"

	"golang.org/x/net/proxy"
)

// socks has a SOCKS5 proxy connect to an address (RFC 1928, RFC 1929).
func (h *hop) socks(ctx context.Context, conn net.Conn, address string) error {
	var auth *proxy.Auth
	if h.asks {
		auth = &proxy.Auth{User: h.user, Password: h.password}
	}
	dialer, err := proxy.SOCKS5("tcp", h.address(), auth, handed{conn})
	if err == nil {
		_, err = dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", address)
	}
	if err == nil {
		return nil
	}
	if late := os.ErrDeadlineExceeded; ctx.Err() != nil || errors.Is(err, late) {
		return h.fault("it did not answer in time", cmp.Or(ctx.Err(), late))
	}
	var op *net.OpError // says both addresses again
	if errors.As(err, &op) && op.Op == "socks connect" {
		err = op.Err
	}
	if reply, is := strings.CutPrefix(err.Error(), "unknown error "); is {
		return h.fault("it could not connect: "+reply, nil)
	}
	return h.fault("it did not speak as SOCKS5 does, or refused the user and the password", err)
}

// handed is a connection that is dialled already. Who closes it is who has made it.
type handed struct{ net.Conn }

func (c handed) Dial(string, string) (net.Conn, error) { return c, nil }

func (c handed) DialContext(context.Context, string, string) (net.Conn, error) { return c, nil }

func (handed) Close() error { return nil }
