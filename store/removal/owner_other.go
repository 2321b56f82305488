//go:build !unix

package removal

import "io/fs"

// isAnothers is for systems that have no sticky directories.
func isAnothers(int, ...fs.FileInfo) bool { return false }
