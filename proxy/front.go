package proxy

import (
	"net"
	"sync"
)

// frontListener gives net/http the connections that are its own.
type frontListener struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newFrontListener(addr net.Addr) *frontListener {
	return &frontListener{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// give passes a connection to the server, or closes it if there is none any more.
func (l *frontListener) give(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.closed:
		c.Close()
	}
}

// Accept returns the next connection.
func (l *frontListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *frontListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is the address that clients connect to.
func (l *frontListener) Addr() net.Addr { return l.addr }
