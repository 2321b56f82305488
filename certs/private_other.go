//go:build !unix

package certs

import "io/fs"

// isPrivate knows nothing: these systems have no such bits, and those that Go returns are made up.
func isPrivate(fs.FileInfo) bool { return true }
