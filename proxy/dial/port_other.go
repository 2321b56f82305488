//go:build !linux

package dial

import "syscall"

// lateSourcePort is of Linux.
func lateSourcePort(_, _ string, _ syscall.RawConn) error { return nil }
