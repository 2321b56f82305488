package dial

import "syscall"

// bindAddressNoPort is IP_BIND_ADDRESS_NO_PORT of ip(7), which package syscall does not have.
const bindAddressNoPort = 24

// lateSourcePort lets the system choose the port of a connection that begins at a source-address
// when it knows where the connection leads, as without one. Else each port of the address serves
// one connection at a time to all of the world, a minute longer than it lasts: 28,000 of them.
// Where the system does not know the option, that is how it is.
func lateSourcePort(_, _ string, conn syscall.RawConn) error {
	return conn.Control(func(fd uintptr) {
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, bindAddressNoPort, 1)
	})
}
