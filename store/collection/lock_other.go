//go:build !unix || solaris || aix

package collection

import "os"

// Lock locks nothing on this system: a directory has no lock, and that of the index must do.
func (d Dir) Lock() (unlock func() error, err error) { return func() error { return nil }, nil }

// Yield returns nil: nobody has locked the directory.
func (d Dir) Yield() error { return nil }

// TryLock returns nil: bbolt finds the lock when it opens the file.
func TryLock(string) error { return nil }

// Hold locks nothing on this system.
func Hold(string) (release func() error, err error) { return func() error { return nil }, nil }

// CanRelock says that Share and Unshare do not work here, or that nobody can write a file while it
// is open elsewhere.
const CanRelock = false

// Share locks nothing.
func Share(*os.File) error { return nil }

// Unshare unlocks nothing.
func Unshare(*os.File) error { return nil }
