package proxy

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// unsent is how many bytes that were written to a connection its peer's system does not have yet; 0 if
// that has ended the connection. It takes the connection's error, and is for one that is to be closed.
func unsent(conn syscall.RawConn) (n int) {
	err := conn.Control(func(fd uintptr) {
		if gone, _ := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); gone == 0 {
			n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ)
		}
	})
	if err != nil { // it is closed
		return 0
	}
	return n
}
