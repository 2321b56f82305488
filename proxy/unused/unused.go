// Package unused has addresses of loopback at which nobody listens, for tests.
//
// A port is one below those that systems give to who asks for none (49152 and above by IANA, 32768 by
// Linux): nobody gets it between the look at it and the moment at which somebody listens there.
package unused

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

const first, last = 10000, 32000

// Address is one, host:port.
func Address(t testing.TB) string {
	t.Helper()
	for range 1000 {
		ln, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(first+rand.IntN(last-first)))
		if err == nil {
			defer ln.Close()
			return ln.Addr().String()
		}
	}
	t.Fatal("there is no unused port")
	return ""
}

// Port is that of an Address.
func Port(t testing.TB) string {
	t.Helper()
	_, port, err := net.SplitHostPort(Address(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}
