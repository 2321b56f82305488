//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package recorder

// lockDir locks nothing on this system: the locks of the old index and of the new one must do.
func lockDir(string) (unlock func() error, err error) { return func() error { return nil }, nil }
