package proxy

import (
	"net"
	"time"
)

const (
	lingerPatience = time.Second // for a client that is still sending
	lingerBytes    = 16 << 20    // of what it still sends
)

// linger ends the connection so that what was written reaches a client that is still sending:
// closing with unread bytes would reset it (RFC 9112 section 9.6).
func (s *session) linger() {
	s.in.unwatch()
	s.openEnded.Store(false)
	if c, ok := s.conn.(interface{ CloseWrite() error }); ok {
		c.CloseWrite()
	}
	if s.gone.Load() || s.in.err != nil {
		return
	}
	s.in.readUntil(time.Now().Add(lingerPatience), 0)
	discard(s.raw)
}

// discard reads what a client still sends, within bounds.
func discard(conn net.Conn) {
	b := largeBuffers.Get().(*[]byte)
	defer largeBuffers.Put(b)
	for left := lingerBytes; left > 0; {
		n, err := conn.Read(*b)
		if err != nil {
			return
		}
		left -= n
	}
}
