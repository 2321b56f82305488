//go:build !unix

package proxy

import "syscall"

// quiet cannot tell here; a request on a connection that the origin has closed fails, and is asked
// again if that is harmless.
func quiet(syscall.RawConn) bool { return true }
