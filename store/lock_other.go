//go:build !unix || solaris || aix

package store

// lockable is for systems where a file is locked twice by one process only with care: bbolt finds
// out.
func lockable(string) error { return nil }
