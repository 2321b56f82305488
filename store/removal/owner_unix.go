//go:build unix

package removal

import (
	"io/fs"
	"syscall"
)

// isAnothers reports whether a user owns none of the files, and is not root.
func isAnothers(user int, files ...fs.FileInfo) bool {
	for _, file := range files {
		if stat, ok := file.Sys().(*syscall.Stat_t); !ok || user == 0 || int(stat.Uid) == user {
			return false
		}
	}
	return true
}
