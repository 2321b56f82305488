//go:build !unix || solaris || aix

package collection

import "os"

// CanRelock says that Share and Unshare do not work here, or that nobody can write a file while it
// is open elsewhere.
const CanRelock = false

// Share locks nothing.
func Share(*os.File) error { return nil }

// Unshare unlocks nothing.
func Unshare(*os.File) error { return nil }
