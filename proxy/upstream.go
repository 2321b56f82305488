package proxy

import (
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"warcorder/recorder"
)

// upstream is one connection to an origin. It is in one place at a time: in the pool, a session's
// own, or an exchange's.
type upstream struct {
	wire
	origin     origin
	raw        *net.TCPConn    // to the origin, or to the first parent on the way
	socket     syscall.RawConn // of raw
	below      *pausable       // what TLS reads, the lowest of its layers; nil if there is none
	ip         netip.Addr
	tls        uint16 // the version, 0 for plain
	cipher     uint16
	unverified string // the certificate's problem that InsecureUpstream let pass
	denied     bool   // the origin has asked for a certificate of ours and got none
	chain      *recorder.Chain
	used       int  // exchanges before this one
	forwards   bool // what it leads to is a parent, which gets requests in absolute form
	bound      bool // authenticated once (NTLM, Negotiate), and so one client's for good
	idleSince  time.Time
	counted    *dials // in which it is open; nil once it is closed

	older, newer *upstream // in the pool, by idleSince
}

// pausable is a connection that TLS reads from. While it is paused it has nothing, so that what TLS
// has taken from it already can be read, and no more: that is how an idle connection is asked,
// without waiting, whether its origin has sent what nobody asked for.
type pausable struct {
	net.Conn
	paused bool
}

func (c *pausable) Read(p []byte) (int, error) {
	if c.paused {
		return 0, os.ErrDeadlineExceeded // which TLS does not take for the end
	}
	return c.Conn.Read(p)
}

// pausable returns what TLS is to read conn through. TLS in TLS reads through the lower one's.
func (u *upstream) pausable(conn net.Conn) net.Conn {
	if u.below != nil {
		return conn
	}
	u.below = &pausable{Conn: conn}
	return u.below
}

// close ends the connection at once: a TLS farewell could wait for seconds behind bytes that nobody
// reads.
func (u *upstream) close() {
	u.drop()
	u.raw.Close()
	u.counted.close()
	u.counted = nil
}

// alive looks whether the origin has closed an idle connection, or sent what nobody asked for: on
// the socket, and in what TLS has taken from it already. Such bytes would be taken for the answer
// to the next request, of another client.
func (u *upstream) alive() bool {
	return quiet(u.socket) && (u.below == nil || u.nothingDecrypted())
}

// nothingDecrypted reports that TLS holds back no byte.
func (u *upstream) nothingDecrypted() bool {
	u.below.paused = true
	var b [1]byte
	n, err := u.conn.Read(b[:])
	u.below.paused = false
	return n == 0 && err == os.ErrDeadlineExceeded
}
