//go:build unix

package certs

import (
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// isPrivate reports whether a key's file is for this process alone. Its owner may read and write it.
// The group may read it where somebody else owns the file, and this process is of the group: so a
// secret is mounted for a process that is not root (owner root, the group of fsGroup, 0440), and so
// an administrator gives a service what it shall not change. A file of this process's own user needs
// no group, and others have no business with any.
func isPrivate(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.Mode().Perm()&0o077 == 0
	}
	groups, _ := os.Getgroups() // without them the one of the process counts
	return isFor(info.Mode().Perm(), int(of.Uid), int(of.Gid), os.Geteuid(), append(groups, os.Getegid()))
}

// isFor is isPrivate for a file of an owner and a group, and a process of a user and its groups.
func isFor(mode fs.FileMode, owner, group, user int, groups []int) bool {
	isGiven := owner != user && slices.Contains(groups, group)
	return mode&0o077 == 0 || isGiven && mode&0o077 == 0o040
}
