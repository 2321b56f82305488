//go:build unix

package proxy

import "syscall"

// descriptors is how many files and connections this process may have open; 0 if that is unknown.
// The runtime has raised the soft limit to the hard one.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Cur)
}
