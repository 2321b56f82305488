package proxy

import (
	"net"
	"syscall"
	"testing"
)

// TestDeadPeersAreFound: TCP itself asks after those that are silent.
func TestDeadPeersAreFound(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		asked := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) { o.readHead(); close(asked); o.readAll() })
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
		<-asked
		c := h.proxy.clients
		c.mu.Lock()
		defer c.mu.Unlock()
		for s := range c.seats {
			sides := map[string]net.Conn{"client": s.client.(*tapConn).Conn, "origin": s.upstream.Load().raw}
			for side, conn := range sides {
				on := socketOption(t, conn, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)
				idle := socketOption(t, conn, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE)
				if on == 0 || idle > 60 {
					t.Errorf("%s: keep-alive %d, after %d s", side, on, idle)
				}
			}
		}
	})
}

func socketOption(t *testing.T, conn net.Conn, level, option int) (value int) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, option) })
	}
	if err != nil {
		t.Error(err)
	}
	return value
}
