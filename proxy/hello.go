package proxy

import (
	"crypto/tls"
	"errors"
	"net"
	"strings"
)

// helloName returns the name that a client's hello asks for (SNI), in lower case, and leaves the
// hello to be read; "" if there is none or it cannot be read. It is read as the handshake reads it.
func helloName(c *tapConn) (name string) {
	peek := &peekConn{Conn: c}
	tls.Server(peek, &tls.Config{
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name = strings.ToLower(hello.ServerName)
			return nil, errPeeked
		},
	}).Handshake()
	c.unread(peek.seen)
	return name
}

var errPeeked = errors.New("the hello has been read")

// maxHello is the longest hello that is looked at, in as many pieces as it comes. Those of browsers
// have 2 KB; ten thousand clients may send one at a time.
const maxHello = 16 << 10

// peekConn keeps what is read of a connection, up to maxHello, and writes nothing.
type peekConn struct {
	net.Conn
	seen []byte
}

func (c *peekConn) Read(p []byte) (int, error) {
	if len(c.seen) >= maxHello {
		return 0, errPeeked
	}
	n, err := c.Conn.Read(p[:min(len(p), maxHello-len(c.seen))])
	c.seen = append(c.seen, p[:n]...)
	return n, err
}

func (c *peekConn) Write(p []byte) (int, error) { return len(p), nil }
