//go:build !unix || solaris || aix

package store

import "time"

// lockable is for systems where a process does not lock a file twice: bbolt finds out.
func lockable(string, time.Duration) error { return nil }

// yield is for systems where a directory cannot be locked.
func yield(string) error { return nil }
