package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"

	"warcorder/proxy/route"
)

// goWay opens the connection of up by the way of its origin. Where that is told names, no address
// of the origin is known.
func (u *upstreams) goWay(ctx context.Context, up *upstream) (err error) {
	o := up.origin
	if leadsTo(o.host, o.port, u.self) {
		return errSelf
	}
	if denial := u.judge.Elsewhere(o.host, o.siteName()); denial != nil && !o.way.ResolvesHere() {
		return denial
	}
	d := route.Dialer{
		Connect: func(ctx context.Context, host, port string) (net.Conn, error) {
			conn, err := u.connectParent(ctx, host, port)
			up.raw, up.below = conn, nil
			return conn, err
		},
		Handshake: func(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
			return u.handshakeParent(ctx, up, conn, host)
		},
		Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return u.lookUp(ctx, host, true)
		},
		Resolve: func(ctx context.Context) ([]netip.Addr, error) { return u.permitted(ctx, o) },
	}
	up.conn, up.ip, err = o.way.Dial(ctx, &d, o.secure, o.host, o.port)
	up.forwards = o.way.Forwards(o.secure)
	return err
}

// connectParent opens a TCP connection to the first parent of a way. It is the operator's choice,
// and nothing but that it is the recorder itself speaks against it. What its name leads to is in no
// record.
func (u *upstreams) connectParent(ctx context.Context, host, port string) (*net.TCPConn, error) {
	addresses, err := u.lookUp(ctx, host, true)
	if err != nil {
		return nil, err
	}
	return u.dialer.Any(ctx, addresses, port)
}

// handshakeParent makes the connection to a parent a TLS one. insecure-upstream is about origins: a
// parent whose certificate is not valid is told no password.
func (u *upstreams) handshakeParent(ctx context.Context, up *upstream, conn net.Conn,
	host string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, u.cfg.Timeout.TLS)
	defer cancel()
	secure := tls.Client(up.pausable(conn), &tls.Config{
		ServerName:         host,
		NextProtos:         []string{"http/1.1"},
		RootCAs:            u.certificates.roots,
		ClientSessionCache: scoped{u.sessions, up.origin.scope() + "parent "},
	})
	return secure, secure.HandshakeContext(ctx)
}

// sessionsOf has the TLS sessions that a connection to o may go on with. An origin would know by a
// session that two connections are of one client: what shares no connection shares no session.
func (u *upstreams) sessionsOf(o origin) tls.ClientSessionCache {
	if o.way == nil && o.user == "" {
		return u.sessions
	}
	return scoped{u.sessions, o.scope()}
}

// scope names the way and the user of an origin. No host's name has a blank in it.
func (o origin) scope() string { return fmt.Sprintf("%p %q ", o.way, o.user) }

// scoped are those sessions of a cache that have been put in with the same scope.
type scoped struct {
	sessions tls.ClientSessionCache
	scope    string
}

// Get returns the session of a key.
func (s scoped) Get(key string) (*tls.ClientSessionState, bool) {
	return s.sessions.Get(s.scope + key)
}

// Put keeps the session of a key, or forgets it.
func (s scoped) Put(key string, session *tls.ClientSessionState) {
	s.sessions.Put(s.scope+key, session)
}

// pathOf returns what follows the authority in a target in absolute form.
func pathOf(target []byte) []byte {
	_, rest, _ := bytes.Cut(target, []byte("://"))
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		return rest[end:]
	}
	return nil
}

// write sends the beginning of a request, whose head is of that length, as it is recorded, or, if a
// parent is to forward it, with a target in absolute form and what the parent wants to be told.
// That is between the parent and the recorder, and no part of the request that the origin gets.
func (e *exchange) write(out []byte, head int) error {
	if !e.up.forwards {
		_, err := e.up.conn.Write(out)
		return err
	}
	target := bytes.IndexByte(out, ' ') + 1
	for out[target] == ' ' {
		target++
	}
	blank := bytes.TrimSuffix(bytes.TrimSuffix(out[:head], []byte{'\n'}), []byte{'\r'})
	w := bufio.NewWriterSize(e.up.conn, smallBuffer)
	w.Write(out[:target])
	switch out[target] {
	case '*': // the last proxy makes a "*" of a URL without a path (RFC 9112 section 3.2.4)
		target++
		fallthrough
	case '/':
		w.Write(e.to.appendURL(nil))
	default: // a client's in a tunnel. Who reads "http://a\@b/" otherwise than we do would go elsewhere
		w.Write(e.to.appendURL(nil))
		target += len(e.req.Target) - len(pathOf(e.req.Target))
	}
	w.Write(blank[target:])
	if value := e.to.way.Authorization(); value != "" {
		w.WriteString("Proxy-Authorization: " + value)
		w.Write(out[len(blank):head]) // the end of a line as this head has it
	}
	w.Write(out[len(blank):])
	return w.Flush() // which has the error of every Write
}
