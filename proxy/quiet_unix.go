//go:build unix

package proxy

import "syscall"

// quiet reports that nothing has come on a connection that nobody reads, its end included. Whatever
// deadline is left from its last use does not matter.
func quiet(conn syscall.RawConn) bool {
	nothing := false
	err := conn.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		nothing = err == syscall.EAGAIN
	})
	return err == nil && nothing
}
