package dial

import (
	"net"
	"net/netip"
	"syscall"
	"testing"
)

// TestSourcePort: the port of a connection from a source-address is chosen when it is known where
// the connection leads, so that two to different places may have the same one.
func TestSourcePort(t *testing.T) {
	for _, source := range []string{"127.0.0.9", "::1"} {
		s, err := ParseSourceAddress(source)
		if err != nil {
			t.Fatal(err)
		}
		if s.Check() != nil { // a machine without IPv6
			continue
		}
		ln, err := net.Listen("tcp", net.JoinHostPort(source, "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		d := Dialer{From: s}
		conn, err := d.one(t.Context(), netip.MustParseAddrPort(ln.Addr().String()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		socket, err := conn.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		socket.Control(func(fd uintptr) {
			set, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_IP, bindAddressNoPort)
			if set != 1 || err != nil {
				t.Errorf("%s: %d, %v", source, set, err)
			}
		})
	}
}
