package proxy

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"warcorder/proxy/http1"
)

// tapConn is a client connection that can be read again from its first byte. The relay looks at the
// first bytes, and what it does not want it gives back (unread). net/http then reads a CONNECT
// through a buffer of its own, and a hijack hands over the connection without that buffer. So the
// tap remembers what net/http has read, and what lies behind the CONNECT's head is read again:
//
//	what the client sent   CONNECT a.test:443 HTTP/1.1 … blank line │ 16 03 01 … ClientHello
//	what net/http has read ─────────────────────────────────────────────────────►
//	what restore gives back                                         └───────────►
//
// The tap is also where a client's connection is counted, and what is known of the client before it
// has asked for anything.
type tapConn struct {
	net.Conn
	closing  sync.Mutex
	closed   bool
	release  []func() // give its places back when it is closed
	stranger bool     // who may not use the proxy
	host     string   // of the CONNECT, once there was one: the leaf's name if the client sends no SNI

	handshakeBegan time.Time
	certified      bool       // a certificate was sent
	kind           clientKind // of who sent the hello
	named          string     // what it asked for by SNI

	replay  []byte // read before the connection itself
	seen    []byte // while tapping: what net/http has read
	tapping bool
}

func (c *tapConn) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if c.tapping {
		c.see(p[:n])
	}
	return n, err
}

// maxFrontHead is the largest head of a CONNECT or a request to the proxy itself. It has room for
// credentials; that of a request to be relayed may be larger, and what those take together is
// bounded.
const maxFrontHead = 64 << 10

// mostSeen is more than net/http reads before it has a CONNECT's head. What is longer is a body,
// for a page of our own.
const mostSeen = maxFrontHead + 16<<10

// see remembers what was read.
func (c *tapConn) see(p []byte) {
	if len(c.seen)+len(p) > mostSeen {
		c.seen, c.tapping = nil, false
		return
	}
	c.seen = append(c.seen, p...)
}

// read reads what was given back, and then the connection.
func (c *tapConn) read(p []byte) (int, error) {
	if len(c.replay) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.replay)
	if c.replay = c.replay[n:]; len(c.replay) == 0 {
		c.replay = nil
	}
	return n, nil
}

// Close ends the connection, and makes room for another client.
func (c *tapConn) Close() error {
	err := c.Conn.Close()
	c.closing.Lock()
	gives := c.release
	c.closed, c.release = true, nil
	c.closing.Unlock()
	for _, give := range gives {
		give()
	}
	return err
}

// atClose has give called when the connection is closed; at once if it is.
func (c *tapConn) atClose(give func()) {
	c.closing.Lock()
	closed := c.closed
	if !closed {
		c.release = append(c.release, give)
	}
	c.closing.Unlock()
	if closed {
		give()
	}
}

// unread makes b the next bytes that are read.
func (c *tapConn) unread(b []byte) {
	c.replay = append(append([]byte(nil), b...), c.replay...)
}

// startTapping begins to remember what is read.
func (c *tapConn) startTapping() { c.tapping = true }

// restore ends the remembering and gives back what was read behind the first head.
func (c *tapConn) restore() error {
	end, _ := http1.HeadEnd(c.seen, 0)
	if end < 0 {
		return errors.New("hijacked before the head was read")
	}
	c.unread(c.seen[end:])
	c.seen, c.tapping = nil, false
	return nil
}

// from is the client's address.
func (c *tapConn) from() netip.Addr {
	address, _ := c.RemoteAddr().(*net.TCPAddr)
	return address.AddrPort().Addr()
}

// CloseWrite ends the sending direction.
func (c *tapConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// reset makes the next Close a reset, so that the end cannot be taken for that of a body.
func (c *tapConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
}
