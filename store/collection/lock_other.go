//go:build (!unix && !windows) || solaris || aix

package collection

// Lock locks nothing on this system: a directory has no lock, and that of the index must do.
func (d Dir) Lock() (unlock func() error, err error) { return func() error { return nil }, nil }

// Yield returns nil: nobody has locked the directory.
func (d Dir) Yield() error { return nil }

// TryLock returns nil: bbolt finds the lock when it opens the file.
func TryLock(string) error { return nil }

// Hold locks nothing on this system.
func Hold(string) (release func() error, err error) { return func() error { return nil }, nil }
