//go:build !unix || solaris || aix

package collection

// Lock locks nothing on this system: the locks of the old index and of the new one must do.
func (d Dir) Lock() (unlock func() error, err error) { return func() error { return nil }, nil }

// Yield is for systems where a directory can be locked.
func (d Dir) Yield() error { return nil }

// TryLock is for systems where a process does not lock a file twice: bbolt finds out.
func TryLock(string) error { return nil }
