//go:build !unix

package proxy

// descriptors is how many files and connections this process may have open; 0: unknown.
func descriptors() uint64 { return 0 }
