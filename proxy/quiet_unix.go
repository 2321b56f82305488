//go:build unix

package proxy

import (
	"net"
	"syscall"
)

// quiet reports that nothing has come on a connection that nobody reads, its end included.
func quiet(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	nothing := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		nothing = err == syscall.EAGAIN
		return true
	})
	return err == nil && nothing
}
