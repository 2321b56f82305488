//go:build !unix

package proxy

import "net"

// quiet cannot tell here; a request on a connection that the origin has closed fails, and is asked again if that is
// harmless.
func quiet(*net.TCPConn) bool { return true }
